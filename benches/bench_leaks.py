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
from populations import KINDS, Blocks, cache, called_leaks, leaking, leaks_of, without_leak, write

TRACES = 600  # of one holder of each kind
SEEDS = 200
CACHES = 10
LEAKED = 50
EVERY = {10: 0.99, 100: 0.95, 1000: 0.80}  # rounds for one leaked block: the share to be found


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
    reported: dict[str, Counter[str]] = {kind: Counter() for kind in KINDS}
    for number in range(TRACES):
        chance = np.random.default_rng((seed, number))
        holders = {kind: without_leak(kind, chance) for kind in KINDS}
        write(folder / "t.hst", holders)
        for row in leaks_of(folder / "t.hst").holders:
            reported[row.task][row.verdict] += 1
    print(
        f"{'without a leak':<16} {'holders':>8} {'called leaks':>13} {'95 % limit':>11}   verdicts"
    )
    for kind, words in reported.items():
        _line(kind, words["leak"], TRACES, words)
    total = sum(words["leak"] for words in reported.values())
    _line("together", total, TRACES * len(KINDS), sum(reported.values(), Counter()))


def _line(kind: str, wrong: int, number: int, words: Counter[str]) -> None:
    limit = 100 * upper_limit(wrong, number)
    listed = ", ".join(f"{word} {count}" for word, count in words.most_common())
    print(f"{kind:<16} {number:>8,} {100 * wrong / number:>11.2f} % {limit:>9.2f} %   {listed}")


def with_one(folder: Path, seed: int) -> None:
    print(f"\n{LEAKED} blocks leaked, beside {CACHES} caches, {SEEDS} seeds")
    print(f"{'one in rounds':>13} {'found':>8} {'wanted':>8} {'caches called leaks':>20}")
    for every, wanted in EVERY.items():
        result = wrong = 0
        for number in range(SEEDS):
            chance = np.random.default_rng((seed, every, number))
            holders: dict[str, Blocks] = {f"cache{n}": cache(chance) for n in range(CACHES)}
            holders["app"] = leaking(chance, rounds=every * LEAKED, leaked=LEAKED)
            write(folder / "t.hst", holders)
            called = called_leaks(folder / "t.hst")
            result += "app" in called
            wrong += len(called - {"app"})
        share = 100 * result / SEEDS
        print(f"{every:>13,} {share:>6.1f} % {100 * wanted:>6.0f} % {wrong:>20}")


def main() -> None:
    seed = int(sys.argv[2]) if sys.argv[1:2] == ["--seed"] else 1
    with tempfile.TemporaryDirectory() as folder:
        without(Path(folder), seed)
        with_one(Path(folder), seed)


if __name__ == "__main__":
    main()
