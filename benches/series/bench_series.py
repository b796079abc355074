"""How often `heapscope.answers.series` is right about simulated series, how honest its risk is, and
how good its dates are. Another seed: --seed N."""

from __future__ import annotations

import sys
import time
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
from fit_weights import as_series, known
from simulated import Simulated

from heapscope.answers.series.judge import DYING, SeriesVerdict, judge_series
from heapscope.answers.series.samples import HeapSeries
from heapscope.answers.series.weighed import FRAGMENTATION, LEAK, MODELS, STABLE

SERIES = 2000
RISKS = (0, 0.02, 0.1, 0.25)

Judged = tuple[Simulated, SeriesVerdict]


def judged(seed: int, kind: str) -> list[Judged]:
    pairs = ((one, as_series(one, kind)) for one in known(seed, SERIES))
    return [(one, judge_series(series)) for one, series in pairs if series is not None]


def percent(part: int, whole: int) -> str:
    return f"{100 * part / whole:.1f}" if whole else "-"


def verdicts(kind: str, results: Sequence[Judged]) -> str:
    dying = [told.verdict == one.truth for one, told in results if one.truth != STABLE]
    alarms = [told.verdict in DYING for one, told in results if one.truth == STABLE]
    called = [told.verdict in (*DYING, "unknown") for one, told in results if one.truth != STABLE]
    return (
        f"| {kind} | {len(results)} | {percent(sum(dying), len(dying))} "
        f"| {percent(len(called) - sum(called), len(called))} "
        f"| {percent(sum(alarms), len(alarms))} |"
    )


def risks(results: Sequence[Judged]) -> None:
    print("\n| risk of an alarm | alarms | mean risk | wrong |\n| --- | --- | --- | --- |")
    alarms = [
        (told.risk, told.verdict != one.truth) for one, told in results if told.verdict in DYING
    ]
    for low, high in pairwise(RISKS):
        part = [(risk, wrong) for risk, wrong in alarms if low <= risk < high]
        mean = float(np.mean([risk for risk, _ in part])) if part else 0.0
        wrong = percent(sum(wrong for _, wrong in part), len(part))
        print(f"| {low} to {high} | {len(part)} | {100 * mean:.1f} % | {wrong} % |")


def dates(results: Sequence[Judged]) -> None:
    print("\n| kind | dates | within 30 % | within a factor of 2 | in the interval |")
    print("| --- | --- | --- | --- | --- |")
    for kind in (LEAK, FRAGMENTATION):
        pairs = [
            (one.stops, until)
            for one, told in results
            if told.verdict == kind == one.truth and one.stops
            if (until := told.until(int(one.need))) is not None
        ]
        near = sum(abs(until.value - stops) <= 0.3 * stops for stops, until in pairs)
        twice = sum(stops / 2 <= until.value <= 2 * stops for stops, until in pairs)
        inside = sum(until.low <= stops <= until.high for stops, until in pairs)
        parts = [percent(part, len(pairs)) for part in (near, twice, inside)]
        print(f"| {kind} | {len(pairs)} | {' | '.join(parts)} |")


def walks(seed: int) -> None:
    """Levels that go up and down at random, and levels of which neighbours are alike to 0.9."""
    rng = np.random.default_rng(seed)
    print("\n| levels | series | called dying |\n| --- | --- | --- |")
    for name in ("a walk at random", "the same, without the largest block", "alike to 0.9"):
        told = [judge_series(_walk(rng, name)).verdict in DYING for _ in range(SERIES // 2)]
        print(f"| {name} | {len(told)} | {percent(sum(told), len(told))} % |")


def _walk(rng: np.random.Generator, name: str) -> HeapSeries:
    """12 to 1000 lines, a minute apart."""
    count = int(np.exp(rng.uniform(np.log(12), np.log(1000))))
    size = np.exp(rng.uniform(np.log(50), np.log(1000)))
    steps = rng.normal(size=count)
    if name == "alike to 0.9":
        powers = 0.9 ** np.arange(200)
        levels = 10 * size * np.convolve(steps, powers)[:count] * 0.44
    else:
        levels = size * np.cumsum(steps)
    free = np.clip(90_000 + levels, 1000, 150_000)
    alone = name.endswith("block")
    return HeapSeries(
        seconds=np.arange(count) * 60.0, free=free, largest=None if alone else 0.8 * free
    )


def main(seed: int = 2) -> None:
    print(
        f"seed {seed}\n\n| figures | series | dying right | dying called still | alarms of stable |"
    )
    print("| --- | --- | --- | --- | --- |")
    results = []
    for kind in reversed(MODELS):
        began = time.perf_counter()
        results = judged(seed, kind)
        print(verdicts(kind, results))
        spent = time.perf_counter() - began
    risks(results)
    dates(results)
    walks(seed)
    print(f"\n{1000 * spent / SERIES:.1f} ms a series, with its drawing")


if __name__ == "__main__":
    main(*map(int, sys.argv[2:3]))
