"""Leak, plateau, cache or unknown: what a holder's blocks did, judged beside all other holders. The
judge is lab/native/leaks, which pages run too."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from heapscope.native.leaks import VERDICTS, Looks, leak_reason, leak_rows
from heapscope.native.structs import Rows

LEAK, PLATEAU, CACHE, UNKNOWN = "leak", "plateau", "cache", "unknown"


@dataclass(frozen=True, kw_only=True)
class Judged:
    """`chance`: at most so often does a holder without a leak look like this. `longer`: an interval
    that many times as long would settle an unknown one. `row`: hs_lab_leak_row_t."""

    verdict: str
    reason: str
    chance: float
    longer: float | None
    row: np.void


def judge(
    lives: Rows, live: Rows, looks: Looks, *, whole: bool = True
) -> dict[tuple[int, int], Judged]:
    """By task and site. `lives`: blocks by the looks that they lived between; `live`: such that
    stay, one by one; `whole`: no event is missing."""
    rows = leak_rows(lives, live, looks, whole=whole)
    return {(int(row["task"]), int(row["site"])): _judged(row) for row in rows}


def _judged(row: np.void) -> Judged:
    reason = leak_reason(row["reason"])
    if not reason:
        reason = f"{row['old']:,.0f} blocks grew old and stayed, {row['ended']:,.0f} were freed"
    return Judged(
        verdict=VERDICTS[row["verdict"]],
        reason=reason,
        chance=float(row["chance"]),
        longer=float(row["longer"]) or None,
        row=row,
    )
