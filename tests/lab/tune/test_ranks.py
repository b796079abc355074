"""Published ranks against the best configuration: gains are real, and where none is claimed none is
found by trying."""

from __future__ import annotations

import random
from collections.abc import Hashable, Iterator
from itertools import combinations

import pytest

from heapscope.config.config import settle
from heapscope.forecast.predict.constants import read_constants
from heapscope.forecast.predict.wifi_table import METRICS, ranks
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import as_number
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.ranks import RankGain, rank_gains

CHIPS = ("esp32c2", "esp32c3")


@pytest.fixture(scope="module")
def gains() -> list[RankGain]:
    return rank_gains([row for row in ranks() if row.knobs.chip in CHIPS])


def problem_of(each: RankGain) -> Problem:
    config = settle((), chip=each.row.knobs.chip, sdk="5.5")
    return Problem.of(config, read_constants(), now=each.row.knobs, median=True)


@pytest.mark.slow
def test_gains_are_what_predict_says(gains: list[RankGain]) -> None:
    """No less memory, no throughput lower, and one higher."""
    assert any(each.gained for each in gains)
    for each in gains:
        problem = problem_of(each)
        before, after = (
            problem.candidate(candidate.choice).median for candidate in (each.base, each.then)
        )
        assert after[FREE] >= before[FREE] - 1e-4
        assert all(after[metric] >= before[metric] * (1 - 1e-6) for metric in METRICS)
        rises = max(after[metric] / before[metric] for metric in METRICS)
        assert each.gained == (rises > 1 + 1e-4)
        assert each.gain_pct["tcp_rx"] == pytest.approx(
            100 * (after["tcp_rx"] / before["tcp_rx"] - 1)
        )


def test_nothing_betters_what_is_proven_the_best(gains: list[RankGain]) -> None:
    """Two knobs at a time to any values, and a static buffer's memory for receive windows."""
    proven = [each for each in gains if each.proven_none]
    assert proven
    for each in proven:
        problem = problem_of(each)
        space = problem.domain.space
        costs = [problem.quantities[name] for name in (FREE, *METRICS)]
        own = [quantity.value(each.base.choice, space) for quantity in costs]
        tried = 0
        for choice in near(each, problem):
            inside = all(choice[knob.name] in knob.values for knob in space.knobs)
            if not inside or space.broken(choice):
                continue
            tried += 1
            there = [quantity.value(choice, space) for quantity in costs]
            worse = any(a > b + 1e-9 * abs(b) for a, b in zip(there, own, strict=True))
            same = all(a >= b * (1 - 2e-4) for a, b in zip(there[1:], own[1:], strict=True))
            assert worse or same, choice
        assert tried > 100


def near(each: RankGain, problem: Problem) -> Iterator[dict[str, Hashable]]:
    draw = random.Random(each.row.id)
    knobs = problem.domain.space.knobs
    for first, second in combinations(knobs, 2):
        for _ in range(6):
            yield {
                **each.base.choice,
                first.name: draw.choice(first.values),
                second.name: draw.choice(second.values),
            }
    values = {knob.name: knob.values for knob in knobs}
    for _ in range(600):  # a static buffer less pays for windows
        fewer = max(2, as_number(each.base.choice["static_rx"]) - draw.randint(0, 1))
        yield {
            **each.base.choice,
            "static_rx": fewer,
            "rx_ba_win": draw.choice((2 * fewer, each.base.choice["rx_ba_win"])),
            "dynamic_rx": draw.choice(values["dynamic_rx"]),
            "tcp_wnd": draw.choice(values["tcp_wnd"]),
        }


def test_ranks_that_no_build_takes_are_named() -> None:
    """With what was published and what stands for it."""
    (result,) = rank_gains([row for row in ranks() if row.id == "esp32s3-octal-iperf"])
    assert any("TCP window of 85 KB: 65,535 bytes" in stated for stated in result.refused)
    document = result.to_json()
    assert document["projected"]["tcp_wnd"] == "65,535"
    assert document["proven_none"] is True
