"""When each holder's blocks were born and freed, in equal stretches of the interval."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.native.structs import Rows

Counts = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Lives:
    """Blocks of one task and site. Stretch 0 is before the interval; stretch s of n lies between
    the looks s - 1 and s. A trace may have very many holders, each with few `ended` rows."""

    ended: Rows  # freed blocks by their stretches: hs_lab_life_row_t
    alive: Counts  # (n + 1): of each stretch's births, blocks that are live at the end
    alive_bytes: Counts

    @property
    def stretches(self) -> int:
        return len(self.alive) - 1

    @property
    def blocks(self) -> int:
        """All that were live in the interval."""
        return int(self.ended["blocks"].sum() + self.alive.sum())

    @property
    def freed(self) -> Counts:
        """Row b, column f: born in stretch b and freed in f. Made anew at each call."""
        freed = np.zeros((len(self.alive), len(self.alive)))
        where = self.ended["born"].astype(int), self.ended["freed"].astype(int)
        np.add.at(freed, where, self.ended["blocks"])
        freed[0, 0] = 0  # what was over before the interval began
        return freed

    def levels(self) -> Counts:
        """Blocks that are live at each look, the first and the last included."""
        freed = self.freed
        return np.cumsum(freed.sum(axis=1) + self.alive - freed.sum(axis=0))


def lives_of(
    ended: Rows, live: Rows, events: NDArray[np.uint64]
) -> Iterator[tuple[tuple[int, int], Lives]]:
    """Each task and site that had a block in the interval. `events` are those of the looks."""
    born = np.searchsorted(events, live["birth"], side="right").astype(np.int64)
    ends, stays = by_holder(ended), by_holder(live)
    nobody = np.zeros(0, dtype=np.int64)
    for holder in sorted(ends.keys() | stays.keys()):
        rows, staying = ended[ends.get(holder, nobody)], stays.get(holder, nobody)
        alive, sizes = np.zeros(len(events)), np.zeros(len(events))
        np.add.at(alive, born[staying], 1)
        np.add.at(sizes, born[staying], live["size"][staying].astype(float))
        yield holder, Lives(ended=rows, alive=alive, alive_bytes=sizes)


def by_holder(rows: Rows) -> dict[tuple[int, int], NDArray[np.int64]]:
    """The indices of each task's and site's rows."""
    if len(rows) == 0:
        return {}
    keys = rows["task"].astype(np.uint64) << np.uint64(32) | rows["site"].astype(np.uint64)
    order = np.argsort(keys, kind="stable")
    names, starts = np.unique(keys[order], return_index=True)
    parts = np.split(order, starts[1:])
    return {
        (int(name) >> 32, int(name) & 0xFFFFFFFF): part
        for name, part in zip(names, parts, strict=True)
    }
