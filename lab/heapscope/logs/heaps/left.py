"""A heap after requests, as its release would report it: each figure with the least and the most
that it can be."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.logs.heaps.belief import Belief
from heapscope.logs.heaps.hole import HoleHeap
from heapscope.logs.heaps.worlds import HeapBounds
from heapscope.native.structs import Struct


@dataclass(frozen=True)
class RegionLeft:
    """`free`, `largest`: as reported; None: not known."""

    free: tuple[int, int] | None
    largest: tuple[int, int]
    allocatable: tuple[int, int]  # the largest malloc that it would serve


def left_of_row(row: Struct) -> RegionLeft:
    free, largest, most = row.reported_free, row.largest_reported, row.largest_allocatable
    return RegionLeft((free, free), (largest, largest), (most, most))


def spread(each: Sequence[RegionLeft | None]) -> RegionLeft | None:
    """Bounds that hold all of them; None: one is not known."""
    known = [left for left in each if left is not None]
    if not known or len(known) < len(each):
        return None
    frees = [left.free for left in known if left.free is not None]
    return RegionLeft(
        _hull(frees) if len(frees) == len(known) else None,
        _hull([left.largest for left in known]),
        _hull([left.allocatable for left in known]),
    )


def left_of(heap: HoleHeap, belief: Belief, bounds: HeapBounds) -> RegionLeft:
    largest_hole = max(bounds.main_most, bounds.other_most)
    ends = (_of_hole(heap, bounds.main_least), _of_hole(heap, largest_hole))
    return RegionLeft(
        _free(heap, belief, bounds),
        (ends[0][0], ends[1][0]),
        (ends[0][1], ends[1][1]),
    )


def _of_hole(heap: HoleHeap, hole: int) -> tuple[int, int]:
    """The largest as reported, and the largest malloc. A hole that cannot be is the next smaller
    one that can."""
    if hole < heap.smallest:
        return 0, 0
    row = heap.row(hole if hole >= heap.whole else min(hole, heap.largest_hole()))
    return (0, 0) if row is None else (row.largest_reported, row.largest_allocatable)


def _free(heap: HoleHeap, belief: Belief, bounds: HeapBounds) -> tuple[int, int] | None:
    if belief.counted is None:
        return None
    least, most = belief.counted - bounds.cost_most, belief.counted - bounds.cost_least
    return max(least - heap.reported_less, 0), max(most - heap.reported_less, 0)


def _hull(pairs: Sequence[tuple[int, int]]) -> tuple[int, int]:
    return min(least for least, _ in pairs), max(most for _, most in pairs)
