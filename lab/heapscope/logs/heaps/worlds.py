"""Requests followed through every arrangement that a summary allows.

A heap is known by bounds: of one hole, its main one; of how many holes there are beside it, their
sum and the largest of them; and of what was given out. A world is such a heap for each region. A
request asks the regions in their order, and at each the worlds divide by what may have happened:

- The main hole served it. That can be if its upper bound serves it, and a smaller hole is always
  left no larger than a larger one would be.
- Another hole served it. That can be if one of their size and sum serves it; the sum is then less
  by at least the block.
- None served it. That cannot be if the lower bound of the main hole serves it; else all holes are
  smaller than the least that serves it, and the next region is asked.

Which hole TLSF or the free list prefers is left open, so that the worlds hold every real
arrangement and some that cannot be. So a request is surely served if it is in every world, and
surely fails if it fails in all. Two worlds may be joined into one whose bounds hold both; that
loses no arrangement, and is done where there are too many."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from heapscope.base.request import Request
from heapscope.logs.heaps.hole import GRANULE, HoleHeap

_WORLDS_MAX = 128
_LISTED = Request(12)  # of 16 bytes, which have no word for their task
_WHOLE = 12  # bytes that a block may be longer than asked, as its rest would be no block


class HeapBounds(NamedTuple):
    """Bounds of one heap, in bytes of payload. `cost`: so many fewer are counted as free."""

    main_least: int
    main_most: int
    others: int
    total: int
    cap: int
    cost_least: int = 0
    cost_most: int = 0

    @property
    def other_most(self) -> int:
        """The largest that a hole beside the main one can be."""
        return min(self.cap, self.total) if self.others else 0


World = tuple[HeapBounds | None, ...]  #: None: a region that no request is followed into


@dataclass(frozen=True)
class Fate:
    """All that may become of one request. `regions`: those that may serve it."""

    may_serve: bool
    may_fail: bool
    regions: tuple[int, ...]


@dataclass(frozen=True)
class _Hole:
    """All that may happen where a hole within bounds serves a request."""

    rest: tuple[int, int]
    cost: tuple[int, int]
    less: int  # bytes that a sum of holes is less by, at least


def follow(
    heaps: Sequence[HoleHeap | None],
    start: World,
    requests: Sequence[Request],
    order: Callable[[Request], Sequence[int]],
    *,
    lists: int | None = None,
) -> tuple[tuple[Fate, ...], World]:
    """A step for each request, and bounds that hold all worlds after the last one. `lists`: the
    region that gives one block more for each request that is served, if there is one."""
    worlds: dict[World, None] = {start: None}
    steps = []
    for request in requests:
        after: dict[World, None] = {}
        regions: dict[int, None] = {}
        may_fail = False
        for world in worlds:
            for served, one in _ask(heaps, world, request, order(request)):
                if served is None:
                    after[one] = None
                    may_fail = True
                    continue
                regions[served] = None
                listed = () if lists is None else _ask(heaps, one, _LISTED, (lists,))
                after |= dict.fromkeys(world for _, world in listed) or {one: None}
        steps.append(Fate(bool(regions), may_fail, tuple(sorted(regions))))
        worlds = after if len(after) <= _WORLDS_MAX else {_all(tuple(after)): None}
    return tuple(steps), _all(tuple(worlds))


def _ask(
    heaps: Sequence[HoleHeap | None], world: World, request: Request, order: Sequence[int]
) -> Iterator[tuple[int | None, World]]:
    """The region that served it, or None, with the world afterwards, for all that may happen."""
    for index in dict.fromkeys(order):
        heap, bounds = heaps[index], world[index]
        if heap is None or bounds is None:
            continue
        least = heap.least(request)
        if least is None:
            continue
        for after in _served(heap, bounds, request, least):
            yield index, (*world[:index], after, *world[index + 1 :])
        if bounds.main_least >= least:
            return
        most = least - GRANULE
        without = bounds._replace(main_most=min(bounds.main_most, most), cap=min(bounds.cap, most))
        world = (*world[:index], without, *world[index + 1 :])
    yield None, world


def _served(
    heap: HoleHeap, bounds: HeapBounds, request: Request, least: int
) -> Iterator[HeapBounds]:
    main = _taken(heap, request, max(bounds.main_least, least), bounds.main_most)
    if main is not None:
        yield _given(bounds, main)._replace(main_least=main.rest[0], main_most=main.rest[1])
    other = _taken(heap, request, least, bounds.other_most)
    if other is not None:
        yield _given(bounds, other)._replace(total=bounds.total - other.less)


def _given(bounds: HeapBounds, hole: _Hole) -> HeapBounds:
    return bounds._replace(
        cost_least=bounds.cost_least + hole.cost[0],
        cost_most=bounds.cost_most + hole.cost[1],
    )


def _taken(heap: HoleHeap, request: Request, least: int, most: int) -> _Hole | None:
    """None: no hole within the bounds serves it. A hole that is little larger than the block goes
    whole, one that is larger by a block or more is cut: so the ends and the few smallest sizes tell
    all."""
    if most > heap.largest_hole():
        most = heap.whole if most >= heap.whole else heap.largest_hole()
    if least > heap.largest_hole():
        least = heap.whole
    if least > most:
        return None
    sizes = {*range(least, min(least + _WHOLE + 2 * GRANULE, most), GRANULE), most}
    results = [(size, heap.take(size, request)) for size in sorted(sizes)]
    outcomes = [(size, taken) for size, taken in results if taken is not None]
    if not outcomes:
        return None
    costs = [taken.cost for _, taken in outcomes]
    rests = [taken.rest for _, taken in outcomes]
    return _Hole(
        rest=(min(rests), max(rests)),
        cost=(min(costs), max(costs)),
        less=min(size - taken.rest for size, taken in outcomes),
    )


def joined(one: HeapBounds, other: HeapBounds) -> HeapBounds:
    """Bounds that hold both."""
    if one == other:
        return one
    return HeapBounds(
        main_least=min(one.main_least, other.main_least),
        main_most=max(one.main_most, other.main_most),
        others=max(one.others, other.others),
        total=max(one.total, other.total),
        cap=max(one.cap, other.cap),
        cost_least=min(one.cost_least, other.cost_least),
        cost_most=max(one.cost_most, other.cost_most),
    )


def _all(worlds: Sequence[World]) -> World:
    results = worlds[0]
    for world in worlds[1:]:
        results = tuple(
            None if one is None or other is None else joined(one, other)
            for one, other in zip(results, world, strict=True)
        )
    return results
