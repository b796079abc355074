"""The replay of pools is PJLIB's arithmetic: by hand, against a second one, and as recorded."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from heapscope.answers.pools.groups import Sizes, find_groups
from heapscope.answers.pools.pool_trace import Kind, read_pools
from heapscope.answers.pools.replayed import everywhere, replay
from heapscope.native.pools import PoolRule, replay_pools
from heapscope.native.status import StatusError

from .conftest import CAPTURED, call, rows

#: Recorded event by event, and not printed as a dump now and then.
ICE = sorted(
    path.name.removesuffix(".hst.zst")
    for path in CAPTURED.glob("ice_*.hst.zst")
    if not path.name.startswith("ice_study_")
)
POOL, BLOCK = 80, 20


def test_a_small_story_by_hand(small: Path) -> None:
    trace = read_pools(small)
    result = replay(trace, find_groups(trace))
    head = POOL + BLOCK
    used = [head, 200, 300, 300, 200 + head + BLOCK + 60, 380, 380 + BLOCK + 1000, 1300, 1352]
    assert result.used.tolist() == used  # 50 bytes are 52
    assert result.allocated.tolist() == [256, 256, 768, 768, 1280, 1280, 2816, 2304, 2304]
    totals = result.totals
    assert (totals.pools, totals.calls, totals.growths, totals.unlike) == (2, 4, 2, 0)


def test_other_sizes_by_hand(small: Path) -> None:
    trace = read_pools(small)
    groups = find_groups(trace)
    result = replay(trace, groups, {"one": Sizes(1000, 128)})
    # 1000 is rounded to 1024: 924 left, 100 and 60 fit; 1000 + 20 + 4 + 128 are nine increments
    assert result.groups["one"].allocated[-1] == 1024 + 9 * 128
    assert result.groups["one"].totals.calls == 2
    assert result.groups["two"].totals.calls == 1  # it stays as recorded
    assert result.peak == 1024 + 9 * 128 + 512


def test_a_pool_that_may_not_grow_fails(small: Path) -> None:
    trace = read_pools(small)
    run = replay_pools(trace.events, np.array([1, 0], np.uint8), trace.rule, initial=256)
    assert run.totals.failed == 2
    assert run.allocated.max() == 256


@pytest.mark.parametrize("name", ICE)
def test_recorded_calls_grow_when_and_by_what_they_did(name: str) -> None:
    trace, groups = call(name)
    totals = replay(trace, groups).totals
    assert totals.growths > 25
    assert totals.requests > 300
    assert (totals.unlike, totals.failed, totals.stray) == (0, 0, 0)
    assert totals.calls == totals.pools + totals.growths


def test_a_lost_request_and_another_header_are_seen() -> None:
    trace, groups = call("ice_tuned")
    kinds = trace.events["kind"]
    large = np.flatnonzero((kinds == Kind.ALLOC) & (trace.events["size"] > 100))[0]
    lossy = replace(trace, events=np.delete(trace.events, large))
    assert replay(lossy, groups).totals.unlike > 0
    wrong = replace(trace, rule=replace(trace.rule, block=trace.rule.block + 4))
    assert replay(wrong, groups).totals.unlike > 0


def test_what_if_equals_the_program_built_so() -> None:
    """All sizes 128: replayed on the defaults' call, and PJNATH compiled with it."""
    trace, groups = call("ice_default")
    built, own = call("ice_lazy")
    whatif, real = replay(trace, groups, everywhere(groups, Sizes(128, 128))), replay(built, own)
    for (mark, at), (same, place) in zip(trace.marks, built.marks, strict=True):
        assert mark == same
        assert whatif.used[at] == real.used[place]
        assert whatif.allocated[at] == real.allocated[place]
    assert (whatif.peak, whatif.calls) == (real.peak, real.calls)
    assert whatif.peak < replay(trace, groups).peak


# ---- a second arithmetic ------------------------------------------------------------------------


class Plain:
    """PJLIB's pool as its documentation tells it, in a few lines."""

    def __init__(self, initial: int, increment: int, align: int) -> None:
        self.increment, self.align = increment, align
        self.blocks: list[list[int]] = []  # place, end
        self.add(initial, POOL + BLOCK)

    def up(self, size: int) -> int:
        return -(-size // self.align) * self.align

    def add(self, size: int, head: int) -> None:
        self.blocks.insert(0, [self.up(head), size])

    def alloc(self, size: int) -> None:
        wanted = self.up(size)
        for block in self.blocks:
            if block[1] - block[0] >= wanted:
                block[0] += wanted
                return
        grown = self.increment
        while grown < size + BLOCK + self.align:
            grown += self.increment
        if self.increment < size + BLOCK + self.align:  # one more when it would be just enough
            grown = (size + self.increment + BLOCK + self.align) // self.increment * self.increment
        self.add(grown, BLOCK)
        self.blocks[0][0] += wanted

    def used(self) -> int:
        return sum(place for place, _ in self.blocks)

    def capacity(self) -> int:
        return sum(end for _, end in self.blocks)


@settings(max_examples=60, deadline=None)
@given(
    sizes=st.lists(st.integers(0, 3000), max_size=40),
    initial=st.integers(112, 1200),
    increment=st.integers(1, 1200),
    align=st.sampled_from([4, 8]),
)
def test_it_equals_a_second_arithmetic(
    sizes: list[int], initial: int, increment: int, align: int
) -> None:
    initial, increment = initial // 8 * 8, (increment + 7) // 8 * 8
    plain = Plain(initial, increment, align)
    events = rows((Kind.CREATE, 0, initial, increment), *((Kind.ALLOC, 0, s) for s in sizes))
    rule = PoolRule(follow=False, pool=POOL, block=BLOCK, align=align)
    run = replay_pools(events, np.ones(1, np.uint8), rule)
    for at, size in enumerate(sizes):
        plain.alloc(size)
        assert (run.used[at + 1], run.allocated[at + 1]) == (plain.used(), plain.capacity())


# ---- what cannot be -----------------------------------------------------------------------------


def test_rules_and_sizes_that_no_pool_has_are_refused(small: Path) -> None:
    trace = read_pools(small)
    chosen = np.ones(2, np.uint8)
    rule = replace(trace.rule, sizes=())
    with pytest.raises(StatusError):
        replay_pools(trace.events, chosen, rule, initial=99, increment=128)
    with pytest.raises(StatusError):
        replay_pools(trace.events, chosen, replace(rule, align=3))
    with pytest.raises(StatusError):
        replay_pools(trace.events, chosen, PoolRule(), initial=512, increment=512)


def test_events_of_pools_that_are_not_there_are_counted() -> None:
    events = rows((Kind.ALLOC, 0, 4), (Kind.GROW, 0, 64), (Kind.RELEASE, 0), (Kind.CREATE, 1, 8, 8))
    run = replay_pools(events, np.ones(1, np.uint8), PoolRule())
    assert run.totals.stray == 3
    assert run.totals.pools == 0  # pool 1 is beyond what was chosen
