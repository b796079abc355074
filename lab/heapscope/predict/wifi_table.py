"""Published configurations of Wi-Fi with what was measured on them, and the chips.

Ships with the package (data/wifi): a mistake there is a fault of Heapscope, and shows as KeyError
or ValueError, and in the tests.
"""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import resources

#: Throughputs, Mbit/s; the direction is the device's.
METRICS = ("tcp_tx", "tcp_rx", "udp_tx", "udp_rx")
NO_PSRAM = "none"

_MAX_WINDOW = 65535  # bytes: what TCP can announce without scaling


@dataclass(frozen=True, kw_only=True)
class WifiChip:
    name: str
    mhz: int  # the clock of the published tables: the chip's highest
    cores: int
    psram: tuple[str, ...]  # kinds, NO_PSRAM among them
    iram_kb: tuple[int, int, int]  # code moved to IRAM by the options of Wi-Fi, its RX, lwIP
    icache_kb: int
    empty_heap_kb: float  # free heap of an empty program, default options
    source: str


@dataclass(frozen=True, kw_only=True)
class Knobs:
    """The options on which Wi-Fi throughput and memory depend. Buffers are counted, windows are in
    bytes, caches in KB (0: not known). `dynamic_rx` 0: no limit; `rx_ba_win` 0: AMPDU RX is off."""

    chip: str
    psram: str
    static_rx: int
    dynamic_rx: int
    tx_buffers: int
    tx_static: bool
    rx_ba_win: int
    tcp_snd_buf: int
    tcp_wnd: int
    wifi_iram: bool = True
    wifi_rx_iram: bool = True
    lwip_iram: bool = True
    icache_kb: int = 0
    dcache_kb: int = 0
    mhz: int = 0  # 0: the chip's highest
    generation: float = 0.0  # software: 0 that of the tables, 1 that of December 2024 and later

    @property
    def group(self) -> str:
        return f"{self.chip}.{self.psram}"

    @property
    def send_kb(self) -> float:
        return min(self.tcp_snd_buf, _MAX_WINDOW) / 1024

    @property
    def window_kb(self) -> float:
        return min(self.tcp_wnd, _MAX_WINDOW) / 1024


@dataclass(frozen=True, kw_only=True)
class WifiRow:
    """One published configuration. `memory_kb` None: not published; computed ones were not measured
    but derived by the publisher. `throughput` by metric, Mbit/s."""

    id: str
    label: str
    date: str  # of the software, YYYY-MM
    kind: str  # rank, best, check
    knobs: Knobs
    memory_kb: float | None
    memory_computed: bool
    throughput: Mapping[str, float]
    source: str


@functools.cache
def chips() -> Mapping[str, WifiChip]:
    return {
        row["chip"]: WifiChip(
            name=row["chip"],
            mhz=int(row["mhz"]),
            cores=int(row["cores"]),
            psram=tuple(row["psram"].split()),
            iram_kb=(int(row["iram_wifi_kb"]), int(row["iram_rx_kb"]), int(row["iram_lwip_kb"])),
            icache_kb=int(row["icache_kb"]),
            empty_heap_kb=float(row["empty_heap_kb"]),
            source=row["source"],
        )
        for row in table("chips")
    }


@functools.cache
def ranks() -> tuple[WifiRow, ...]:
    """The rank tables: 40 rows, each table's best row (Iperf) first."""
    return tuple(_row(row) for row in table("ranks"))


@functools.cache
def later() -> tuple[WifiRow, ...]:
    """Best figures of known configurations outside the rank tables, most of later software."""
    return tuple(_row(row) for row in table("later"))


def table(name: str) -> Iterator[dict[str, str]]:
    """data/wifi/NAME.csv."""
    file = resources.files("heapscope.data") / "wifi" / f"{name}.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


def _row(row: dict[str, str]) -> WifiRow:
    static = not row["dynamic_tx"]
    return WifiRow(
        id=row["id"],
        label=row["label"],
        date=row["date"],
        kind=row["kind"],
        knobs=Knobs(
            chip=row["chip"],
            psram=row["psram"],
            static_rx=int(row["static_rx"]),
            dynamic_rx=int(row["dynamic_rx"]),
            tx_buffers=int(row["static_tx"] if static else row["dynamic_tx"]),
            tx_static=static,
            rx_ba_win=int(row["rx_ba_win"]),
            tcp_snd_buf=int(row["tcp_snd_buf"]),
            tcp_wnd=int(row["tcp_wnd"]),
            wifi_iram=row["wifi_iram_opt"] != "0",  # "": not in that table, where it is on
            wifi_rx_iram=row["wifi_rx_iram_opt"] != "0",
            lwip_iram=row["lwip_iram_opt"] != "0",
            icache_kb=int(row["icache_kb"] or 0),
            dcache_kb=int(row["dcache_kb"] or 0),
            mhz=int(row["mhz"]),
            generation=1.0 if row["date"] >= LATER_FROM else 0.0,
        ),
        memory_kb=float(row["memory_kb"]) if row["memory_kb"] else None,
        memory_computed=row["memory_kind"] == "computed",
        throughput={metric: float(row[metric]) for metric in METRICS if row[metric]},
        source=row["source"],
    )


#: Software from here on was measured to be faster than that of the tables.
LATER_FROM = "2024-12"
