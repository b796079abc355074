"""Whether a group has less than the others, by ranks within strata, and by how much."""

from __future__ import annotations

from dataclasses import dataclass
from math import erfc, sqrt

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.cohorts.survival import Marks, Numbers

_LEAST = 4  # devices of the group, and of the others, below which nothing is compared
_MOST = 800  # of each that are paired for the size of a shift


@dataclass(frozen=True, kw_only=True)
class Shift:
    """How far the usual device of a group is above that of the others, as a share of theirs, with
    the interval that holds 19 of 20."""

    value: float
    low: float
    high: float


def two_sided(z: float) -> float:
    """How likely chance alone gives a number as far from 0."""
    return erfc(abs(z) / sqrt(2))


def rank_test(levels: Numbers, group: Marks, strata: NDArray[np.int64]) -> float | None:
    """Wilcoxon's rank sum within each stratum, weighted as van Elteren does, as a number of
    variance 1; None: too few devices."""
    total = variance = 0.0
    counts = [0, 0]
    for stratum in np.unique(strata):
        inside = strata == stratum
        mine, count = int((inside & group).sum()), int(inside.sum())
        others = count - mine
        if not mine or not others:
            continue
        counts[0] += mine
        counts[1] += others
        ranks, ties = _ranks(levels[inside])
        weight = 1 / (count + 1)
        total += weight * (float(ranks[group[inside]].sum()) - mine * (count + 1) / 2)
        each = mine * others / 12 * (count + 1 - ties / max(count * (count - 1), 1))
        variance += weight * weight * each
    if min(counts) < _LEAST or variance <= 0:
        return None
    return total / sqrt(variance)


def shift(levels: Numbers, group: Marks, strata: NDArray[np.int64]) -> Shift:
    """The median of all pairs within the strata (Hodges and Lehmann), of levels above 0."""
    logs = np.log(np.maximum(levels, 1.0))
    pairs = []
    mine_all = others_all = 0
    for stratum in np.unique(strata):
        inside = strata == stratum
        mine, others = _some(logs[inside & group]), _some(logs[inside & ~group])
        if mine.size and others.size:
            pairs.append((mine[:, None] - others[None, :]).ravel())
            mine_all += mine.size
            others_all += others.size
    apart = np.concatenate(pairs)
    # Moses: the share of the pairs on each side of the interval
    error = 1.96 * sqrt((mine_all + others_all + 1) / (12 * mine_all * others_all))
    low, high = np.quantile(apart, (max(0.5 - error, 0.0), min(0.5 + error, 1.0)))
    return Shift(
        value=float(np.expm1(np.median(apart))),
        low=float(np.expm1(low)),
        high=float(np.expm1(high)),
    )


def false_discovery(chances: Numbers) -> Numbers:
    """The least false discovery rate at which each of several tests is one (Benjamini and
    Hochberg)."""
    count = len(chances)
    order = np.argsort(chances)
    scaled = chances[order] * count / np.arange(1, count + 1)
    rates = np.empty(count)
    rates[order] = np.minimum(np.minimum.accumulate(scaled[::-1])[::-1], 1.0)
    return rates


def _some(values: Numbers) -> Numbers:
    """Evenly spread ones of many."""
    if values.size <= _MOST:
        return values
    return np.sort(values)[np.linspace(0, values.size - 1, _MOST).astype(np.int64)]


def _ranks(values: Numbers) -> tuple[Numbers, float]:
    """From 1, equal values share theirs; and the sum of t^3 - t over the ties."""
    kinds, where, counts = np.unique(values, return_inverse=True, return_counts=True)
    last = np.cumsum(counts)
    middle = last - (counts - 1) / 2
    ties = float((counts.astype(np.float64) ** 3 - counts).sum())
    return middle[where.reshape(-1)].astype(np.float64)[: len(values)], ties if kinds.size else 0.0
