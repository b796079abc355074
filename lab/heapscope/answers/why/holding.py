"""Who holds the memory at the moment of a request, and which hole each keeps from closing."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.why.case import MomentHolder
from heapscope.native.structs import Rows

HOLDERS = 5  # that are named
FREE, BLOCK = 0, 1  # HS_LAB_PIECE_

Owner = tuple[int, int]  # task and site


def held_by(
    regions: Sequence[Rows],
    born: Mapping[int, Owner],
    names: Mapping[Owner, tuple[str, str]],
    verdicts: Mapping[Owner, str],
) -> Iterator[MomentHolder]:
    """`regions`: the pieces of each region that could serve the request, by address; `born`: the
    owner of each block by its key; `verdicts` of `leaks`. Most bytes first."""
    owners = [_owners(pieces, born) for pieces in regions]
    held: dict[Owner, list[int]] = {}
    for pieces, mine in zip(regions, owners, strict=True):
        for owner, size in zip(mine, pieces["requested"], strict=True):
            if owner is not None:
                held.setdefault(owner, []).append(int(size))
    ranked = sorted(held.items(), key=lambda item: (-sum(item[1]), item[0]))
    for owner, sizes in ranked[:HOLDERS]:
        task, site = names[owner]
        spans = (
            _largest(pieces, np.array([one == owner for one in mine], dtype=bool))
            for pieces, mine in zip(regions, owners, strict=True)
        )
        yield MomentHolder(
            task=task,
            site=site,
            blocks=len(sizes),
            live=sum(sizes),
            hole=max(spans, default=0),
            verdict=verdicts.get(owner, ""),
        )


def _owners(pieces: Rows, born: Mapping[int, Owner]) -> list[Owner | None]:
    return [
        born.get(int(key)) if state == BLOCK else None
        for key, state in zip(pieces["key"], pieces["state"], strict=True)
    ]


def _largest(pieces: Rows, mine: NDArray[np.bool_]) -> int:
    """Bytes of the largest span of free pieces and these blocks."""
    gone = np.concatenate(([False], (pieces["state"] == FREE) | mine, [False]))
    edges = np.flatnonzero(np.diff(gone.astype(np.int8)))
    firsts, lasts = edges[::2], edges[1::2] - 1
    if len(firsts) == 0:
        return 0
    starts = pieces["address"][firsts].astype(np.int64)
    ends = pieces["address"][lasts].astype(np.int64) + pieces["size"][lasts]
    return int((ends - starts).max())
