"""Tails are those of a plain sum of all terms, and take no longer where blocks are many."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

from heapscope.answers.leaks import evidence
from heapscope.answers.leaks.evidence import poisson_at_most
from heapscope.answers.leaks.lives import Counts, Lives
from heapscope.native.structs import dtype


def _poisson(count: int, mean: float) -> float:
    logs = (k * math.log(mean) - mean - math.lgamma(k + 1) for k in range(count + 1))
    return min(1.0, math.fsum(math.exp(log) for log in logs))


def _binomial(count: int, number: int) -> float:
    share = evidence.POOL_FREES
    return math.fsum(
        math.comb(number, k) * share**k * (1 - share) ** (number - k) for k in range(count + 1)
    )


@pytest.mark.parametrize("seed", [1, 2])
def test_tails_are_sums_of_all_terms(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(200):
        mean = 10 ** chance.uniform(-1, 4)
        count = int(chance.choice([0, mean / 3, max(0.0, chance.gauss(mean, 2 * mean**0.5))]))
        assert poisson_at_most(count, mean) == pytest.approx(_poisson(count, mean), rel=1e-6), seed
        number = chance.randint(1, 600)
        few = chance.randint(0, number)
        told = evidence._binomial_at_most(few, number)
        assert told == pytest.approx(_binomial(few, number), rel=1e-6), seed


def test_a_tail_of_many_blocks_has_few_terms(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each tail of a band once summed as many terms as blocks stayed: minutes for millions."""
    summed: list[int] = []
    plain = evidence._sum_down

    def counted(last: float, steps: Counts) -> float:
        summed.append(len(steps))
        return plain(last, steps)

    monkeypatch.setattr(evidence, "_sum_down", counted)
    count = 10**8
    for away in (-8, -1, 0, 1, 8):
        poisson_at_most(count + away * 10**4, count)
        evidence._binomial_at_most(count / 3 + away * 10**4, count)
    assert poisson_at_most(count, count) == pytest.approx(0.5, abs=1e-3)
    assert len(summed) == 11
    assert max(summed) < 10**6


def test_holders_with_few_blocks_take_no_time_and_little_memory(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each holder of a trace once kept a table of 65 x 65 stretches: 2 GB for 60,000 sites."""
    monkeypatch.setattr(evidence, "_at_age", pytest.fail)
    alive = np.zeros(65)
    alive[9] = evidence.OLD_LEAST - 1
    lives = Lives(
        ended=np.zeros(0, dtype=dtype("hs_lab_life_row_t")), alive=alive, alive_bytes=alive
    )
    assert evidence.evidence(lives) is evidence.NOTHING
    kept = (lives.ended, lives.alive, lives.alive_bytes)
    assert vars(lives).keys() == {"ended", "alive", "alive_bytes"}
    assert sum(table.nbytes for table in kept) < 65 * 65
