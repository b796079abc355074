"""The sizes that hold least at the peak, by how often the heap is asked for a block.

Every pair of sizes of a group is replayed exactly, each alone: groups do not touch each other, so
what they hold together is the sum. The pools hold most just before something is given back, so that
it is enough to look there. Over the groups the search goes from one to the next until no change of
one of them helps (coordinate descent), for many prices of a call; it may miss a better combination
of two, never reports a figure that was not replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.errors import InputError
from heapscope.native.pools import PoolRule, PoolRun
from heapscope.pools.groups import Group, Sizes
from heapscope.pools.pool_trace import Kind, PoolTrace
from heapscope.pools.replayed import replay_group

__all__ = ["Point", "advise", "best_within"]

Longs = NDArray[np.int64]

#: Bytes that a call may cost: the search's prices, from none to so dear that calls alone count.
PRICES = (0.0, *(2.0**power for power in range(-2, 17)))
ROUNDS = 20  # of the descent, at most; it ends after 3 or 4
LEAST_INITIAL = 128

Advance = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Point:
    """A choice for every group that has one; bytes at the peak, and blocks asked of the heap."""

    allocated: int
    calls: int
    plan: dict[str, Sizes]


@dataclass(frozen=True)
class _Choices:
    """Of a group: what each pair of its sizes holds at the moments, and its calls."""

    name: str
    pairs: tuple[Sizes, ...]
    held: Longs  # pair x moment
    calls: Longs


def advise(
    traces: Sequence[PoolTrace], groups: Sequence[Sequence[Group]], *, progress: Advance
) -> tuple[Point, ...]:
    """The choices that no other beats in both, from the fewest calls to the least memory. Several
    traces: the sum of their peaks, and their calls together. `groups` are the traces', in order."""
    free = sorted({group.name for own in groups for group in own if group.free})
    moments = [_moments(trace) for trace in traces]
    rest = np.concatenate(
        [_rest(trace, own, at) for trace, own, at in zip(traces, groups, moments, strict=True)]
    )
    fixed_calls = sum(
        replay_group(trace, group, None).totals.calls
        for trace, own in zip(traces, groups, strict=True)
        for group in own
        if not group.free
    )
    choices = []
    for done, name in enumerate(free):
        progress(done, len(free))
        choices.append(_choices(name, traces, groups, moments))
    starts = np.cumsum([0, *(len(at) for at in moments[:-1])])
    search = _Search(tuple(choices), rest, starts)
    found = [_point(search, picked, fixed_calls) for picked in _descents(search)]
    return tuple(_front(found))


def best_within(front: Sequence[Point], calls: int) -> Point | None:
    """The least memory at the peak with at most so many calls; None: none has so few."""
    within = [point for point in front if point.calls <= calls]
    return min(within, key=lambda point: (point.allocated, point.calls), default=None)


# ---- one group ----------------------------------------------------------------------------------


def _moments(trace: PoolTrace) -> NDArray[np.intp]:
    """Before each release and each emptying, and the end: nothing else makes the sum smaller."""
    kinds = trace.events["kind"]
    falls = np.flatnonzero((kinds == Kind.RELEASE) | (kinds == Kind.CREATE)) - 1
    return np.unique(np.append(falls[falls >= 0], len(kinds) - 1))


def _rest(trace: PoolTrace, groups: Sequence[Group], at: NDArray[np.intp]) -> Longs:
    """What the groups hold whose sizes stay."""
    held = np.zeros(len(at), np.int64)
    for group in groups:
        if not group.free:
            held += replay_group(trace, group, None).allocated[at].astype(np.int64)
    return held


def _choices(
    name: str,
    traces: Sequence[PoolTrace],
    groups: Sequence[Sequence[Group]],
    moments: Sequence[NDArray[np.intp]],
) -> _Choices:
    own = [next((g for g in some if g.name == name), None) for some in groups]
    pairs = _pairs(traces, own)
    held, calls = [], []
    for sizes in pairs:
        runs = [
            None if group is None else replay_group(trace, group, sizes)
            for trace, group in zip(traces, own, strict=True)
        ]
        held.append(np.concatenate([_at(run, at) for run, at in zip(runs, moments, strict=True)]))
        calls.append(sum(run.totals.calls for run in runs if run is not None))
    return _Choices(name, pairs, np.stack(held), np.array(calls, np.int64))


