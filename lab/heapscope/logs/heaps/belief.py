"""The free bytes of a heap as its figures allow them to lie, by one allocator.

All is asked of the allocator's model. The payload that is used and the counts of blocks give the
bytes in holes, to the byte: W = used + holes + 4 (blocks - 1), where W is the payload of the empty
heap. The model, brought to such a state, must report what the log prints; else the figures are not
this allocator's. The largest hole lies between the smallest and the largest for which the model
reports the printed figure, and no hole is above it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from heapscope.logs.heaps.arrangement import HEADER, arrange
from heapscope.logs.heaps.hole import GRANULE, HoleHeap
from heapscope.logs.reader.state import StateRegion
from heapscope.native.config import HeldBlock
from heapscope.native.state import NativeState
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct


@dataclass(frozen=True, kw_only=True)
class Belief:
    """Bytes of payload, poisoning included. `main`: least and most of the largest hole; `others`:
    how many holes there are beside it, at most, `total` their sum, at most, `cap` the size of each,
    at most. `counted`: bytes that the release counts as free; None: not known. `blocks`: all of
    them, where a dump tells; of a heap with one hole or none, a map that behaves alike."""

    main: tuple[int, int]
    others: int = 0
    total: int = 0
    cap: int = 0
    counted: int | None = None
    blocks: tuple[HeldBlock, ...] = ()

    @property
    def exact(self) -> bool:
        return bool(self.blocks)


_BLOCKS_MAX = 20_000  # used blocks of a region; of more, its free bytes and largest block count


def belief_of(heap: HoleHeap, region: StateRegion) -> Belief | None:
    """None: this allocator does not print these figures."""
    if region.new:
        return _new(heap)
    if region.blocks:
        return _dumped(heap, region.blocks)
    if not region.has_figures or (region.used_blocks or 0) > _BLOCKS_MAX:
        return _partly(heap, region)
    assert region.used is not None
    assert region.used_blocks is not None
    assert region.free_blocks is not None
    used = region.used + heap.reported_less * region.used_blocks
    holes = _in_holes(heap, used, region.used_blocks, region.free_blocks)
    counted = None if holes is None else _counted(heap, region, used, holes)
    if holes is None or counted is None:
        return None
    if region.free_blocks > 1:
        return _many(heap, region, holes, counted)
    blocks = _with(heap, [holes] if holes else [], used=used, used_blocks=region.used_blocks)
    row = None if blocks is None else described(heap, blocks)
    if blocks is None or row is None or row.largest_reported != region.largest:
        return None
    return Belief(main=(holes, holes), counted=counted, blocks=blocks)


def doubted(heap: HoleHeap, region: StateRegion) -> tuple[Belief, bool]:
    """Bounds of a region whose figures do not go together: by its largest block alone, or else by
    its size; and whether the allocator prints that block."""
    alone = StateRegion(
        start=region.start, size=region.size, line=region.line, largest=region.largest
    )
    anything = Belief(
        main=(0, heap.whole), others=heap.whole // GRANULE, total=heap.whole, cap=heap.whole
    )
    result = _partly(heap, alone)
    return (anything, False) if result is None else (result, True)


def _in_holes(heap: HoleHeap, used: int, used_blocks: int, free_blocks: int) -> int | None:
    blocks = used_blocks + free_blocks
    holes = heap.whole - used - HEADER * (blocks - 1)
    if blocks == 0 or holes % GRANULE or used < used_blocks * heap.least_used:
        return None
    if free_blocks == 0:
        return 0 if holes == 0 else None
    return holes if holes >= free_blocks * heap.smallest else None


def described(heap: HoleHeap, blocks: tuple[HeldBlock, ...]) -> Struct | None:
    """None: the allocator cannot hold these blocks."""
    try:
        with NativeState(heap.config(blocks)) as state:
            return state.regions()[0]
    except StatusError:
        return None


def _counted(heap: HoleHeap, region: StateRegion, used: int, holes: int) -> int | None:
    """Bytes that are counted as free; None: this allocator does not print the region's sums. They
    do not depend on how the bytes lie."""
    count = region.free_blocks or 0
    sizes = [heap.smallest] * (count - 1)
    sizes += [holes - sum(sizes)] if count else []
    blocks = _with(heap, sizes, used=used, used_blocks=region.used_blocks or 0)
    row = None if blocks is None else described(heap, blocks)
    if row is None or (row.reported_free, row.reported_allocated) != (region.free, region.used):
        return None
    return int(row.counted_free)


def _with(
    heap: HoleHeap, holes: list[int], *, used: int, used_blocks: int
) -> tuple[HeldBlock, ...] | None:
    return arrange(heap.first, holes, used=used, used_blocks=used_blocks, least=heap.least_used)


def _new(heap: HoleHeap) -> Belief | None:
    blocks = _with(heap, [heap.whole], used=0, used_blocks=0)
    row = None if blocks is None else described(heap, blocks)
    if blocks is None or row is None:
        return None
    return Belief(main=(heap.whole, heap.whole), counted=row.counted_free, blocks=blocks)


def _many(heap: HoleHeap, region: StateRegion, holes: int, counted: int) -> Belief | None:
    count = region.free_blocks or 0
    average = -(-holes // count)
    least = max(heap.smallest, average + GRANULE - 1 & ~(GRANULE - 1))
    most = min(holes - heap.smallest * (count - 1), heap.largest_hole())
    main = reported_between(heap, region.largest or 0, least, most)
    if main is None:
        return None
    total = holes - main[0]
    return Belief(
        main=main,
        others=count - 1,
        total=total,
        cap=min(main[1], total - heap.smallest * (count - 2)),
        counted=counted,
    )


def reported_between(heap: HoleHeap, largest: int, least: int, most: int) -> tuple[int, int] | None:
    """The holes from `least` to `most` of which `largest` is reported: the figure never falls with
    the hole."""

    def reported(hole: int) -> int:
        row = heap.row(hole)
        return 0 if row is None else int(row.largest_reported)

    low = _first(least, most, lambda hole: reported(hole) >= largest)
    high = _first(least, most, lambda hole: reported(hole) > largest) - GRANULE
    return (low, high) if low <= high else None


def _first(least: int, most: int, holds: Callable[[int], bool]) -> int:
    """The first multiple of the granule from `least` on for which it holds, as it then does for all
    above; one beyond `most`: for none."""
    low, high = 0, max(most - least, -GRANULE) // GRANULE + 1
    while low < high:
        middle = (low + high) // 2
        if holds(least + middle * GRANULE):
            high = middle
        else:
            low = middle + 1
    return least + low * GRANULE


def _dumped(heap: HoleHeap, blocks: tuple[HeldBlock, ...]) -> Belief | None:
    if blocks[0].address != heap.first:
        return None
    row = described(heap, blocks)
    if row is None:
        return None
    holes = sorted(block.size for block in blocks if not block.used)
    main = holes[-1] if holes else 0
    return Belief(
        main=(main, main),
        others=max(len(holes) - 1, 0),
        total=sum(holes[:-1]),
        cap=holes[-2] if len(holes) > 1 else 0,
        counted=row.counted_free,
        blocks=blocks,
    )


def _partly(heap: HoleHeap, region: StateRegion) -> Belief | None:
    """Bounds from what there is. No release counts fewer bytes as free than lie in holes, but for
    what poisoning takes off."""
    if region.first not in (None, heap.first):
        return None
    most = heap.whole
    if region.free is not None:
        most = min(most, region.free + heap.reported_less & ~(GRANULE - 1))
    main = (0, most)
    if region.largest is not None:
        result = reported_between(heap, region.largest, heap.smallest, most)
        if result is None and region.largest > 0:
            return None
        main = (0, heap.reported_less) if result is None else result
        main = main if region.largest > 0 else (0, main[1])
    main = max(main[0], region.hole), max(main[1], region.hole)
    total = max(most - main[0], 0)
    others = total // (heap.smallest + HEADER) + 1 if total else 0
    counted = region.free + heap.reported_less if region.free else None
    return Belief(main=main, others=others, total=total, cap=min(main[1], total), counted=counted)
