"""Advice is replayed exactly, beats what anyone would try, and holds for other calls."""

from __future__ import annotations

import functools
from pathlib import Path

import pytest

from heapscope.pools.advise import Point, advise, best_within
from heapscope.pools.groups import Group, Sizes, find_groups
from heapscope.pools.pool_trace import Kind, PoolTrace, read_pools
from heapscope.pools.replayed import everywhere, replay

from .conftest import call, rows, write

LEARNT = ("ice_default", "ice_hosts")


def told(*names: str) -> tuple[list[PoolTrace], list[tuple[Group, ...]]]:
    pairs = [call(name) for name in names]
    return [trace for trace, _ in pairs], [groups for _, groups in pairs]


@functools.cache
def advised(*names: str) -> tuple[Point, ...]:
    traces, groups = told(*names)
    return advise(traces, groups, progress=lambda done, total: None)


def test_each_point_is_what_a_replay_of_its_sizes_gives() -> None:
    traces, groups = told(*LEARNT)
    front = advised(*LEARNT)
    assert len(front) > 4
    for point in front:
        runs = [replay(t, own, point.plan) for t, own in zip(traces, groups, strict=True)]
        assert point.allocated == sum(run.peak for run in runs)
        assert point.calls == sum(run.calls for run in runs)
    calls, allocated = [p.calls for p in front], [p.allocated for p in front]
    assert calls == sorted(set(calls))
    assert allocated == sorted(set(allocated), reverse=True)


@pytest.mark.parametrize("same", [64, 96, 128, 192, 256, 384, 512, 1024])
def test_no_one_size_for_all_is_better(same: int) -> None:
    traces, groups = told(*LEARNT)
    front = advised(*LEARNT)
    plan = [everywhere(own, Sizes(same, same)) for own in groups]
    runs = [replay(*pair, sizes) for *pair, sizes in zip(traces, groups, plan, strict=True)]
    calls, allocated = sum(run.calls for run in runs), sum(run.peak for run in runs)
    best = best_within(front, calls)
    assert best is not None
    assert best.allocated < allocated


def test_too_few_calls_are_none() -> None:
    front = advised("ice_default")
    assert best_within(front, front[0].calls - 1) is None
    assert best_within(front, front[0].calls) == front[0]


def test_a_pool_of_one_need_gets_it(tmp_path: Path) -> None:
    """1000 bytes in one request, which with both headers and PJLIB's reserve fit 1024 exactly."""
    events = rows((Kind.CREATE, 0, 256, 256), (Kind.GROW, 0, 1280), (Kind.ALLOC, 0, 1000))
    rule = "pjlib pool=80 block=20 align=4 sizes=256 512 1024"
    trace = read_pools(write(tmp_path / "one.hst", events, ["only"], rule=rule))
    (point,) = advise([trace], [find_groups(trace)], progress=lambda done, total: None)
    assert point == Point(allocated=256 + 1024, calls=2, plan={"only": Sizes(256, 1024)})
