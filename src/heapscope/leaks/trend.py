"""Whether a series of bytes grows, by how much, and how sure that is."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.measure.record import Record

__all__ = ["Trend", "trend"]

#: Fewer moments than this say nothing about growth.
MOMENTS_LEAST = 8
CONFIDENCE = 0.95


@dataclass(frozen=True, kw_only=True)
class Trend(Record):
    """Bytes per 1000 heap events: the median slope between all pairs of moments (Theil-Sen) with
    its 95 % band; `confidence` in per cent that there is growth at all (Mann-Kendall, one-sided).
    """

    slope: float
    low: float
    high: float
    confidence: float
    grows: bool


def trend(events: NDArray[np.float64], values: NDArray[np.float64]) -> Trend | None:
    """None where too few moments or no change make the question meaningless."""
    if len(values) < MOMENTS_LEAST or np.all(values == values[0]):
        return None
    from scipy import stats

    with np.errstate(invalid="ignore"):  # nearly all values equal: no band can be told
        line = stats.theilslopes(values, events / 1000, alpha=CONFIDENCE)
    rank = stats.kendalltau(events, values, alternative="greater")
    sure = 1 - float(rank.pvalue)
    low, high = (s if np.isfinite(s) else line.slope for s in (line.low_slope, line.high_slope))
    return Trend(
        slope=round(float(line.slope), 3),
        low=round(float(low), 3),
        high=round(float(high), 3),
        confidence=round(100 * sure, 1),
        grows=sure >= CONFIDENCE and float(low) > 0,
    )
