"""Verdicts and dates of series that a generator draws, with their truth."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest

sys.path.append(str(Path(__file__).parents[3] / "benches" / "series"))
from fit_weights import as_series, known

from heapscope.answers.series.dates import fragments_until, last_change, leak_until, pieces
from heapscope.answers.series.envelope import blocks, upper_line
from heapscope.answers.series.judge import DYING, judge_series
from heapscope.answers.series.samples import HeapSeries, alike, round_length
from heapscope.answers.series.weighed import MODELS, STABLE

HOUR = 3600.0


def drawn(
    rng: np.random.Generator, *, count: int = 200, lost: float = 0.0, noise: float = 800
) -> HeapSeries:
    """`lost`: bytes in an hour, in which there are 6 samples."""
    seconds = np.arange(count) * HOUR / 6
    free = 90_000 - lost * seconds / HOUR - noise * np.abs(rng.normal(size=count))
    return HeapSeries(seconds=seconds, free=free, largest=0.9 * free)


@pytest.mark.parametrize("missing", [0.0, 0.3])
def test_low_points_that_fall_on_and_on_are_not_called_still(missing: float, seed: int) -> None:
    """Every second line stays high, as that of another device, or as a moment without a peak."""
    rng = np.random.default_rng(seed)
    for lost, verdict in ((0.0, "nothing"), (1200.0, "unknown")):
        high, low = drawn(rng, count=300), drawn(rng, count=300, lost=lost)
        free = np.where(np.arange(300) % 2, low.free, high.free)
        kept = rng.random(300) >= missing
        series = HeapSeries(seconds=high.seconds[kept], free=free[kept], largest=0.9 * free[kept])
        assert judge_series(series).verdict == verdict


def rates(seed: int, count: int, kind: str) -> tuple[float, float]:
    """The share of dying series that are judged so, and of stable ones."""
    dying, stable = [], []
    for one in known(seed, count):
        series = as_series(one, kind)
        if series is None or len(series.free) < 9:
            continue
        told = judge_series(series).verdict
        (stable if one.truth == STABLE else dying).append(told)
    right = sum(told in DYING for told in dying) / len(dying)
    return right, sum(told in DYING for told in stable) / len(stable)


def test_dying_series_are_found_and_stable_ones_seldom_raise_an_alarm() -> None:
    """A twentieth of what the page reports: docs/design/series.md."""
    found, alarms = rates(11, 160, MODELS[0])
    assert found > 0.7, "seed 11"
    assert alarms < 0.08, "seed 11"


@pytest.mark.slow
@pytest.mark.parametrize("kind", MODELS)
def test_the_rates_that_the_page_reports(kind: str) -> None:
    found, alarms = rates(12, 2000, kind)
    assert found > {MODELS[0]: 0.8, MODELS[1]: 0.75, MODELS[2]: 0.35}[kind]
    assert alarms < 0.04


@pytest.mark.slow
def test_a_probability_is_as_often_wrong_as_it_says() -> None:
    risks, wrong = [], []
    for one in known(13, 1500):
        series = as_series(one, MODELS[0])
        assert series is not None
        judged = judge_series(series)
        if judged.verdict in DYING:
            risks.append(judged.risk)
            wrong.append(judged.verdict != one.truth)
    assert abs(float(np.mean(wrong)) - float(np.mean(risks))) < 0.05


@pytest.mark.parametrize("seed", range(3))
def test_the_date_of_an_even_leak(seed: int) -> None:
    rng = np.random.default_rng(seed)
    judged = judge_series(drawn(rng, lost=1000))
    assert judged.verdict == "leak"
    until = judged.until(16_717)
    assert until is not None
    truth = (90_000 - 16_717 / 0.9) * HOUR / 1000 - 199 * HOUR / 6
    assert until.low < truth < until.high
    assert abs(until.value / truth - 1) < 0.15, f"seed {seed}"


@pytest.mark.parametrize("seed", range(3))
def test_a_largest_block_that_falls_steadily_is_dated_by_its_line(seed: int) -> None:
    """free stays, and the block loses 111 B a minute: 6 minutes are left of 400."""
    seconds = np.arange(400) * 60.0
    free = 60_000 + np.random.default_rng(seed).uniform(-800, 800, 400)
    series = HeapSeries(seconds=seconds, free=free, largest=61_685 - 111.0 * np.arange(400))
    until = fragments_until(series, 16_717)
    assert until is not None
    assert until.low < 60 * (17_396 - 16_717) / 111 < until.high
    assert until.high < 600


def test_the_next_step_comes_after_the_mean_time_between_two() -> None:
    """Four steps in 100 hours, and one more is enough."""
    levels = 60_000.0 - 9_000 * (np.arange(600) // 120)
    series = HeapSeries(
        seconds=np.arange(600) * HOUR / 6, free=np.full(600, 70_000.0), largest=levels
    )
    until = fragments_until(series, int(levels[-1]) - 100)
    assert until is not None
    assert 10 * HOUR < until.value < 30 * HOUR
    assert until.low < 5 * HOUR
    assert until.high > 60 * HOUR


@pytest.mark.parametrize("seed", range(3))
def test_noise_around_a_level_has_no_date(seed: int) -> None:
    judged = judge_series(drawn(np.random.default_rng(seed)))
    assert judged.verdict not in DYING
    assert judged.until(16_717) is None


def test_a_filling_that_ended_has_no_date() -> None:
    rng = np.random.default_rng(4)
    series = drawn(rng, count=300)
    filled = 30_000 * -np.expm1(-series.seconds / (4 * HOUR))
    warm = HeapSeries(seconds=series.seconds, free=series.free - filled)
    assert judge_series(warm).verdict not in DYING
    assert judge_series(warm).until(16_717) is None


def test_a_leak_that_begins_late_is_dated_by_its_own_speed() -> None:
    seconds = np.arange(240) * 60.0
    free = 90_000 - 5 * np.maximum(seconds - 150 * 60, 0) + np.arange(240) % 3
    series = HeapSeries(seconds=seconds, free=free)
    assert 130 <= last_change(series) <= 165
    until = leak_until(series, 20_000)
    assert until is not None
    assert until.value == pytest.approx((free[-1] - 20_000) / 5, rel=0.1)


def test_a_level_that_has_just_sunk_is_not_called_still() -> None:
    series = drawn(np.random.default_rng(5), noise=200)
    sunk = series.free.copy()
    sunk[-30:] -= np.linspace(1000, 30_000, 30)
    judged = judge_series(HeapSeries(seconds=series.seconds, free=sunk))
    assert judged.verdict in (*DYING, "unknown")
    assert judged.until(16_717) is not None


def test_what_one_start_lost_counts_for_the_next() -> None:
    rng = np.random.default_rng(6)
    before = drawn(rng, lost=1000)
    now = drawn(rng, count=40, lost=1000, noise=3000)
    alone, after = judge_series(now), judge_series(now, [before])
    assert after.dies > alone.dies
    assert judge_series(now, [drawn(rng)]).dies == alone.dies


def test_an_earlier_start_that_failed_is_a_lifetime() -> None:
    rng = np.random.default_rng(7)
    before = drawn(rng, count=420, lost=1000)  # its largest block ends at about 18 KB
    failed = HeapSeries(
        seconds=before.seconds, free=before.free, largest=before.largest, failed=True
    )
    now = drawn(rng, count=200, lost=1000)
    until = judge_series(now, [failed]).until(16_717)
    assert until is not None
    assert until.value == pytest.approx((420 - 200) * HOUR / 6)


def test_rounds_are_found_and_like_is_compared_with_like() -> None:
    levels = np.array([200.0, 120.0, 160.0] * 30)
    assert round_length(levels) == 3
    assert set(alike(levels, np.arange(90.0) % 3)) == {200.0}
    rng = np.random.default_rng(8)
    assert round_length(rng.normal(size=90)) == 1


def test_the_longest_of_some_pieces() -> None:
    assert pieces(1.0) == 1
    assert pieces(0.75) == 2  # (1 + 1/2) / 2
    assert pieces(11 / 18) == pytest.approx(3)


def test_lines_and_stretches_keep_bursts_out() -> None:
    seconds = np.arange(100.0)
    levels = 1000 - 2 * seconds
    levels[::7] -= 400
    speed, level = upper_line(seconds, levels)
    assert speed == pytest.approx(-2, abs=0.1)
    assert level == pytest.approx(802, abs=5)
    _, tops = blocks(seconds, levels)
    assert (np.diff(tops) < 0).all()


@pytest.mark.parametrize(
    "levels",
    [
        np.zeros(9),
        np.full(500, 1.0),
        np.array([1e9, 0.0] * 50),
        np.linspace(4e9, 0, 1000),
    ],
)
def test_no_series_is_too_odd_to_be_judged(levels: np.ndarray) -> None:
    series = HeapSeries(seconds=np.zeros(len(levels)), free=levels, largest=levels)
    for seconds in (np.arange(len(levels)) * 1.0, np.arange(len(levels)) ** 3.0):
        judged = judge_series(HeapSeries(seconds=seconds, free=levels, largest=levels))
        assert 0 <= judged.risk <= 1
        judged.until(1000)
    assert len(series.since(3).free) == len(levels) - 3


def test_a_walk_at_random_is_seldom_called_dying(seed: int) -> None:
    """benches/series/bench_series.py measures how often."""
    rng = np.random.default_rng(seed)
    called = []
    for _ in range(120):
        count = int(np.exp(rng.uniform(np.log(12), np.log(1000))))
        levels = 90_000 + np.cumsum(rng.normal(size=count)) * 300
        series = HeapSeries(seconds=np.arange(count) * 60.0, free=levels)
        called.append(judge_series(series).verdict in DYING)
    assert np.mean(called) < 0.1