def _at(run: PoolRun | None, at: NDArray[np.intp]) -> Longs:
    return np.zeros(len(at), np.int64) if run is None else run.allocated[at].astype(np.int64)


def _pairs(traces: Sequence[PoolTrace], own: Sequence[Group | None]) -> tuple[Sizes, ...]:
    """All worth trying: first blocks up to what the group's pools ever held, in the sizes that the
    factory makes; increments finer where they are small."""
    rule = traces[0].rule
    if any(trace.rule != rule for trace in traces):
        raise InputError(
            "the traces are of pools that count differently", remedy="give those of one program"
        )
    most = max(
        _largest(trace, group)
        for trace, group in zip(traces, own, strict=True)
        if group is not None
    )
    firsts = _firsts(rule, most)
    increments = (*range(64, 1024, 16), *range(1024, 2048, 64), *range(2048, 8193, 256))
    kept = [size for size in increments if size <= max(most, 128)]
    return tuple(Sizes(first, increment) for first in firsts for increment in kept)


def _largest(trace: PoolTrace, group: Group) -> int:
    """Bytes that the group had at once, an upper bound of one pool's."""
    return int(replay_group(trace, group, None).used.max(initial=0))


def _firsts(rule: PoolRule, most: int) -> tuple[int, ...]:
    head = rule.pool + rule.block + rule.align
    sizes = rule.sizes or tuple(range(LEAST_INITIAL, 8193, 128))
    fitting = [size for size in sizes if size >= head]
    return tuple(size for size in fitting if size <= most) or tuple(fitting[:1])


# ---- all groups ---------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Search:
    """`starts`: where the moments of each trace begin."""

    choices: tuple[_Choices, ...]
    rest: Longs
    starts: NDArray[np.intp]

    def held(self, picked: Sequence[int]) -> Longs:
        """At every moment, all groups together."""
        held = self.rest.copy()
        for one, at in zip(self.choices, picked, strict=True):
            held += one.held[at]
        return held

    def peaks(self, held: Longs) -> Longs:
        """The sum over the traces of what is held at most; the last axis are the moments."""
        peaks: Longs = np.maximum.reduceat(held, self.starts, axis=-1).sum(axis=-1)
        return peaks


def _descents(search: _Search) -> Iterator[tuple[int, ...]]:
    """A choice for each price, from the choice for the price before it, down and then up."""
    picked = tuple(int(one.calls.argmin()) for one in search.choices)
    for price in (*reversed(PRICES), *PRICES):
        picked = _descent(search, picked, price)
        yield picked


def _descent(search: _Search, picked: tuple[int, ...], price: float) -> tuple[int, ...]:
    chosen = list(picked)
    held = search.held(chosen)
    for _ in range(ROUNDS):
        before = tuple(chosen)
        for index, one in enumerate(search.choices):
            others = held - one.held[chosen[index]]
            score = search.peaks(others + one.held) + price * one.calls
            best = int(score.argmin())
            if score[best] < score[chosen[index]]:
                chosen[index] = best
                held = others + one.held[best]
        if tuple(chosen) == before:
            break
    return tuple(chosen)


def _point(search: _Search, picked: tuple[int, ...], fixed_calls: int) -> Point:
    pairs = list(zip(search.choices, picked, strict=True))
    return Point(
        allocated=int(search.peaks(search.held(picked))),
        calls=fixed_calls + sum(int(one.calls[at]) for one, at in pairs),
        plan={one.name: one.pairs[at] for one, at in pairs},
    )


def _front(points: Sequence[Point]) -> Iterator[Point]:
    least: int | None = None
    for point in sorted(points, key=lambda p: (p.calls, p.allocated)):
        if least is None or point.allocated < least:
            least = point.allocated
            yield point
