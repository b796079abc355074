"""Every constant of the ladder, with its source. None comes from a text that quotes the study."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from heapscope.forecast.predict.part_table import memory_table

#: The part of predict that is the driver's own structures: how many, and the size of one.
_DRIVER, _BLOCK = "wifi-state", re.compile(r"block\((\d+)\)")


@dataclass(frozen=True, kw_only=True)
class Constant:
    value: int
    what: str
    source: str


def _driver_state() -> int:
    part = next(row for row in memory_table("parts") if row["id"] == _DRIVER)
    size = _BLOCK.fullmatch(part["bytes"])
    assert size is not None
    return int(part["count"]) * int(size[1])


CONSTANTS: Mapping[str, Constant] = {
    "driver_state": Constant(
        value=_driver_state(),
        what="structures of the Wi-Fi driver, which the generator does not make",
        source="the part of heapscope predict: what Wi-Fi's start takes, less the known parts",
    ),
    "clock_mhz": Constant(
        value=160, what="clock, MHz", source="CONFIG_ESP32_DEFAULT_CPU_FREQ_MHZ (4.2)"
    ),
    "restricted_cycles": Constant(
        value=167,
        what="cycles of a load or store in IRAM that is not an aligned word, at most",
        source="help of CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY: an upper bound",
    ),
}


def values() -> dict[str, int]:
    return {name: constant.value for name, constant in CONSTANTS.items()}
