"""The same transfers by studies/workloads/tenants: laws generate its memory, and not lwIP.

One connection sends 400 000 bytes and then receives as many; the generator's link has a round trip
of 40 ms and more, loses one segment in a hundred, and its application reads after about 4 ms.
"""

from __future__ import annotations

from pathlib import Path

from tenants.knobs import Knobs
from tenants.network import TCP_TIMER, Connection, Exchange, Network
from wifi.program import PHASES

from heapscope.forecast.predict.wifi_table import NO_PSRAM, WifiRow, ranks

__all__ = ["BESIDE", "LIKE_TENANTS", "tenants_trace"]

CHIP = "esp32"
BYTES = 400_000
SEED = 1
SECONDS = 120.0
OUT_OF_ORDER = 12  # the most that Kconfig allows; the tables' software had no limit

#: By name, the chip's ranks.
BESIDE: dict[str, WifiRow] = {
    row.id.removeprefix(f"{CHIP}-").replace("-", "_"): row
    for row in ranks()
    if row.knobs.group == f"{CHIP}.{NO_PSRAM}"
}

#: The generator's link in words of knobs.h: a round trip of 40 and, in the mean, 20 ms more.
LIKE_TENANTS = {
    "delay_us": 30_000,
    "lost": 100,
    "read_us": 4000,
    "out_of_order": OUT_OF_ORDER,
    "bytes": BYTES,
    "phases": 1 << PHASES.index("tcp_rx") | 1 << PHASES.index("tcp_tx"),
}


def knobs_of(row: WifiRow) -> Knobs:
    knobs = row.knobs
    return Knobs(
        static_rx=knobs.static_rx,
        dynamic_rx=knobs.dynamic_rx,
        dynamic_tx=knobs.tx_buffers,
        rx_ba_window=knobs.rx_ba_win,
        window=min(knobs.tcp_wnd, 65535),
        send_buffer=min(knobs.tcp_snd_buf, 65535),
        out_of_order=OUT_OF_ORDER,
    )


def tenants_trace(row: WifiRow, out: Path) -> str:
    network = Network(knobs_of(row), SEED)
    network.start()
    network.timer(TCP_TIMER)
    plan = [Exchange(0.0, BYTES, 100), Exchange(1000.0, 100, BYTES)]
    network.after(100.0, Connection(network, plan).begin)
    network.run(SECONDS * 1000)
    return network.record.write(
        out,
        program=f"workloads/tenants by wifi/beside.py, seed {SEED}",
        config=network.knobs.config(),
    )
