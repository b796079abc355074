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
    has_5_ghz: bool
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
    tx_ba_win: int = 32  # 0: AMPDU TX is off; the tables do not tell it
    single_core: bool = False  # one core of two is in use
    optimized: bool = False  # compiled for speed
    core_locking: bool = False  # of TCP/IP, in place of messages to its task
    year: float = 2020.55  # of the software, with the part of the year that had passed
    band_ghz: float = 2.4
    width_mhz: int = 0  # of the channel; 0: the one on which the chip is fastest
    streams: int = 1  # of TCP at the same time, each with a window of its own

    @property
    def group(self) -> str:
        return f"{self.chip}.{self.psram}"

    @property
    def cores(self) -> int:
        return 1 if self.single_core else chips()[self.chip].cores

    @property
    def send_kb(self) -> float:
        """All streams together."""
        return self.streams * min(self.tcp_snd_buf, _MAX_WINDOW) / 1024

    @property
    def window_kb(self) -> float:
        """All streams together."""
        return self.streams * min(self.tcp_wnd, _MAX_WINDOW) / 1024


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
            has_5_ghz="5" in row["bands_ghz"].split(),
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
def lab() -> tuple[WifiRow, ...]:
    """Best figures of known configurations outside the rank tables, of older and newer software. A
    check is of a row of the tables once more, rounded, or of an unknown place, tool or
    configuration: nothing learns from it."""
    return tuple(_row(row) for row in table("lab"))


@functools.cache
def home_year(chip: str) -> float | None:
    """The software of a chip's first rank table, or of its first other row; None: it has none."""
    rows = [row for row in (*ranks(), *lab()) if row.knobs.chip == chip]
    return rows[0].knobs.year if rows else None


def table(name: str) -> Iterator[dict[str, str]]:
    """data/wifi/NAME.csv."""
    file = resources.files("heapscope.data") / "wifi" / f"{name}.csv"
    return csv.DictReader(file.read_text(encoding="utf-8").splitlines())


def _row(row: dict[str, str]) -> WifiRow:
    static = not row["dynamic_tx"]  # both columns are in the rank tables alone
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
            dcache_kb=int(row.get("dcache_kb") or 0),
            mhz=int(row["mhz"]),
            tx_ba_win=int(row.get("tx_ba_win") or 32),
            optimized=row.get("optimized") == "1",
            core_locking=row.get("core_locking") == "1",
            year=_year(row["date"]),
            band_ghz=float(row.get("band_ghz") or 2.4),
        ),
        memory_kb=float(row["memory_kb"]) if row.get("memory_kb") else None,
        memory_computed=row.get("memory_kind") == "computed",
        throughput={metric: float(row[metric]) for metric in METRICS if row[metric]},
        source=row["source"],
    )


def _year(date: str) -> float:
    year, month = date.split("-")
    return int(year) + (int(month) - 0.5) / 12
