"""The sizes that hold least at the peak, by how often the heap is asked for a block.

Every pair of sizes of a group is replayed exactly, each alone: groups do not touch each other, so
what they hold together is the sum. The pools hold most just before something is given back, so that
it is enough to look there; of very many such moments, at those where most was used. Over the groups
the search goes from one to the next until no change of one of them helps (coordinate descent), for
many prices of a call, and for several numbers of calls as a limit. It may miss a better combination
of two; what was recorded is among its choices, and no figure is reported that was not replayed.
"""

from __future__ import annotations

import bisect
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.pools.groups import PoolGroup, Sizes
from heapscope.answers.pools.pool_trace import Kind, PoolTrace
from heapscope.answers.pools.replayed import Plan, replay, replay_group
from heapscope.native.pools import PoolRule, replay_pools

Longs = NDArray[np.int64]

#: Bytes that a call may cost: the search's prices, from none to so dear that calls alone count.
PRICES = (0.0, *(2.0**power for power in range(-2, 17)))
#: Where calls are limited they cost next to nothing: of two choices that hold the same, the fewer.
CHEAP = 2.0**-20
BUDGETS = 16  # numbers of calls that are tried as a limit
MOMENTS_MAX = 4096  # of a trace, so that what all pairs hold fits into memory
ROUNDS = 20  # maximum iterations; typically converges in 3 or 4
LEAST_INITIAL = 128

Advance = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class Point:
    """Sizes of groups; those that `plan` lacks stay as recorded. Bytes at the peak, and blocks
    asked of the heap."""

    allocated: int
    calls: int
    plan: Plan


@dataclass(frozen=True)
class _Choices:
    """The choices for a group: for each pair of its sizes, the bytes that it holds at the moments,
    and its calls. The first pair is None, which stands for the recorded sizes."""

    name: str
    pairs: tuple[Sizes | None, ...]
    held: Longs  # pair x moment
    calls: Longs


def advise(
    traces: Sequence[PoolTrace],
    groups: Sequence[Sequence[PoolGroup]],
    *,
    calls: int | None = None,
    progress: Advance,
) -> tuple[Point, ...]:
    """The choices that no other beats in both, from the fewest calls to the least memory. Several
    traces: the sum of their peaks, and their calls together. `groups` are the traces', in order;
    they agree on which are free, and on how they count (agreed). `calls`: where to look
    most closely, beside as many as recorded."""
    free = sorted({group.name for own in groups for group in own if group.free})
    moments = [_moments(trace) for trace in traces]
    rest = np.concatenate(
        [_rest(trace, own, at) for trace, own, at in zip(traces, groups, moments, strict=True)]
    )
    choices = []
    for done, name in enumerate(free):
        progress(done, len(free))
        choices.append(_choices(name, traces, groups, moments))
    starts = np.cumsum([0, *(len(at) for at in moments[:-1])])
    search = _Search(tuple(choices), rest, starts)
    picks = dict.fromkeys(_descents(search))
    limits = [] if calls is None else [calls - _fixed_calls(traces, groups)]
    picks |= dict.fromkeys(_limited(search, list(picks), limits))
    return tuple(_front([_replayed(traces, groups, search.plan(picked)) for picked in picks]))


def _fixed_calls(traces: Sequence[PoolTrace], groups: Sequence[Sequence[PoolGroup]]) -> int:
    return sum(
        replay_group(trace, group, None).totals.calls
        for trace, own in zip(traces, groups, strict=True)
        for group in own
        if not group.free
    )


def best_within(front: Sequence[Point], calls: int) -> Point | None:
    """The least memory at the peak with at most so many calls; None: none has so few."""
    within = [point for point in front if point.calls <= calls]
    return min(within, key=lambda point: (point.allocated, point.calls), default=None)


# ---- one group ----------------------------------------------------------------------------------


def _moments(trace: PoolTrace) -> NDArray[np.intp]:
    """Before each release and each emptying, and the end: nothing else makes the sum smaller."""
    kinds = trace.events["kind"]
    falls = np.flatnonzero((kinds == Kind.RELEASE) | (kinds == Kind.CREATE)) - 1
    result = np.unique(np.append(falls[falls >= 0], len(kinds) - 1))
    if len(result) > MOMENTS_MAX:
        held = replay_pools(trace.events, np.ones(len(trace.names), np.uint8), trace.rule).used
        result = np.sort(result[np.argsort(held[result], kind="stable")[-MOMENTS_MAX:]])
    return result


def _rest(trace: PoolTrace, groups: Sequence[PoolGroup], at: NDArray[np.intp]) -> Longs:
    """The bytes of the groups whose sizes stay."""
    held = np.zeros(len(at), np.int64)
    for group in groups:
        if not group.free:
            held += replay_group(trace, group, None).allocated[at].astype(np.int64)
    return held


def _choices(
    name: str,
    traces: Sequence[PoolTrace],
    groups: Sequence[Sequence[PoolGroup]],
    moments: Sequence[NDArray[np.intp]],
) -> _Choices:
    own = [next((g for g in some if g.name == name), None) for some in groups]
    parts = [
        _alone(trace, group, at) for trace, group, at in zip(traces, own, moments, strict=True)
    ]
    pairs = (None, *_pairs(traces, own))
    results = [[_tried(part, sizes) for part in parts] for sizes in pairs]
    held = np.stack([np.concatenate([one for one, _ in runs]) for runs in results])
    calls = [sum(calls for _, calls in runs) for runs in results]
    return _Choices(name, pairs, held, np.array(calls, np.int64))


