"""Available memory from the knobs, in KB: what a program has left while its Wi-Fi is busiest.

    available = base - buffers - code in IRAM - caches - slope * min(TX buffers on demand, cap)

Static buffers, code and caches have their documented sizes; nothing about them is fitted. Each chip
with its PSRAM has its own base. The slope is the heap that one dynamic TX buffer takes when all are
in flight: its frame, lwIP's segment and the copy of it. Each chip has its own slope, near that of
the others. At most `cap` buffers are in flight; every fit chooses the cap from the rows left in.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from heapscope.predict.posterior import Array, Errors
from heapscope.predict.wifi_table import NO_PSRAM, Knobs, chips

BUFFER_KB = 1.6  # of a static buffer, by the guide; a heap block of 1,696 bytes holds one
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


def features(names: Sequence[str], terms: Sequence[Mapping[str, float]]) -> Array:
    """Terms as rows of a matrix, constants as columns."""
    index = {name: number for number, name in enumerate(names)}
    made = np.zeros((len(terms), len(names)))
    for row, each in enumerate(terms):
        for name, value in each.items():
            made[row, index[name]] = value
    return made
