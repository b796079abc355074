"""The ends that `replay --repeat` gives beside those of whole runs.

    .venv/bin/python benches/bench_lifetime.py [SEEDS]

Programs of going_on.py, each with a fault, are recorded for a fortieth of the time and played on;
then they are replayed whole. A row: the fault, its ends, and how many lie within 20 %. The last
line is the speed.
"""

from __future__ import annotations

import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from going_on import HZ, ROUND, Program, write
from machine import cpu

import heapscope

LONGER = 40


def every(rounds: int, size: int) -> Callable[[Program], None]:
    def fault(program: Program) -> None:
        if program.round % rounds == rounds - 1:
            program.take(size, site=4)

    return fault


def by_chance(chance: float, *sizes: int) -> Callable[[Program], None]:
    def fault(program: Program) -> None:
        if program.draw.random() < chance:
            program.take(program.draw.choice(sizes), site=4)

    return fault


#: The faults by name, each with the pool and the rounds that are recorded.
FAULTS = {
    "100 B every 20 rounds": (every(20, 100), 44_000, 200),
    "16 B every 3 rounds": (every(3, 16), 44_000, 300),
    "16, 40 or 80 B, a round in 2": (by_chance(0.5, 16, 40, 80), 100_000, 400),
    "16, 40 or 80 B, a round in 10": (by_chance(0.1, 16, 40, 80), 44_000, 400),
    "12 B, a round in 50": (by_chance(0.02, 12), 30_000, 1000),
    "nothing": (lambda program: None, 30_000, 300),
}


def ends(name: str, seed: int, folder: Path) -> tuple[float | None, float | None]:
    """Seconds of the whole run, and the median of ten; None: it lives."""
    fault, pool, rounds = FAULTS[name]
    program = Program(seed, fault)
    while program.round < rounds:
        program.play(marks=seed % 2 == 0)
    part = write(folder / "part.hst", program.rows)
    while program.round < LONGER * rounds:
        program.play(marks=seed % 2 == 0)
    whole = heapscope.replay(write(folder / "whole.hst", program.rows), pool=pool).failures
    result = heapscope.replay(part, pool=pool, repeat=f"{LONGER * rounds * ROUND / HZ}s")
    return whole[0].time / HZ if whole else None, result.median_seconds


def near(true: float | None, given: float | None) -> bool:
    if true is None or given is None:
        return true is given
    return abs(given - true) <= 0.2 * true


def main() -> None:
    seeds = range(int(sys.argv[1]) if len(sys.argv) > 1 else 10)
    print(cpu())
    with tempfile.TemporaryDirectory() as place:
        for name in FAULTS:
            pairs = [ends(name, seed, Path(place)) for seed in seeds]
            good = sum(near(*pair) for pair in pairs)
            shown = " ".join(
                f"{'-' if true is None else round(true)}:{'-' if one is None else round(one)}"
                for true, one in pairs
            )
            print(f"{name:30} {good:3} of {len(pairs)}  {shown}")
        tame = Program(1, lambda program: None)
        while tame.round < 400:
            tame.play(marks=True)
        trace = write(Path(place) / "T.hst", tame.rows)
        began = time.perf_counter()
        result = heapscope.replay(trace, pool=60_000, repeat="20000", jitter=1)
        events = (result.last_event - result.first_event) * result.runs[0].rounds
        print(f"{events / (time.perf_counter() - began) / 1e6:.1f} M events a second, one run")


if __name__ == "__main__":
    main()
