"""How far available memory may be off where no row was seen: the scale of its bands.

The evidence tells how well the published figures agree with the constants that were made from them,
which is too well. So each learned row is left out once more, inside whatever is learned from, and
the scale is such that 80 % of these rows would have been in the 80 % bands. It is chosen anew in
every fold, from the rows left in.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil, sqrt
from statistics import NormalDist

from heapscope.predict.memory import (
    MemoryShape,
    features,
    fit_memory,
    fixed_parts,
    memory_features,
    rows_of_groups,
)
from heapscope.predict.wifi_table import WifiRow

SHARE = 0.8


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
