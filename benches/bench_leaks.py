"""How often `heapscope leaks` is wrong, on programs whose leaks are known: real traces, the real
verb. Give other seeds as --seed N."""

from __future__ import annotations

import math
import sys
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent / "leaks"))
from populations import (
    KINDS,
    Blocks,
    busy_start,
    cache,
    called_leaks,
    leaking,
    requests,
    scheduled,
    verdicts_of,
    without_leak,
    write,
)

TRACES = 600  # of one holder of each kind
SEEDS = 200
CACHES = 10
LEAKED = 50
EVERY = {10: 0.99, 100: 0.95, 1000: 0.85}  # rounds for one leaked block: the share to be found
SCHEDULES = 20
PROGRAMS = 20
BUSY = 40_000  # events of the start


def upper_limit(count: int, number: int) -> float:
    """Clopper and Pearson's: the share at which so few would be seen once in 20 times."""
    low, high = 0.0, 1.0
    for _ in range(50):
        share = (low + high) / 2
        seen = sum(
            math.comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(count + 1)
        )
        low, high = (share, high) if seen > 0.05 else (low, share)
    return high


def without(folder: Path, seed: int) -> None:
    for clock in (False, True):
        reported: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
        for number in range(TRACES):
            chance = np.random.default_rng((seed, number))
            holders = {f"{kind}/{kind}": without_leak(kind, chance) for kind in KINDS}
            # Each task has other work, too, as its allocations are what passes without a clock.
            for kind in KINDS:
                births = np.sort(chance.uniform(0, 1, 2000))
                holders[f"{kind}/work"] = births, births + 1e-4
            write(folder / "t.hst", holders, clock=clock)
            for name, verdict in verdicts_of(folder / "t.hst").items():
                task, _, site = name.partition("/")
                if site == task:
                    reported[task][verdict] += 1
        title = "without a leak" + (", clock" if clock else "")
        print(f"{title:<21} {'holders':>8} {'called leaks':>13} {'95 % limit':>11}   verdicts")
        for kind, words in reported.items():
            _line(kind, words["leak"], TRACES, words)
        total = sum(words["leak"] for words in reported.values())
        _line("together", total, TRACES * len(KINDS), sum(reported.values(), Counter()))
        print()


def _line(kind: str, wrong: int, number: int, words: Counter[str]) -> None:
    limit = 100 * upper_limit(wrong, number)
    listed = ", ".join(f"{word} {count}" for word, count in words.most_common())
    print(f"{kind:<21} {number:>8,} {100 * wrong / number:>11.2f} % {limit:>9.2f} %   {listed}")


def with_one(folder: Path, seed: int) -> None:
    print(f"{LEAKED} blocks leaked, beside {CACHES} caches, {SEEDS} seeds")
    print(f"{'':<14}{'one in rounds':>13} {'found':>8} {'wanted':>8} {'caches called leaks':>20}")
    for kind in ("alone", "clock", "busy start", "by turns"):
        for every, wanted in EVERY.items():
            result = wrong = 0
            for number in range(SEEDS):
                chance = np.random.default_rng((seed, every, number))
                holders: dict[str, Blocks] = {f"cache{n}": cache(chance) for n in range(CACHES)}
                holders["app"] = leaking(chance, rounds=every * LEAKED, leaked=LEAKED)
                if kind == "busy start":
                    holders |= busy_start(chance, events=BUSY)
                if kind == "by turns":
                    holders = scheduled(chance, holders)
                write(folder / "t.hst", holders, clock=kind in ("clock", "busy start"))
                called = called_leaks(folder / "t.hst")
                result += "app" in called
                wrong += len(called - {"app"})
            share = 100 * result / SEEDS
            print(f"{kind:<14}{every:>13,} {share:>6.1f} % {100 * wanted:>6.0f} % {wrong:>20}")


def rare(folder: Path, seed: int) -> None:
    """Requests that are rare beside the start, and forget a block each, or of every tenth."""
    print(f"\n{'rare requests after a busy start':<34} {'found':>8} {'others called leaks':>20}")
    for every, number in ((1, 100), (1, 1000), (10, 500)):
        for clock in (True, False):
            result = wrong = 0
            for turn in range(SEEDS):
                chance = np.random.default_rng((seed, every, number, turn))
                holders = requests(chance, number=number, every=every)
                write(folder / "t.hst", holders | busy_start(chance, events=BUSY), clock=clock)
                called = called_leaks(folder / "t.hst")
                result += "http/session" in called
                wrong += len(called - {"http/session"})
            title = f"{number}, one in {every}{', clock' if clock else ''}"
            print(f"{title:<34} {100 * result / SEEDS:>6.1f} % {wrong:>20}")


def racing(folder: Path, seed: int) -> None:
    """One program by many schedulers: no verdict may depend on them."""
    for clock in (False, True):
        _racing(folder, seed, clock=clock)


def _racing(folder: Path, seed: int, *, clock: bool) -> None:
    alike, leaks, differ = 0, 0, Counter[tuple[str, ...]]()
    for number in range(PROGRAMS):
        chance = np.random.default_rng((seed, number))
        threads = {kind: without_leak(kind, chance) for kind in KINDS}
        for every in (10, 100):
            threads[f"leak{every}"] = leaking(chance, rounds=every * LEAKED, leaked=LEAKED)
        reported: dict[str, set[str]] = {}
        for _ in range(SCHEDULES):
            write(folder / "t.hst", scheduled(chance, threads), clock=clock)
            for name, verdict in verdicts_of(folder / "t.hst").items():
                reported.setdefault(name, set()).add(verdict)
                leaks += verdict == "leak" and name.startswith("leak")
        for verdicts in reported.values():
            alike += len(verdicts) == 1
            differ[tuple(sorted(verdicts))] += len(verdicts) > 1
    total = alike + sum(differ.values())
    title = f"{SCHEDULES} schedules each{', clock' if clock else ''}"
    print(f"\n{PROGRAMS} programs of {len(KINDS) + 2} threads by {title}")
    print(f"leaks detected: {leaks} of {PROGRAMS * SCHEDULES * 2}")
    print(f"holders with one verdict in all: {alike} of {total}")
    for verdicts, count in differ.items():
        if count:
            print(f"  {count} {', '.join(verdicts)}")


def main() -> None:
    seed = int(sys.argv[2]) if sys.argv[1:2] == ["--seed"] else 1
    with tempfile.TemporaryDirectory() as folder:
        without(Path(folder), seed)
        with_one(Path(folder), seed)
        rare(Path(folder), seed)
        racing(Path(folder), seed)


if __name__ == "__main__":
    main()
