"""The cost of the steps: TCP by the throughput model, and 1 MB over TLS by an access-cost model.

An access to IRAM costs nothing more where it is an aligned word; any other traps, and the handler
takes up to so many cycles. How many accesses of each width the TLS client makes to each block was
counted (studies/workloads/tls/accesses.py) on a 32-bit build without wider instructions. Copies go
by words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from heapscope.config.config import settle
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.forecast import Forecast, forecast
from heapscope.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.predict.memory_states import MemoryModel
from heapscope_studies.captured import captured_file
from heapscope_studies.tls_ladder.steps import MINIMAL

COUNTED = "tls228_rsa_16k_2k_accesses.json"
CLOCKS = (160, 240)
_WORD, _COPIED = "4", "copied_bytes"
_BASE = settle((), chip="esp32", sdk="4.2")


@dataclass(frozen=True, kw_only=True)
class SlowDown:
    """While 1 MB is received: accesses to the blocks in IRAM, and the time that they add."""

    words: int
    restricted: int
    copied: int  # bytes, by words
    cycles: int  # of a restricted access, at most

    def seconds(self, mhz: int) -> float:
        return self.restricted * self.cycles / (mhz * 1e6)


def read_counted() -> dict[str, Any]:
    """InputError: this installation lacks the file."""
    document: dict[str, Any] = json.loads(captured_file(COUNTED).read_text(encoding="utf-8"))
    return document


def slow_down(counted: Mapping[str, Any], *, smallest: int, cycles: int) -> SlowDown:
    """`smallest`: blocks of so many bytes and more are in IRAM. `cycles`: of a restricted access.
    Scaled to 1 MB where the count is of another amount."""
    sums: dict[str, int] = {}
    for site in counted["sites"]:
        if site["size"] < smallest:
            continue
        for way in ("read", "written"):
            for width, count in site["transfer"][way].items():
                sums[width] = sums.get(width, 0) + count
    scale = (1 << 20) / counted["received_bytes"]
    copied = sums.pop(_COPIED, 0)
    words = sums.pop(_WORD, 0)
    return SlowDown(
        words=round(words * scale),
        restricted=round(sum(sums.values()) * scale),
        copied=round(copied * scale),
        cycles=cycles,
    )


def throughputs(mhz: int) -> tuple[Forecast, Forecast]:
    """The throughputs of the default network and the minimal one, on a single core."""
    base = _BASE.changed_to({"FREERTOS_UNICORE": True, f"ESP_DEFAULT_CPU_FREQ_MHZ_{mhz}": True})
    before, after = base, base.changed_to(MINIMAL)
    said, then = (
        forecast(
            MemoryModel(scene=MemoryScene(config=config, minor=minor_of_config(config, "4.2"))),
            knobs_of(config, idf="4.2"),
        )
        for config in (before, after)
    )
    return said, then
