"""The cost of the steps: TCP on the simulated link, and 1 MB over TLS by an access-cost model.

An access to IRAM costs nothing more where it is an aligned word; any other traps, and the handler
takes up to so many cycles. How many accesses of each width the TLS client makes to each block was
counted (studies/workloads/tls/accesses.py) on a 32-bit build without wider instructions. Copies go
by words.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from heapscope_studies.captured import captured_file
from heapscope_studies.result import Column, Table
from heapscope_studies.wifi_path.measured import Link

COUNTED = "tls228_rsa_16k_2k_accesses.json"
CLOCKS = (160, 240)
_WORD, _COPIED = "4", "copied_bytes"


@dataclass(frozen=True, kw_only=True)
class SlowDown:
    """While 1 MB is received: accesses to the blocks in IRAM, and the time that they add."""

    words: int
    restricted: int
    copied: int  # bytes, by words
    cycles: int  # of a restricted access, at most

    def seconds(self, mhz: int) -> float:
        return self.restricted * self.cycles / (mhz * 1e6)


@dataclass(frozen=True, kw_only=True)
class Cost:
    """`low`, `high`: with other delays of the link, where there are such."""

    key: str
    what: str
    unit: str
    published: float
    computed: float
    low: float | None = None
    high: float | None = None


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


def throughput(link: Link, network: str) -> tuple[float, float, float]:
    """Mbit/s that the device receives through "default" or "minimal": with the delay of the ranks,
    then the least and the most with the other delays that were tried."""
    by_delay = {delay: mbit["tcp_rx"] for delay, mbit in link.ladder[network].items()}
    return by_delay[link.settings["delay_us"]], min(by_delay.values()), max(by_delay.values())


def costs(slow: SlowDown, link: Link, mhz: int, reported: Mapping[str, float]) -> tuple[Cost, ...]:
    built = []
    for name in ("default", "minimal"):
        computed, low, high = throughput(link, name)
        built.append(
            Cost(
                key=f"tcp_{name}_mbps",
                what=f"TCP, {name} network",
                unit="Mbit/s",
                published=reported[f"tcp_{name}"],
                computed=computed,
                low=low,
                high=high,
            )
        )
    for clock in sorted({mhz, *CLOCKS}):
        built.append(
            Cost(
                key="tls_slower_s" if clock == mhz else f"tls_slower_s_{clock}_mhz",
                what=f"1 MB over TLS, more with the buffers in IRAM, at {clock} MHz, at most",
                unit="s",
                published=reported["tls_iram"] - reported["tls_dram"],
                computed=slow.seconds(clock),
            )
        )
    return tuple(built)


def cost_table(priced: Sequence[Cost]) -> Table:
    return Table(
        key="costs",
        title="The cost of the steps",
        columns=(
            Column(key="what", heading="what", name=True),
            Column(key="unit", heading="unit", name=True),
            Column(key="published", heading="published", digits=1),
            Column(key="computed", heading="computed", digits=2),
            Column(key="difference", heading="difference", digits=2, signed=True),
            Column(key="low", heading="other delays\nfrom", digits=1),
            Column(key="high", heading="to", digits=1),
        ),
        rows=tuple(
            (c.what, c.unit, c.published, c.computed, c.computed - c.published, c.low, c.high)
            for c in priced
        ),
        notes=(
            "TCP: received on the simulated link of wifi-path, with the pace of the ESP32's best "
            "rank at the study's clock.",
        ),
    )
