"""Measures the simulated link on a processor that is slower where code lies outside IRAM.

    python studies/workloads/wifi/placement.py [-o FILE.json] [--again RANK...]

The help of ESP-IDF's option LWIP_IRAM_OPTIMIZATION says that lwIP's code in IRAM gives more than
10 % of throughput on one core, and not much on two. A rank without it has its processor's time of a
frame 1.1 times as long as its table's best rank, which has it. Two more were tried, for which no
source gives a figure: the same on two cores, and for Wi-Fi's code as well. Half a minute on two
cores. With --again only these ranks, which are printed.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tools.commands import exit_with
from tools.places import CAPTURED
from wifi.measure import BACK_OFF, BACK_OFF_PLACES, NAME, sent_with
from wifi.plan import BEST, TRIALS, only, pace_words, rank_words
from wifi.program import PHASES, program, simulate

from heapscope.forecast.predict.wifi_table import WifiRow, ranks
from heapscope.memory.layout.chips import load_chip

__all__ = ["CODE", "FACTOR", "VARIANTS", "factor"]

CODE = "wifi_code.json"
FACTOR = 1.1
SENT = "udp_tx"

Counts = Callable[[WifiRow, WifiRow], int]


def lwip_on_one_core(row: WifiRow, best: WifiRow) -> int:
    return lwip(row, best) if load_chip(row.knobs.chip).data.cores == 1 else 0


def lwip(row: WifiRow, best: WifiRow) -> int:
    return int(best.knobs.lwip_iram and not row.knobs.lwip_iram)


def lwip_and_wifi(row: WifiRow, best: WifiRow) -> int:
    had = best.knobs.wifi_iram + best.knobs.wifi_rx_iram
    return lwip_on_one_core(row, best) + had - row.knobs.wifi_iram - row.knobs.wifi_rx_iram


#: How many kinds of code a rank has outside IRAM that its table's best rank has there.
VARIANTS: Mapping[str, Counts] = {
    "lwip": lwip_on_one_core,
    "lwip_two_cores": lwip,
    "lwip_and_wifi": lwip_and_wifi,
}


def factor(variant: str, row: WifiRow) -> float:
    """The time of a frame, as a multiple of the best rank's."""
    return float(FACTOR ** VARIANTS[variant](row, BEST[row.knobs.group]))


def measured(requested: tuple[str, WifiRow]) -> dict[str, Any]:
    """Mbit/s: by metric with a sender that asks for a buffer first, and UDP as iperf sends it."""
    variant, row = requested
    link, back_off = (json.loads((CAPTURED / name).read_text("utf-8")) for name in (NAME, BACK_OFF))
    slower = factor(variant, row)
    pace = {metric: round(ns * slower) for metric, ns in link["pace_ns"][row.knobs.group].items()}
    run = simulate({**rank_words(row.knobs), **pace_words(pace), **TRIALS, **only(*PHASES)})
    result: dict[str, Any] = {metric: round(run.phases[metric].mbit, 3) for metric in PHASES}
    for place, value in BACK_OFF_PLACES.items():
        own = round(back_off[place]["pace_ns"][row.knobs.group] * slower)
        result[place] = sent_with({"back_off": value}, row, own)
    return result


def all_measured(names: list[str]) -> dict[str, dict[str, Any]]:
    """By variant and rank, those that are slower by it. `names`: none for all."""
    built: dict[str, dict[str, Any]] = {}
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for variant in VARIANTS:
            rows = [
                row
                for row in ranks()
                if factor(variant, row) > 1 and (not names or row.id in names)
            ]
            result = pool.map(measured, map(partial(_pair, variant), rows))
            built[variant] = {row.id: one for row, one in zip(rows, result, strict=True)}
    return built


def _pair(variant: str, row: WifiRow) -> tuple[str, WifiRow]:
    return variant, row


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, default=CAPTURED / CODE)
    parser.add_argument("--again", nargs="+", metavar="RANK", choices=[row.id for row in ranks()])
    chosen = parser.parse_args()
    program()  # compiled once, before threads ask for it
    if chosen.again:
        print(json.dumps(all_measured(chosen.again)))
        return 0
    document = {
        "heapscope_wifi_code": 1,
        "made_by": "python studies/workloads/wifi/placement.py",
        "factor": FACTOR,
        "variants": all_measured([]),
    }
    chosen.out.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    exit_with(main)
