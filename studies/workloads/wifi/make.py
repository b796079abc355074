"""Records the heap of a device on a simulated link: python studies/workloads/wifi/make.py [NAME...]

Each published rank without PSRAM in four transfers, TCP and UDP, to it and from it, on its chip's
processor as captured/wifi_link.json has it. And, for the ESP32's ranks, one TCP transfer each way
as studies/workloads/tenants has them, by lwIP (wifi_at_...) and by the generator (tenants_at_...).
"""

from __future__ import annotations

import json
import sys
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.commands import exit_with, make_traces
from tools.places import BUILD, CAPTURED
from tools.traces import compress
from wifi.beside import BESIDE, LIKE_TENANTS, tenants_trace
from wifi.measure import NAME
from wifi.plan import Words, rank_words, traced, traced_words
from wifi.program import simulate

from heapscope.forecast.predict.wifi_table import NO_PSRAM, WifiRow, ranks

__all__ = ["TRACES"]


def record(words: Words, out: Path) -> str:
    trace = BUILD / f"{out.name.partition('.')[0]}.hst"
    run = simulate(words, trace=trace)
    compress(trace, out)
    return ", ".join(f"{name} {phase.mbit:.1f} Mbit/s" for name, phase in run.phases.items())


def record_rank(row: WifiRow, out: Path) -> str:
    document = json.loads((CAPTURED / NAME).read_text("utf-8"))
    return record(traced_words(row, document["pace_ns"][row.knobs.group]), out)


def record_beside(row: WifiRow, out: Path) -> str:
    return record({**rank_words(row.knobs), **LIKE_TENANTS}, out)


TRACES = {
    **{traced(r): partial(record_rank, r) for r in ranks() if r.knobs.psram == NO_PSRAM},
    **{f"wifi_at_{name}": partial(record_beside, row) for name, row in BESIDE.items()},
    **{f"tenants_at_{name}": partial(tenants_trace, row) for name, row in BESIDE.items()},
}


def main() -> int:
    return make_traces(__doc__ or "", TRACES)


if __name__ == "__main__":
    exit_with(main)
