"""How long devices live: the estimate of Kaplan and Meier, and the log-rank test between groups."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Numbers = NDArray[np.float64]
Marks = NDArray[np.bool_]

_LEAST = 3  # failures in all, below which groups are not held against each other


@dataclass(frozen=True, kw_only=True, eq=False)
class Lives:
    """`seconds`: how long each device was watched (devices,); `failed`: whether it failed then
    (devices,); else it still lived, and nothing is known of the time after."""

    seconds: Numbers
    failed: Marks

    def part(self, which: Marks) -> Lives:
        return Lives(seconds=self.seconds[which], failed=self.failed[which])


@dataclass(frozen=True, kw_only=True, eq=False)
class SurvivalCurve:
    """`alive[i]`: the share that lives from `seconds[i]` on, up to the next; before the first one
    all live."""

    seconds: Numbers  # of failures, rising
    alive: Numbers
    low: Numbers  # of the interval that holds 19 of 20
    high: Numbers

    def at(self, seconds: float) -> float:
        before = int(np.searchsorted(self.seconds, seconds, side="right"))
        return float(self.alive[before - 1]) if before else 1.0

    @property
    def median(self) -> float | None:
        """When half of them have failed; None: fewer have."""
        below = np.flatnonzero(self.alive <= 0.5)
        return float(self.seconds[below[0]]) if below.size else None


def survival(lives: Lives) -> SurvivalCurve:
    """The product limit, with Greenwood's variance on the scale of log(-log)."""
    moments = np.unique(lives.seconds[lives.failed])
    order = np.sort(lives.seconds)
    at_risk = len(order) - np.searchsorted(order, moments, side="left")
    dead = _counts(lives.seconds[lives.failed], moments)
    alive = np.cumprod(1 - dead / np.maximum(at_risk, 1)).astype(np.float64)
    left = np.maximum(at_risk - dead, 0)
    terms = np.where(left > 0, dead / np.maximum(at_risk * left, 1), 0.0)
    inner = np.clip(alive, 1e-12, 1 - 1e-12)
    spread = np.sqrt(np.cumsum(terms)) / np.abs(np.log(inner))
    low, high = inner ** np.exp(1.96 * spread), inner ** np.exp(-1.96 * spread)
    gone = alive <= 0
    return SurvivalCurve(
        seconds=moments,
        alive=alive,
        low=np.where(gone, 0.0, low),
        high=np.where(gone, 0.0, high),
    )


@dataclass(frozen=True, kw_only=True)
class LogRank:
    """`z`: negative where the group fails less often than the others, which under chance is as a
    normal distribution of variance 1; `hazard`: how many times as often it fails."""

    z: float
    hazard: float


def log_rank(lives: Lives, group: Marks, strata: NDArray[np.int64]) -> LogRank | None:
    """The group against the others, within each stratum; None: too few failures to tell."""
    if int(lives.failed.sum()) < _LEAST:
        return None
    seen = expected = variance = others_seen = others_expected = 0.0
    for stratum in np.unique(strata):
        inside = strata == stratum
        mine, rest = lives.part(inside & group), lives.part(inside & ~group)
        if not len(mine.seconds) or not len(rest.seconds):
            continue
        moments = np.unique(np.concatenate([mine.seconds[mine.failed], rest.seconds[rest.failed]]))
        risk, other_risk = (_at_risk(one.seconds, moments) for one in (mine, rest))
        dead, other_dead = (_counts(one.seconds[one.failed], moments) for one in (mine, rest))
        both, all_dead = risk + other_risk, dead + other_dead
        share = risk / both
        seen += float(dead.sum())
        others_seen += float(other_dead.sum())
        expected += float((all_dead * share).sum())
        others_expected += float((all_dead * (1 - share)).sum())
        correction = np.where(both > 1, (both - all_dead) / np.maximum(both - 1, 1), 0.0)
        variance += float((all_dead * share * (1 - share) * correction).sum())
    if variance <= 0:
        return None
    hazard = _ratio(seen, expected) / max(_ratio(others_seen, others_expected), 1e-9)
    return LogRank(z=(seen - expected) / float(np.sqrt(variance)), hazard=hazard)


def _ratio(seen: float, expected: float) -> float:
    """With half a failure more on both sides, so that none is not a ratio of 0."""
    return (seen + 0.5) / (expected + 0.5)


def _at_risk(seconds: Numbers, moments: Numbers) -> Numbers:
    later = len(seconds) - np.searchsorted(np.sort(seconds), moments, side="left")
    return later.astype(np.float64)


def _counts(seconds: Numbers, moments: Numbers) -> Numbers:
    order = np.sort(seconds)
    after = np.searchsorted(order, moments, side="right")
    return (after - np.searchsorted(order, moments, side="left")).astype(np.float64)
