"""Measures the simulated link.

    python studies/workloads/wifi/measure.py [-o FILE.json] [--again RANK...] [--back-off]

Throughput and heap of every published rank, and of what plan.py changes one at a time. A table's
processor is found from its best rank: the time of a frame with which that rank's published
throughput comes out, for each of the four metrics. About two minutes on two cores. With --again
only these ranks, on the processors that the captured file has; they are printed. With --back-off
UDP is sent as ESP-IDF's iperf sends it, which waits longer each time that it finds no buffer; the
throughput of each rank goes into a file of its own.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from tenants import sizes
from tools.commands import exit_with
from tools.places import CAPTURED
from wifi.plan import (
    BASE,
    BEST,
    DELAYS,
    LADDER,
    LINK,
    SEEDS,
    SWEEPS,
    TRIALS,
    Words,
    ladder_words,
    only,
    pace_words,
    rank_words,
    traced_words,
)
from wifi.program import PHASES, Phase, Run, program, simulate
from wifi.sources import PACKAGE, VERSION

from heapscope.forecast.predict.wifi_table import METRICS, NO_PSRAM, WifiRow, ranks

__all__ = ["NAME", "find_pace", "measured", "rank_figures"]

NAME = "wifi_link.json"
BACK_OFF = "wifi_back_off.json"
BACK_OFF_PLACES = {"behind": 1, "before": 2}  # values of the knob
NEAR, FAR = 0.002, 0.03  # shares of the published throughput: found, not to be found
ROUNDS = 14
#: The same for a sender that backs off: it sleeps whole ticks as soon as the processor is faster
#: than the air, so that its throughput leaps there.
LEAP = 0.15

Pace = Mapping[str, int]


def find_pace(row: WifiRow, metric: str, words: Words, far: float = FAR) -> int:
    """Nanoseconds of a frame with which this throughput comes out, or the nearest of those tried;
    0: the link alone is slower. RuntimeError: none is as near as `far`."""
    goal = 1 / row.throughput[metric]
    nearest = (float("inf"), 0)

    def excess(pace: int) -> float:
        nonlocal nearest
        run = simulate({**words, **only(metric), **TRIALS, f"{metric}_ns": pace})
        result = 1 / run.phases[metric].mbit / goal - 1
        nearest = min(nearest, (abs(result), pace))
        return result

    low, high = 0, round(goal * 8 * 1440 * 1000)
    at_low, at_high = excess(low), excess(high)
    if at_low >= 0:
        return 0
    while at_high < 0:
        high, at_high = 2 * high, excess(2 * high)
    for number in range(ROUNDS):  # by turns along the line between the two, and halfway
        along = low - at_low * (high - low) / (at_high - at_low)
        middle = round(along) if number % 2 == 0 else (low + high) // 2
        at = excess(middle)
        if abs(at) < NEAR:
            return middle
        if at < 0:
            low, at_low = middle, at
        else:
            high, at_high = middle, at
    off, pace = nearest
    if off > far:
        raise RuntimeError(f"{row.id}: no processor has the published {metric}; nearest {off:.1%}")
    return pace


def paces(
    pool: ThreadPoolExecutor, metrics: Iterable[str], extra: Words, far: float = FAR
) -> dict[str, dict[str, int]]:
    results = [(group, metric) for group in BEST for metric in metrics]
    result = pool.map(
        lambda one: find_pace(
            BEST[one[0]], one[1], {**rank_words(BEST[one[0]].knobs), **extra}, far
        ),
        results,
    )
    built: dict[str, dict[str, int]] = {group: {} for group in BEST}
    for (group, metric), pace in zip(results, result, strict=True):
        built[group][metric] = pace
    return built


# ---- what is written ----------------------------------------------------------------------------


def figures(phase: Phase) -> dict[str, Any]:
    """Bytes; `peak`: of the device's heap, beyond what it held before the phase."""
    reported = phase.figures
    return {
        "mbit": round(phase.mbit, 3),
        "peak": reported["peak"] - reported["before"],
        **{
            name: reported[name]
            for name in ("no_static", "no_dynamic", "no_transmit", "rx_at_once", "tx_at_once")
        },
    }