@dataclass(frozen=True)
class _Part:
    """A trace with the events of a group alone, and how many of them the moments come after."""

    trace: PoolTrace
    group: PoolGroup | None  # None: the trace has no such pools
    after: NDArray[np.intp]


def _alone(trace: PoolTrace, group: PoolGroup | None, at: NDArray[np.intp]) -> _Part:
    events = trace.events
    own = np.zeros(len(events), bool)
    if group is not None:
        pools = np.flatnonzero(events["kind"] != Kind.MARK)
        own[pools] = group.chosen[events["key"][pools].astype(np.intp)] == 1
    return _Part(replace(trace, events=events[own]), group, np.cumsum(own)[at])


def _tried(part: _Part, sizes: Sizes | None) -> tuple[Longs, int]:
    """Bytes held at the moments, and heap calls."""
    if part.group is None:
        return np.zeros(len(part.after), np.int64), 0
    run = replay_group(part.trace, part.group, sizes)
    held = np.concatenate([np.zeros(1, np.int64), run.allocated.astype(np.int64)])
    return held[part.after], run.totals.calls


def _pairs(traces: Sequence[PoolTrace], own: Sequence[PoolGroup | None]) -> tuple[Sizes, ...]:
    """All worth trying: first blocks up to the one that has room for what the group's pools ever
    held, in the sizes that the factory makes; increments likewise, finer where they are small."""
    most = max(
        _largest(trace, group)
        for trace, group in zip(traces, own, strict=True)
        if group is not None
    )
    firsts = _firsts(traces[0].rule, most)
    increments = (*range(64, 1024, 16), *range(1024, 2048, 64), *range(2048, 8193, 256))
    kept = _up_to(increments, max(most, 128))
    return tuple(Sizes(first, increment) for first in firsts for increment in kept)


def _largest(trace: PoolTrace, group: PoolGroup) -> int:
    """Bytes that the group had at once, an upper bound of one pool's."""
    return int(replay_group(trace, group, None).used.max(initial=0))


def _firsts(rule: PoolRule, most: int) -> Sequence[int]:
    head = rule.pool + rule.block + rule.align
    sizes = rule.sizes or tuple(range(LEAST_INITIAL, 8193, 128))
    return _up_to([size for size in sizes if size >= head], most) or (head,)


def _up_to(sizes: Sequence[int], most: int) -> Sequence[int]:
    """Ascending ones, up to the first that has room for so much."""
    return sizes[: bisect.bisect_left(sizes, most) + 1]


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

    def peak(self, picked: Sequence[int]) -> int:
        return int(self.peaks(self.held(picked)))

    def calls(self, picked: Sequence[int]) -> int:
        """The calls of the groups that have choices."""
        return sum(int(one.calls[at]) for one, at in zip(self.choices, picked, strict=True))

    def plan(self, picked: Sequence[int]) -> dict[str, Sizes]:
        pairs = zip(self.choices, picked, strict=True)
        return {one.name: sizes for one, at in pairs if (sizes := one.pairs[at]) is not None}


def _descents(search: _Search) -> Iterator[tuple[int, ...]]:
    """The recorded sizes, then a choice for each price, as prices go down and then up. The search
    for each begins at the choice for the price before it."""
    yield (0,) * len(search.choices)
    picked = tuple(int(one.calls.argmin()) for one in search.choices)
    for price in (*reversed(PRICES), *PRICES):
        picked = _descent(search, picked, price)
        yield picked


def _limited(
    search: _Search, results: Sequence[tuple[int, ...]], limits: Sequence[int]
) -> Iterator[tuple[int, ...]]:
    """Prices find no choice that lies behind the line between two others: from the best within a
    number of calls, as far as that number goes. The recorded one is among the numbers."""
    calls = [search.calls(picked) for picked in results]
    held = [search.peak(picked) for picked in results]
    spread = np.linspace(min(calls), max(calls), BUDGETS).astype(int).tolist()
    for limit in sorted({calls[0], *limits, *spread}):
        within = [at for at in range(len(results)) if calls[at] <= limit]
        if not within:
            continue
        best = min(within, key=lambda at: (held[at], calls[at]))
        yield _descent(search, results[best], CHEAP, limit=limit)


def _descent(
    search: _Search, picked: tuple[int, ...], price: float, *, limit: int | None = None
) -> tuple[int, ...]:
    chosen = list(picked)
    held = search.held(chosen)
    for _ in range(ROUNDS):
        before = tuple(chosen)
        for index, one in enumerate(search.choices):
            others = held - one.held[chosen[index]]
            score = search.peaks(others + one.held) + price * one.calls
            if limit is not None:
                spare = limit - search.calls(chosen) + one.calls[chosen[index]]
                score[one.calls > spare] = np.inf
            best = int(score.argmin())
            if score[best] < score[chosen[index]]:
                chosen[index] = best
                held = others + one.held[best]
        if tuple(chosen) == before:
            break
    return tuple(chosen)


def _replayed(
    traces: Sequence[PoolTrace], groups: Sequence[Sequence[PoolGroup]], plan: Plan
) -> Point:
    runs = [replay(trace, own, plan) for trace, own in zip(traces, groups, strict=True)]
    return Point(
        allocated=sum(run.peak for run in runs), calls=sum(run.calls for run in runs), plan=plan
    )


def _front(points: Sequence[Point]) -> Iterator[Point]:
    least: int | None = None
    for point in sorted(points, key=lambda p: (p.calls, p.allocated)):
        if least is None or point.allocated < least:
            least = point.allocated
            yield point
