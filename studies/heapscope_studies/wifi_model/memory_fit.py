"""The constants of available memory from rows, and how far it may be off where no row was seen.

The evidence tells how well the published figures agree with the constants that were made from them,
which is too well. So each learned row is left out once more, inside whatever is learned from, and
the scale is such that 80 % of these rows would have been in the 80 % bands. It is chosen anew in
every fold, from the rows left in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from heapscope.predict.memory import MemoryShape, features, fixed_parts, memory_features
from heapscope.predict.posterior import Array, Posterior
from heapscope.predict.wifi_table import WifiRow, chips
from heapscope_studies.wifi_model.evidence import Prior, choose, fit_posterior
from heapscope_studies.wifi_model.throughput_fit import names_for

#: Software newer than the ranks': a station at rest has this much more or less than predicted, KB
#: (median of the eight chips measured under ESP-IDF 5.5; docs/reference/measured-effects.md).
_NEWER_KB = 19.0
#: The values that choose_memory tries.
MEMORY_GRID: Mapping[str, Sequence[float]] = {
    "cap": tuple(range(24, 65)),
    "error": (1.5, 2.0, 3.0, 4.0),
    "slopes": (0.4, 0.8, 1.2),
}
SHARE = 0.8


def memory_prior(groups: Iterable[str], shape: MemoryShape) -> tuple[tuple[str, ...], Prior]:
    """`overhead`: what Wi-Fi takes of a chip's heap beside all that the knobs say, with the
    application that measures; a base is believed to be the heap of an empty program less that."""
    groups = tuple(dict.fromkeys(groups))
    beliefs: dict[str, tuple[dict[str, float], float, float]] = {
        "overhead": ({"overhead": 1.0}, 100.0, 40.0),
        "slope": ({"slope": 1.0}, 2.6, 1.0),  # a frame of 1.6 KB and a copy of its payload
        "dynamic_rx": ({"dynamic_rx": 1.0}, 0.0, 0.1),
        "newer": ({"newer": 1.0}, 0.0, _NEWER_KB),
    }
    for chip in dict.fromkeys(group.split(".")[0] for group in groups):
        beliefs[f"slope.{chip}"] = ({f"slope.{chip}": 1.0, "slope": -1.0}, 0.0, shape.slopes)
    for group in groups:
        empty = chips()[group.split(".")[0]].empty_heap_kb
        name = f"base.{group}"
        beliefs[name] = ({name: 1.0, "overhead": 1.0}, empty, 40.0)
    names = tuple(beliefs)
    return names, Prior.of(names, tuple(beliefs.values()))


class _Linear:
    def __init__(self, rows: Sequence[WifiRow], names: Sequence[str], cap: float) -> None:
        self._features = features(names, [memory_features(row.knobs, cap=cap) for row in rows])
        self.observed: Array = np.array(
            [(row.memory_kb or 0.0) + sum(fixed_parts(row.knobs).values()) for row in rows]
        )

    def expected(self, theta: Array) -> Array:
        return np.asarray(self._features @ theta)

    def expected_and_slope(self, theta: Array) -> tuple[Array, Array]:
        return self.expected(theta), self._features


def fit_memory(
    rows: Sequence[WifiRow], shape: MemoryShape, *, groups: Sequence[str] = ()
) -> tuple[tuple[str, ...], Posterior]:
    """Constants from rows; those without a figure of memory say nothing."""
    told = [row for row in rows if row.memory_kb is not None]
    names, prior = memory_prior((*names_for(told), *groups), shape)
    return names, fit_posterior(_Linear(told, names, shape.cap), prior, errors=shape.errors)


def rows_of_groups(rows: Iterable[WifiRow]) -> dict[str, int]:
    """How many rows of each group have a figure of memory."""
    return dict(Counter(row.knobs.group for row in rows if row.memory_kb is not None))


def choose_memory(rows: Sequence[WifiRow], start: MemoryShape | None = None) -> MemoryShape:
    """The shape with the most evidence in these rows."""
    return choose(
        start or MemoryShape(),
        MEMORY_GRID,
        lambda shape: fit_memory(rows, replace(shape))[1].log_evidence,
    )


def choose_band(rows: Sequence[WifiRow], shape: MemoryShape) -> MemoryShape:
    """`shape` with the scale of what these rows do not show, and with their number by group. Rows
    that their publisher computed agree by themselves: they are learned from, and not asked."""
    told = [row for row in rows if row.memory_kb is not None]
    groups = tuple(dict.fromkeys(row.knobs.group for row in told))
    scales = sorted(
        _scale(row, [other for other in told if other is not row], shape, groups)
        for row in told
        if not row.memory_computed
    )
    # The row that will be asked counts as one more row; SHARE of all lie inside at this scale.
    at = min(ceil(SHARE * (len(scales) + 1)), len(scales)) - 1
    return replace(shape, band=scales[at], rows=rows_of_groups(told))


def _scale(
    row: WifiRow, learn: Sequence[WifiRow], shape: MemoryShape, groups: Sequence[str]
) -> float:
    """The scale at which the row would lie on the edge of its band, KB; 0: inside at any."""
    names, found = fit_memory(learn, shape, groups=groups)
    terms = features(names, [memory_features(row.knobs, cap=shape.cap)])[0]
    off = float(terms @ found.theta) - sum(fixed_parts(row.knobs).values()) - (row.memory_kb or 0)
    upper = (1 + SHARE) / 2
    own = NormalDist().inv_cdf(upper) ** 2 * float(terms @ found.covariance @ terms)
    counted = replace(shape, band=1.0, rows=rows_of_groups(learn))
    unit = counted.unseen(row.knobs.group)
    return sqrt(max(0.0, off**2 - own)) / unit.quantile(upper)
