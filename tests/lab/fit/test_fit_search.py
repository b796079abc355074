"""The pool found is that of trying every size there is, in whatever way survival depends on it."""

from __future__ import annotations

import functools
import random
from collections.abc import Callable
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import pytest

from heapscope.answers.fit import schedule
from heapscope.answers.fit.fit_trace import fit
from heapscope.answers.fit.limits import (
    OTHERS,
    Limits,
    find_limits,
    judged_by,
    most_tried,
    top,
    window,
)
from heapscope.answers.fit.schedule import run_searches
from heapscope.answers.fit.search import Ending, SmallestPool, search
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.pool import POOL_BASE, POOL_MIN
from heapscope.native.reader import NativeReader
from heapscope.native.steps import NativeSteps, has_heap
from heapscope.trace.feed import read_trace

MakeTrace = Callable[..., Path]


# ---- the window


@pytest.mark.parametrize("pool", [64, 400, 1024, 25_600, 188_248, 190_000, 4_000_000])
def test_the_window_is_spread_evenly_over_two_per_cent(pool: int) -> None:
    sizes = window(pool)
    assert sizes[0] == pool
    assert sizes[-1] == top(pool) == pool + pool // 50 // 8 * 8
    assert all(size % 8 == 0 for size in sizes)
    steps = {b - a for a, b in pairwise(sizes)}
    if pool >= 25_600:
        assert len(sizes) == 1 + OTHERS
        assert max(steps) - min(steps) == 8 or len(steps) == 1
    else:
        assert steps <= {8}


@pytest.mark.parametrize("size", [64, 408, 2048, 25_608, 60_000])
def test_a_size_judges_the_pools_whose_windows_have_it(size: int) -> None:
    pools = range(8, size + 8, 8)
    assert judged_by(size) == tuple(pool for pool in pools if size in window(pool))


# ---- the search on made-up survival


@dataclass(frozen=True)
class Outcome:
    survives: bool
    refused_always: bool = False


def exhaustive(survives: Callable[[int], bool], first: int, most: int) -> int | None:
    """The definition itself."""
    for pool in range(first, most + 1, 8):
        sizes = window(pool)
        if sizes[-1] <= most and all(map(survives, sizes)):
            return pool
    return None


def searched(
    survives: Callable[[int], bool], floor: int, limits: Limits
) -> tuple[SmallestPool, dict[int, Outcome]]:
    def reported(size: int) -> Outcome:
        assert limits.least <= size <= limits.most
        return Outcome(survives(size))

    return run_searches({"it": (search(floor, limits), reported)}, lambda _: None)["it"]


