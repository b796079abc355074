"""Lives and levels of groups, compared with scipy's."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from heapscope.answers.cohorts.groups import differences
from heapscope.answers.cohorts.ranks import false_discovery, rank_test, shift, two_sided
from heapscope.answers.cohorts.survival import Lives, log_rank, survival

sys.path.append(str(Path(__file__).parents[3] / "benches" / "series"))
from bench_fleet import BUILDS, drawn

ONE = np.zeros(60, dtype=np.int64)  # all in one stratum


def lives(rng: np.random.Generator) -> Lives:
    """With ties, and a third that still lives."""
    died, ended = np.round(rng.exponential(10, 60), 1), rng.uniform(0, 15, 60)
    return Lives(seconds=np.minimum(died, ended), failed=died <= ended)


def test_a_curve_is_that_of_kaplan_and_meier(seed: int) -> None:
    one = lives(np.random.default_rng(seed))
    censored = stats.CensoredData(
        uncensored=one.seconds[one.failed], right=one.seconds[~one.failed]
    )
    theirs = stats.ecdf(censored).sf
    curve = survival(one)
    assert curve.alive == pytest.approx(theirs.evaluate(curve.seconds))
    assert curve.at(0) == 1.0
    assert curve.at(1e9) == curve.alive[-1]
    if curve.median is not None:
        assert theirs.evaluate(curve.median) <= 0.5 < theirs.evaluate(curve.median - 1e-6)


def test_groups_are_held_against_each_other_by_log_rank(seed: int) -> None:
    one = lives(np.random.default_rng(seed))
    group = np.arange(60) < 25
    sides = [
        stats.CensoredData(
            uncensored=one.seconds[one.failed & side], right=one.seconds[~one.failed & side]
        )
        for side in (group, ~group)
    ]
    ours = log_rank(one, group, ONE)
    assert ours is not None
    assert two_sided(ours.z) == pytest.approx(stats.logrank(*sides).pvalue)
    assert (ours.hazard > 1) == (ours.z > 0)


def test_levels_are_held_against_each_other_by_ranks(seed: int) -> None:
    rng = np.random.default_rng(seed)
    levels, group = np.round(100 + rng.normal(size=60), 1), np.arange(60) < 25
    z = rank_test(levels, group, ONE)
    theirs = stats.mannwhitneyu(
        levels[group], levels[~group], use_continuity=False, method="asymptotic"
    )
    assert z is not None
    assert two_sided(z) == pytest.approx(theirs.pvalue)


def test_a_chip_with_more_memory_does_not_hide_a_build_with_less() -> None:
    """The worse build is on the better chip more often."""
    rng = np.random.default_rng(3)
    worse = np.arange(200) < 60
    large = rng.random(200) < np.where(worse, 0.8, 0.3)
    levels = np.where(large, 180_000.0, 90_000.0) * np.exp(0.01 * rng.normal(size=200))
    levels *= np.where(worse, 0.97, 1.0)
    strata = large.astype(np.int64)
    z = rank_test(levels, worse, strata)
    assert z is not None
    assert z < -6
    assert rank_test(levels, worse, np.zeros(200, dtype=np.int64)) > 2  # type: ignore[operator]
    moved = shift(levels, worse, strata)
    assert moved.low < -0.03 < moved.high
    assert moved.high - moved.low < 0.01


def test_false_discoveries_are_those_of_benjamini_and_hochberg(seed: int) -> None:
    chances = np.random.default_rng(seed).uniform(size=20) ** 2
    assert false_discovery(chances) == pytest.approx(stats.false_discovery_control(chances))


def test_a_build_that_is_better_does_not_make_the_others_worse() -> None:
    rng = np.random.default_rng(1)
    builds = [f"1.{at % 5}" for at in range(200)]
    levels = 90_000 * np.exp(0.01 * rng.normal(size=200))
    levels[np.array(builds) == "1.2"] *= 1.3
    found = differences(builds, [""] * 200, {"free": levels}, {})
    assert not any(one.worse for one in found)
    (best,) = (one for one in found if one.rate < 0.01)
    assert best.group == "1.2"


def test_two_per_cent_less_in_one_of_five_builds_is_found(seed: int) -> None:
    """In nine of ten fleets of 200 devices; benches/series/bench_fleet.py measures it."""
    rng = np.random.default_rng(seed)
    bad = f"1.{BUILDS - 1}"
    less = [drawn(rng, 0.02) for _ in range(40)]
    found = sum(any(one.worse and one.group == bad for one in fleet) for fleet in less)
    same = [drawn(rng, 0.0) for _ in range(40)]
    blamed = sum(any(one.worse for one in fleet) for fleet in same)
    assert found >= 36
    assert blamed <= 6