def rank_figures(row: WifiRow, pace: Pace) -> dict[str, Any]:
    run = simulate({**rank_words(row.knobs), **pace_words(pace), **TRIALS})
    return {phase: figures(run.phases[phase]) for phase in PHASES}


def structures() -> dict[str, dict[str, int]]:
    """Bytes of lwIP's structures, as compiled here and as ../tenants adds them up."""
    generated = {
        "pbuf": sizes.PBUF,
        "tcp_seg": sizes.SEGMENT,
        "tcp_pcb": sizes.TCP_PCB,
        "sys_timeo": sizes.TIMER,
    }
    compiled = simulate({"bytes": 1440, **only("tcp_rx")}).sizes
    return {name: {"lwip": compiled[name], "tenants": size} for name, size in generated.items()}


def tcp_mbit(row: WifiRow, pace: Pace, delay: int) -> dict[str, float]:
    tcp = tuple(metric for metric in METRICS if metric.startswith("tcp"))
    words = {f"{metric}_ns": pace[metric] for metric in tcp}
    run = simulate({**rank_words(row.knobs), **words, **TRIALS, **only(*tcp), "delay_us": delay})
    return {metric: round(run.phases[metric].mbit, 3) for metric in tcp}


def ladder(pace: Pace) -> dict[str, dict[str, dict[str, float]]]:
    """Throughput of TCP through the ladder's two networks, by the delay behind the access point."""
    tcp = only(*(metric for metric in METRICS if metric.startswith("tcp")))
    result: dict[str, dict[str, dict[str, float]]] = {}
    for name, knobs in LADDER.items():
        for delay in DELAYS:
            run = simulate({**ladder_words(knobs, pace), **TRIALS, **tcp, "delay_us": delay})
            mbit = {metric: round(one.mbit, 3) for metric, one in run.phases.items()}
            result.setdefault(name, {})[str(delay)] = mbit
    return result


def joined(runs: list[Run], phase: str) -> dict[str, float]:
    """Throughput of all runs, one after the other; the highest peak."""
    results = [run.phases[phase] for run in runs]
    seconds = sum(one.figures["ns"] for one in results) / 1e9
    bits = 8 * sum(one.figures["bytes"] for one in results)
    return {
        "mbit": round(bits / seconds / 1e6, 3) if seconds else 0.0,
        "peak": max(figures(one)["peak"] for one in results),
    }