def patterns(seed: int) -> Callable[[int], bool]:
    """Survival that is anything but monotone: clusters of failing sizes, single ones, gaps between,
    and now and then a survivor far below."""
    chance = random.Random(seed)
    border = chance.randrange(1_100, 40_000)
    share = chance.choice([0.0, 0.02, 0.1, 0.3, 0.6])
    width = chance.choice([8, 24, 80, 400])
    reach = chance.choice([1.0, 1.02, 1.1, 1.6])
    lucky = chance.choice([0.0, 0.01, 0.2])

    def survives(size: int) -> bool:
        cell = random.Random(seed * 1_000_003 + size // width).random()
        if size < border:
            return cell < lucky
        return size >= border * reach or cell >= share

    return survives


@pytest.mark.cells(15)
@pytest.mark.parametrize("seed", range(60))
def test_the_search_finds_what_trying_every_size_finds(seed: int) -> None:
    survives = patterns(seed)
    limits = Limits(least=64, most=1 << 20, ended=False)
    result, known = searched(survives, 1_000, limits)
    assert result.pool == exhaustive(survives, 1_000, limits.most)
    assert result.tried == len(known)
    assert result.pool is not None
    assert result.pool - 8 in known or result.pool == 1_000


@pytest.mark.cells(5)
@pytest.mark.parametrize("seed", range(15))
def test_an_allocator_with_a_limit_gets_what_trying_every_size_finds(seed: int) -> None:
    survives = patterns(seed)
    for most in (2_000, 9_992, 20_000, 30_000):
        result, _ = searched(survives, 1_000, Limits(least=64, most=most, ended=True))
        assert result.pool == exhaustive(survives, 1_000, most)
        assert (result.ending == Ending.LIMIT) == (result.pool is None)


def test_a_size_between_those_of_a_window_does_not_judge_it() -> None:
    """103,120 is one of the first sizes tried, but not in the window of 103,112."""

    def survives(size: int) -> bool:
        return size >= 103_112 and size != 103_120

    result, known = searched(survives, 100_000, Limits(least=64, most=1 << 20, ended=False))
    assert not known[103_120].survives
    assert result.pool == 103_112


def test_what_no_pool_serves_is_stated_at_once() -> None:
    limits = Limits(least=64, most=1 << 20, ended=False)
    tries = (search(5_000, limits), lambda size: Outcome(False, refused_always=True))
    result, known = run_searches({"it": tries}, lambda _: None)["it"]
    assert (result.pool, result.ending) == (None, Ending.NEVER)
    assert len(known) < 10
    result, _ = searched(lambda size: False, 5_000, limits)
    assert (result.pool, result.ending) == (None, Ending.TRIED)
    result, _ = searched(lambda size: True, 5_000, Limits(least=64, most=4_000, ended=True))
    assert (result.pool, result.ending, result.tried) == (None, Ending.SMALL, 0)


# ---- on traces


def program(seed: int, blocks: int) -> list[str]:
    """Blocks of a few sizes that come, grow and go."""
    chance = random.Random(seed)
    lines: list[str] = []
    live: list[int] = []
    for number in range(blocks):
        lines.append(f"a {number} {chance.choice([3, 12, 20, 40, 90, 200])}")
        live.append(number)
        if chance.random() < 0.3:
            lines.append(f"r {chance.choice(live)} {chance.randrange(1, 300)}")
        while len(live) > 12 or (live and chance.random() < 0.4):
            lines.append(f"f {live.pop(chance.randrange(len(live)))}")
    return lines


@pytest.mark.parametrize("allocator", ["idf-4.2", "idf-5.5", "heap_4-4", "o1heap"])
@pytest.mark.parametrize("seed", range(3))
def test_on_small_programs_it_is_the_pool_of_replaying_every_size(
    seed: int, allocator: str, make_trace: MakeTrace
) -> None:
    trace = make_trace(*program(seed, 150))
    (result,) = fit(trace, [allocator])
    with NativeSteps(POOL_BASE) as steps:
        with NativeReader() as reader:
            steps.fill_from(reader)
            read_trace(trace, reader)
        survives = functools.cache(lambda size: steps.try_pool(allocator, size).survives)
        assert result.pool == exhaustive(survives, POOL_MIN, 20_000)
        assert result.pool_min is not None
        assert survives(result.pool_min)


def test_the_outcome_does_not_depend_on_the_number_of_cores(
    make_trace: MakeTrace, monkeypatch: pytest.MonkeyPatch
) -> None:
    trace = make_trace(*program(7, 120))
    several = fit(trace, placements())
    monkeypatch.setattr(schedule, "cores", lambda: 1)
    assert fit(trace, placements()) == several


# ---- limits


@pytest.mark.parametrize("name", ["umm", "idf-4.3.2", "idf-5.5", "heap_4", "heapscope"])
def test_limits_are_the_ends_of_what_has_a_heap(name: str) -> None:
    limits = find_limits(name, POOL_BASE, most_tried(200_000))
    assert limits is not None
    assert has_heap(name, POOL_BASE, limits.least)
    assert has_heap(name, POOL_BASE, limits.most)
    assert not has_heap(name, POOL_BASE, limits.least - 8) or limits.least == POOL_MIN
    assert limits.ended == (not has_heap(name, POOL_BASE, limits.most + 8))
