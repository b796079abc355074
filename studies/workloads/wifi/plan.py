"""The plan of the runs: the published ranks, and options that are changed one at a time."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from tenants import session
from tenants.knobs import Knobs as Tenants
from wifi.program import PHASES

from heapscope.forecast.predict.wifi_table import METRICS, Knobs, WifiRow, ranks

__all__ = [
    "BASE",
    "BEST",
    "DELAYS",
    "LADDER",
    "LINK",
    "SEEDS",
    "SWEEPS",
    "TRIALS",
    "Words",
    "ladder_words",
    "only",
    "pace_words",
    "rank_words",
    "traced",
    "traced_words",
]

Words = Mapping[str, int]

#: The link of the ranks. 802.11n, 40 MHz, short guard interval, one stream: 150 Mbit/s; DIFS 28 us
#: and 7.5 slots of 9 us; the preamble of a mixed-format frame; SIFS 10 us and a block
#: acknowledgement of 32 us. The delay behind the access point is the one figure chosen by the
#: published throughputs, of DELAYS.
LINK: Words = {
    "rate_kbps": 150_000,
    "access_ns": 95_500,
    "preamble_ns": 36_000,
    "ack_ns": 42_000,
    "queue": 256,
    "driver_percent": 30,
    "delay_us": 1000,
}
#: Delays that were tried, one way.
DELAYS = (250, 500, 1000, 1500)

#: The row of each chip, with its PSRAM, that tells how fast its processor is.
BEST: dict[str, WifiRow] = {}
for _row in ranks():
    BEST.setdefault(_row.knobs.group, _row)

#: The two networks of the published ladder of options, whose clock is lower than the ranks' one.
LADDER: Mapping[str, Tenants] = {"default": session.DEFAULT, "minimal": session.MINIMAL}
RANKS_MHZ, LADDER_MHZ = 240, 160

BYTES = 2_000_000  # of each phase, where throughput is measured
TRACED_BYTES = 100_000  # where a trace is made: a window is full long before
TRIALS = {"bytes": BYTES}

#: The rank from which the following go, on its chip's processor.
BASE = next(row for row in ranks() if row.id == "esp32-default")
SEEDS = (1, 2, 3, 4, 5)  # where packets are lost by chance: all of these


@dataclass(frozen=True)
class Sweep:
    """Every value of `name`, under each of `cases`."""

    name: str
    values: tuple[int, ...]
    cases: Mapping[str, Words]
    phases: tuple[str, ...]


_WINDOWS = (2880, 5760, 8640, 11520, 17280, 23040, 34560, 46080, 65535)
_ROUND_TRIPS = {"round trip 2 ms": 1000, "20 ms": 10_000, "80 ms": 40_000}
_LOSSES = {"": 0, ", 1 % lost": 100}
_TCP = ("tcp_rx", "tcp_tx")

SWEEPS: dict[str, Sweep] = {
    "window": Sweep(
        "window",
        _WINDOWS,
        {
            f"{trip}{loss}": {"delay_us": delay, "lost": lost}
            for trip, delay in _ROUND_TRIPS.items()
            for loss, lost in _LOSSES.items()
        },
        _TCP,
    ),
    "lost": Sweep(
        "lost",
        (0, 10, 30, 100, 200, 300),
        {f"window {size}": {"window": size, "send_buffer": size} for size in (5760, 20480, 65535)},
        _TCP,
    ),
    "errors": Sweep(
        "errors",
        (0, 100, 300, 1000, 2000, 3000),
        {"": {}, ", no aggregates": {"block_ack": 0}},
        PHASES,
    ),
    "block_ack": Sweep("block_ack", (0, 2, 4, 6, 8, 12, 16, 24, 32), {"": {}}, PHASES),
    "static_rx": Sweep(
        "static_rx",
        (2, 3, 4, 6, 8, 10, 16, 25),
        {"": {}, ", block ack 32": {"block_ack": 32}},
        ("tcp_rx", "udp_rx"),
    ),
    "dynamic_rx": Sweep(
        "dynamic_rx",
        (4, 6, 8, 12, 16, 20, 32, 64),
        {
            "": {},
            ", window 65535": {"window": 65535},
            ", window 65535, 4 out of order": {"window": 65535, "out_of_order": 4},
            ", window 65535, 1 % lost": {"window": 65535, "lost": 100},
        },
        ("tcp_rx", "udp_rx"),
    ),
    "tx_buffers": Sweep(
        "tx_buffers",
        (1, 2, 4, 6, 8, 12, 16, 20, 32, 64),
        {"": {}, ", send buffer 65535": {"send_buffer": 65535}},
        ("tcp_tx", "udp_tx"),
    ),
}


def rank_words(knobs: Knobs) -> dict[str, int]:
    return {
        **LINK,
        "window": min(knobs.tcp_wnd, 65535),  # what TCP can announce
        "send_buffer": min(knobs.tcp_snd_buf, 65535),
        "static_rx": knobs.static_rx,
        "dynamic_rx": knobs.dynamic_rx,
        "tx_buffers": knobs.tx_buffers,
        "tx_static": int(knobs.tx_static),
        "block_ack": knobs.rx_ba_win,
    }


def traced_words(row: WifiRow, pace: Mapping[str, int]) -> dict[str, int]:
    return {**rank_words(row.knobs), **pace_words(pace), "bytes": TRACED_BYTES}


def ladder_words(knobs: Tenants, pace: Mapping[str, int]) -> dict[str, int]:
    """`pace`: of a frame, by metric, at the ranks' clock."""
    slower = {metric: one * RANKS_MHZ // LADDER_MHZ for metric, one in pace.items()}
    return {
        **LINK,
        "window": knobs.window,
        "send_buffer": knobs.send_buffer,
        "static_rx": knobs.static_rx,
        "dynamic_rx": knobs.dynamic_rx,
        "tx_buffers": knobs.dynamic_tx,
        "tx_static": 0,
        "block_ack": knobs.rx_ba_window,
        **pace_words(slower),
    }


def only(*phases: str) -> dict[str, int]:
    return {"phases": sum(1 << PHASES.index(phase) for phase in phases)}


def pace_words(pace: Mapping[str, int]) -> dict[str, int]:
    """`pace`: of a frame, by metric."""
    return {f"{metric}_ns": pace[metric] for metric in METRICS}


def traced(row: WifiRow) -> str:
    """The name of a rank's trace."""
    return f"wifi_{row.id.replace('-', '_')}"
