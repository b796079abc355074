"""The blocks that a round leaves over, and how long their holders go on to leave them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from heapscope.answers.leaks.reading import Stays
from heapscope.answers.leaks.verdict import CACHE, FILLING, PLATEAU, STARTUP, UNKNOWN, WORDS
from heapscope.native.cycle import NativeCycle
from heapscope.native.structs import Rows

_LEVEL = (PLATEAU, CACHE, STARTUP)
_KEPT = 1 / 2  # of the blocks of an unknown holder stay: from there on it goes on to keep them

Owner = tuple[int, int]  # task and site


@dataclass(frozen=True, kw_only=True)
class Growth:
    """Blocks that a round leaves over. `until`: the round after which they are replaced; None: each
    round leaves as many."""

    owner: Owner
    blocks: int
    bytes: int
    verdict: str
    until: int | None


def growth_of(cycle: NativeCycle, stays: Stays) -> Iterator[Growth]:
    """Most bytes first. `stays`: of the whole recording. A holder that frees most of its blocks and
    of which `leaks` does not know enough leaves some over by chance: where the stretch ends."""
    left = cycle.growth()
    holders, where = np.unique(left[["task", "site"]], return_inverse=True)
    blocks = np.bincount(where, minlength=len(holders))
    sizes = np.bincount(where, weights=left["size"], minlength=len(holders))
    verdicts = {_owner(row): row for row in stays.verdicts}
    begun, held = _count(cycle.births()), _count(stays.live)
    for at in sorted(range(len(holders)), key=lambda at: -sizes[at]):
        owner, count = _owner(holders[at]), int(blocks[at])
        row = verdicts.get(owner)
        verdict = UNKNOWN if row is None else WORDS[row["verdict"]]
        until: int | None = None
        if verdict in _LEVEL or (verdict == UNKNOWN and count < _KEPT * begun[owner]):
            until = 0
        elif verdict == FILLING and row is not None:
            until = max(0, round((float(row["bound"]) - held[owner]) / count))
        yield Growth(owner=owner, blocks=count, bytes=int(sizes[at]), verdict=verdict, until=until)


def verdicts_of(stays: Stays) -> dict[Owner, str]:
    return {_owner(row): WORDS[row["verdict"]] for row in stays.verdicts}


def _owner(row: np.void) -> Owner:
    return int(row["task"]), int(row["site"])


def _count(rows: Rows) -> Counter[Owner]:
    return Counter(map(_owner, rows))