def swept(name: str, pace: Pace, pool: ThreadPoolExecutor) -> list[dict[str, Any]]:
    """A curve for each case and phase."""
    sweep = SWEEPS[name]
    built = []
    for case, words in sweep.cases.items():
        points = []
        for value in sweep.values:
            own = {sweep.name: value}
            if sweep.name == "window":
                own["send_buffer"] = value
            all_words = {**rank_words(BASE.knobs), **pace_words(pace), **words, **own}
            chance = all_words.get("lost", 0) + all_words.get("errors", 0) > 0
            size = {"bytes": TRIALS["bytes"] // (4 if all_words["delay_us"] > 1000 else 1)}
            seeds = SEEDS if chance else SEEDS[:1]
            points.append([{**all_words, **size, **only(*sweep.phases), "seed": s} for s in seeds])
        runs = [list(pool.map(simulate, point)) for point in points]
        for phase in sweep.phases:
            curve = [joined(run, phase) for run in runs]
            built.append(
                {
                    "case": case,
                    "phase": phase,
                    "x": list(sweep.values),
                    **{what: [point[what] for point in curve] for what in ("mbit", "peak")},
                }
            )
    return built


def measured() -> dict[str, Any]:
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        pace = paces(pool, METRICS, {})
        rows = ranks()
        result = pool.map(lambda row: rank_figures(row, pace[row.knobs.group]), rows)
        other = {}
        for delay in DELAYS:
            if delay != LINK["delay_us"]:
                own = paces(pool, ("tcp_tx", "tcp_rx"), {"delay_us": delay})
                tried = pool.map(
                    lambda row, own=own, delay=delay: tcp_mbit(row, own[row.knobs.group], delay),
                    rows,
                )
                other[str(delay)] = {row.id: one for row, one in zip(rows, tried, strict=True)}
        return {
            "heapscope_wifi_link": 1,
            "made_by": "python studies/workloads/wifi/measure.py",
            "program": f"lwIP {VERSION} (Debian's source package {PACKAGE}), 32-bit, twice",
            "link": dict(LINK),
            "bytes": dict(TRIALS)["bytes"],
            "sizes": structures(),
            "pace_ns": pace,
            "best": {group: row.id for group, row in BEST.items()},
            "ranks": {row.id: one for row, one in zip(rows, result, strict=True)},
            "traced": {
                row.id: {phase: figures(run.phases[phase])["peak"] for phase in PHASES}
                for row in rows
                if row.knobs.psram == NO_PSRAM
                for run in [simulate(traced_words(row, pace[row.knobs.group]))]
            },
            "delays": other,
            "ladder": ladder(pace[BASE.knobs.group]),
            "sweeps": {name: swept(name, pace[BASE.knobs.group], pool) for name in SWEEPS},
        }


def sent_with(extra: Words, row: WifiRow, pace: int) -> float:
    """Mbit/s of UDP to the other side."""
    words = {**rank_words(row.knobs), **TRIALS, **extra, "udp_tx_ns": pace, **only("udp_tx")}
    return round(simulate(words).phases["udp_tx"].mbit, 3)


def backed_off() -> dict[str, Any]:
    """UDP to the other side, sent as ESP-IDF's iperf sends it: by rank, Mbit/s. The processor's
    time of a frame lies behind the driver's buffers, or before them."""
    built: dict[str, Any] = {
        "heapscope_wifi_back_off": 1,
        "made_by": "python studies/workloads/wifi/measure.py --back-off",
    }
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        for place, value in BACK_OFF_PLACES.items():
            extra = {"back_off": value}
            result = paces(pool, ("udp_tx",), extra, LEAP)
            pace = {group: each["udp_tx"] for group, each in result.items()}
            mbit = pool.map(
                lambda row, extra=extra, pace=pace: sent_with(extra, row, pace[row.knobs.group]),
                ranks(),
            )
            ranked = dict(zip((row.id for row in ranks()), mbit, strict=True))
            built[place] = {"pace_ns": pace, "ranks": ranked}
    return built


def backed_off_again(names: list[str]) -> dict[str, dict[str, float]]:
    document = json.loads((CAPTURED / BACK_OFF).read_text("utf-8"))
    return {
        place: {
            row.id: sent_with({"back_off": value}, row, document[place]["pace_ns"][row.knobs.group])
            for row in ranks()
            if row.id in names
        }
        for place, value in BACK_OFF_PLACES.items()
    }


def again(names: list[str]) -> dict[str, dict[str, Any]]:
    pace = json.loads((CAPTURED / NAME).read_text("utf-8"))["pace_ns"]
    chosen = (row for row in ranks() if row.id in names)
    return {row.id: rank_figures(row, pace[row.knobs.group]) for row in chosen}


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("-o", "--out", type=Path, default=CAPTURED / NAME)
    parser.add_argument("--again", nargs="+", metavar="RANK", choices=[row.id for row in ranks()])
    parser.add_argument("--back-off", action="store_true", help="UDP as ESP-IDF's iperf sends it")
    chosen = parser.parse_args()
    program()  # compiled once, before threads ask for it
    if chosen.again:
        print(json.dumps((backed_off_again if chosen.back_off else again)(chosen.again)))
        return 0
    if chosen.back_off:
        text = json.dumps(backed_off(), indent=1) + "\n"
        (CAPTURED / BACK_OFF).write_text(text, encoding="utf-8")
        return 0
    chosen.out.write_text(json.dumps(measured(), indent=1) + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    exit_with(main)
