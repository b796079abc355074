"""The requests that a published article timed, on our heap."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from emulation.build import build_image
from emulation.events import EVENT, FREE, MALLOC, Rows
from emulation.run import EmulatedHeap
from emulation.targets import Target
from numpy.typing import NDArray
from timing import time_events

__all__ = ["KEYS", "POOL", "instructions", "nanoseconds", "requests"]

POOL = 250_000
SMALL = 10_000

#: In the order of the requests; the last is the most that one of the frees takes.
KEYS = ("first_malloc_8", "mallocs_4_x10000", "free_odd_5000", "malloc_8_after", "worst_free")


def requests() -> Rows:
    """One block of 8 bytes; 10 000 of 4; every second of these freed; another one of 8."""
    freed = np.arange(2, SMALL + 1, 2)
    rows = np.zeros(1 + SMALL + len(freed) + 1, EVENT)
    rows["kind"] = MALLOC
    rows["slot"] = np.arange(len(rows))
    rows["size"][0] = rows["size"][-1] = 8
    rows["size"][1 : SMALL + 1] = 4
    rows["kind"][SMALL + 1 : -1] = FREE
    rows["slot"][SMALL + 1 : -1] = freed
    return rows


def phases(each: NDArray[Any]) -> dict[str, float]:
    """From figures of each request to those of the phases."""
    frees = each[SMALL + 1 : -1]
    parts = (each[0], each[1 : SMALL + 1].sum(), frees.sum(), each[-1], frees.max())
    return dict(zip(KEYS, (float(part) for part in parts), strict=True))


def instructions(target: Target) -> dict[str, int]:
    rows = requests()
    heap = EmulatedHeap(target, build_image(target), POOL, events=len(rows))
    replay = heap.replay(rows)
    assert replay.failures == 0
    return {key: int(value) for key, value in phases(replay.counts + replay.copying).items()}


def nanoseconds(binary: Path) -> dict[str, float]:
    """The least of many rounds of each request."""
    each = time_events(binary, requests(), POOL, rounds=50).each
    return {key: round(value, 1) for key, value in phases(each).items()}
