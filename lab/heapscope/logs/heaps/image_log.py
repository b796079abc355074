"""A memory image as a device would print it: what answers about a log answers about it, too."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from heapscope.answers.image.census import UNNAMED, kind_of
from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.models import Modelled, modelled
from heapscope.logs.heaps.held_heaps import heaps_in, labelled
from heapscope.logs.heaps.image_state import check_state, may_go_on
from heapscope.logs.reader.facts import read_log
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import HeapState, last_state

BLOCKS, NAMED = "blocks in use", "blocks by name"  #: the sections of these figures
_PLAIN = "0x00001000"  # MALLOC_CAP_DEFAULT


def read_image(names: str, reading: LogReading, *, idf: str) -> tuple[str, int]:
    """Reads it as the log of a device that prints its heaps and every block; `names`: of the files
    of one moment, with commas. The name of the files, and lines. InputError: it cannot be read, or
    is damaged so that no request can be tried in it."""
    held = heaps_in(names)
    heaps = held.heaps
    for heap in heaps:
        check_state(heap, names)
    models = modelled(heaps, idf or held.sdk)
    text = "\n".join(_lines(heaps, models)) + "\n"
    lines = read_log((text.encode("ascii"),), reading)
    state = last_state(reading)
    if state is not None:
        reading.image = _with_orders(state, heaps, models)
    return names, lines


def used_alone(names: str) -> int | None:
    """The bytes in use, where what is free is not known or is damaged; None: it is known."""
    heaps = heaps_in(names).heaps
    if all(map(may_go_on, heaps)):
        return None
    return sum(
        block.size - heap.coat.poison for heap in heaps for block in heap.blocks if block.used
    )


def blocks_by_size(names: str) -> dict[tuple[str, str], int]:
    """Bytes in used blocks of each size as requested, or as they are, by section and name."""
    sizes: dict[tuple[str, str], int] = {}
    for heap in heaps_in(names).heaps:
        for block in heap.blocks:
            if block.used:
                each = block.size if block.requested is None else block.requested
                key = BLOCKS, f"of {each:,} B"
                sizes[key] = sizes.get(key, 0) + each
    return dict(sorted(sizes.items(), key=lambda one: -one[1]))


def blocks_by_name(names: str) -> dict[tuple[str, str], int]:
    """Bytes in used blocks of each name, by section and name, the most bytes first."""
    held = labelled(names)
    sizes: dict[tuple[str, str], int] = {}
    for heap in held.heaps:
        for block in heap.blocks:
            label = held.labels.get(block.address)
            if block.used and label is not None:
                key = NAMED, kind_of(label.name) or UNNAMED
                sizes[key] = sizes.get(key, 0) + block.size
    return dict(sorted(sizes.items(), key=lambda one: -one[1]))


def _with_orders(
    state: HeapState, heaps: Sequence[ImageHeap], models: Sequence[Modelled]
) -> HeapState:
    """The state with what no print tells: the order of the free blocks, and capabilities."""
    by_start = {heap.start: heap for heap in heaps}
    regions = tuple(
        replace(one, holes=by_start[one.start].free_order, caps=by_start[one.start].caps)
        if one.start in by_start and by_start[one.start].order_known
        else one
        for one in state.regions
    )
    return replace(state, regions=regions, allocators=models[0].names)


def _lines(heaps: Sequence[ImageHeap], models: Sequence[Modelled]) -> Iterator[str]:
    yield f"Heap summary for capabilities {_PLAIN}:"
    totals = [0, 0, 0, 0]
    for heap, model in zip(heaps, models, strict=True):
        row, poison = model.row, heap.coat.poison
        if row is None:
            continue
        least = max(0, (heap.minimum_free or 0) - poison)
        figures = (row.reported_free, row.reported_allocated, least, row.largest_reported)
        yield (
            f"  At {heap.start:#010x} len {heap.size} free {figures[0]} allocated {figures[1]} "
            f"min_free {figures[2]}"
        )
        yield (
            f"    largest_free_block {figures[3]} alloc_blocks {row.used_blocks} "
            f"free_blocks {row.free_blocks} total_blocks {row.used_blocks + row.free_blocks}"
        )
        sums = [a + b for a, b in zip(totals[:3], figures[:3], strict=True)]
        totals = [*sums, max(totals[3], figures[3])]
    yield "  Totals:"
    yield (
        f"    free {totals[0]} allocated {totals[1]} min_free {totals[2]} "
        f"largest_free_block {totals[3]}"
    )
    for heap in heaps:
        yield f"Showing data for heap: {heap.start:#010x} "
        for block in heap.blocks:
            free = "No" if block.used else "Yes"
            yield f"Block {block.address:#010x} data, size: {block.size} bytes, Free: {free} "
