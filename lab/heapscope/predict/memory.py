"""Available memory from the knobs, in KB: what a program has left while its Wi-Fi is busiest.

    available = base - buffers - code in IRAM - caches - slope * min(TX buffers on demand, cap)

Static buffers, code and caches have their documented sizes; nothing about them is fitted. Each chip
with its PSRAM has its own base. The slope is the heap that one dynamic TX buffer takes when all are
in flight: its frame, lwIP's segment and the copy of it. Each chip has its own slope, near that of
the others. At most `cap` buffers are in flight; every fit chooses the cap from the rows left in.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import ceil, sqrt
from statistics import NormalDist

import numpy as np

from heapscope.predict.posterior import Array, Errors, Posterior, Prior, choose, fit_posterior
from heapscope.predict.throughput import names_for
from heapscope.predict.wifi_table import NO_PSRAM, Knobs, WifiRow, chips

BUFFER_KB = 1.6  # of a static buffer, by the guide; a heap block of 1,696 bytes holds one
#: Software newer than the ranks': a station at rest has this much more or less than predicted, KB
#: (median of the eight chips measured under ESP-IDF 5.5; docs/reference/measured-effects.md).
_NEWER_KB = 19.0
#: Caches of a default build, KB: the base is with them.
_CACHES = {"esp32s2": (8, 0), "esp32s3": (16, 32)}


@dataclass(frozen=True, kw_only=True)
class MemoryShape:
    """All in KB, but for the cap, a count. `band` and `rows` say how far a row that was not seen
    may be off (memory_band.py); nothing is fitted with them. `rows`: those learned, by group."""

    cap: float = 46.0
    error: float = 3.0  # scale of the published figures' errors
    degrees: float = 1.0  # of freedom of their t distribution: a figure agrees, or is far off
    slopes: float = 0.8  # width of the chips' slopes around the common one
    band: float = 3.0
    rows: Mapping[str, int] = field(default_factory=dict)

    @property
    def errors(self) -> Errors:
        return Errors(scale=self.error, degrees=self.degrees)

    def unseen(self, group: str) -> Errors:
        """A new row is off by its own error, and by those of the rows that its base rests on: by as
        much again where that is one row, by less the more there are. Without any the base is the
        prior's, which is wide by itself."""
        known = self.rows.get(group, 0)
        return Errors(scale=self.band * (1 + 1 / known if known else 1), degrees=self.degrees)


#: The values that choose_memory tries.
MEMORY_GRID: Mapping[str, Sequence[float]] = {
    "cap": tuple(range(24, 65)),
    "error": (1.5, 2.0, 3.0, 4.0),
    "slopes": (0.4, 0.8, 1.2),
}


def fixed_parts(knobs: Knobs) -> dict[str, float]:
    """The KB that a configuration takes by its documented sizes, by part."""
    chip = chips()[knobs.chip]
    wifi, receive, lwip = chip.iram_kb
    cache, data = _CACHES.get(knobs.chip, (0, 0))
    return {
        "static RX buffers": BUFFER_KB * knobs.static_rx,
        "static TX buffers": BUFFER_KB * knobs.tx_buffers if knobs.tx_static else 0.0,
        "Wi-Fi code in IRAM": float(wifi * knobs.wifi_iram),
        "Wi-Fi RX code in IRAM": float(receive * knobs.wifi_rx_iram),
        "lwIP code in IRAM": float(lwip * knobs.lwip_iram),
        "instruction cache": float(knobs.icache_kb - cache) if knobs.icache_kb else 0.0,
        "data cache": float(knobs.dcache_kb - data) if knobs.dcache_kb else 0.0,
    }


def memory_features(knobs: Knobs, *, cap: float) -> dict[str, float]:
    """Available memory less the fixed parts as a sum: coefficient by the constant's name."""
    terms = {f"base.{knobs.group}": 1.0}
    if not knobs.tx_static:
        terms[f"slope.{knobs.chip}"] = -min(float(knobs.tx_buffers), cap)
    if knobs.psram == NO_PSRAM:
        terms["dynamic_rx"] = -float(knobs.dynamic_rx)
    if knobs.generation:
        terms["newer"] = knobs.generation
    return terms


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


def features(names: Sequence[str], terms: Sequence[Mapping[str, float]]) -> Array:
    """Terms as rows of a matrix, constants as columns."""
    index = {name: number for number, name in enumerate(names)}
    made = np.zeros((len(terms), len(names)))
    for row, each in enumerate(terms):
        for name, value in each.items():
            made[row, index[name]] = value
    return made


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
