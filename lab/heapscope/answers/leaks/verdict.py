"""Leak, filling, plateau, cache, start-up or unknown: what a holder's blocks did, judged beside all
other holders. The judge is lab/native/leaks, which pages run too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapscope.native.leaks import AXES, VERDICTS, leak_reason, leak_rows
from heapscope.native.structs import Rows

#: The words for the native verdicts.
WORDS = tuple("start-up" if name == "startup" else name for name in VERDICTS)
UNKNOWN, CACHE, PLATEAU, FILLING, STARTUP, LEAK = WORDS
#: The axes along which a holder's blocks are looked at, by the native names.
AXIS_NAMES = {
    "time": "time",
    "own": "its own allocations",
    "task": "its task's allocations",
    "none": "nothing",
}


@dataclass(frozen=True, kw_only=True)
class Judged:
    """`chance`: at most so often does a holder without a leak look like this. `longer`: an interval
    that many times as long would settle an unknown one. `row`: hs_lab_leak_row_t."""

    verdict: str
    reason: str
    axis: str
    chance: float
    longer: float | None
    row: np.void


def judge(holders: Rows, lives: Rows, live: Rows, *, whole: bool = True) -> Rows:
    """hs_lab_leak_row_t by task and site, ascending. `holders`, `lives`, `live`: as the second
    reading of the trace has them; `whole`: no event is missing."""
    return leak_rows(holders, lives, live, whole=whole)


def judged(row: np.void) -> Judged:
    """The row in words."""
    reason = leak_reason(row["reason"])
    if not reason:
        reason = f"{row['old']:,.0f} blocks grew old and stayed, {row['ended']:,.0f} were freed"
    return Judged(
        verdict=WORDS[row["verdict"]],
        reason=reason,
        axis=AXIS_NAMES[AXES[row["axis"]]],
        chance=float(row["chance"]),
        longer=float(row["longer"]) or None,
        row=row,
    )
