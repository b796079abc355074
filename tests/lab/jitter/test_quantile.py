"""The size that is enough for 99 % of runs, and its interval by the order of the sizes."""

from __future__ import annotations

import math
import random

from heapscope.simulation.jitter.quantile import enough_for, interval, ranks, settled_by

BEYOND = 0.025


def binomial(count: int, part: float) -> list[float]:
    """The chances of 0 to `count` hits, in the plainest way."""
    return [math.comb(count, k) * part**k * (1 - part) ** (count - k) for k in range(count + 1)]


def test_ranks_are_those_of_the_binomial_distribution(seed: int) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    for count in (1, 2, 367, 368, *(chance.randint(3, 900) for _ in range(12))):
        chances = binomial(count, 0.99)
        low = max((r for r in range(1, count + 1) if sum(chances[:r]) <= BEYOND), default=1)
        high = min((r for r in range(1, count + 1) if sum(chances[r:]) <= BEYOND), default=None)
        assert ranks(count) == (low, high or count + 1), count


def test_so_many_runs_settle_it_and_one_less_does_not() -> None:
    enough = settled_by()
    assert enough == 368
    sizes = [8 * at for at in range(enough)]
    assert interval(sizes)[1] == sizes[-1]
    assert interval(sizes[1:])[1] is None


def test_the_interval_has_the_true_size_in_19_of_20_cases(seed: int) -> None:
    """The true quantile of whole numbers from 1 to 1,000 that are equally likely is 990."""
    chance = random.Random(seed)
    print(f"seed {seed}")
    held = 0
    for _ in range(400):
        low, high = interval([chance.randint(1, 1000) for _ in range(500)])
        assert low is not None
        assert high is not None
        held += low <= 990 <= high
    assert held >= 360  # at 95 %, fewer come once in 100,000 times


def test_runs_without_a_pool_need_more_than_all_others() -> None:
    sizes: list[int | None] = [*range(8, 8 * 100, 8), None]
    assert len(sizes) == 100
    assert enough_for(sizes) == 8 * 99
    sizes[0] = None
    assert enough_for(sizes) is None
    assert interval([None] * 500) == (None, None)
