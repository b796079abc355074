"""Every heap in a memory image, whichever allocator keeps it.

A heap is found by its structure, wherever that proves itself by a walk; the SDK's own list of
heaps, which is found the same way, adds the capabilities of each, and heaps whose structure is
damaged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import Protocol

from heapscope.answers.image import (
    heap_4,
    idf_list,
    nano,
    newlib,
    own_heap,
    rlsf,
    sys_heap,
    tlsf,
    umm,
)
from heapscope.answers.image.chain import is_proved
from heapscope.answers.image.coat import HEAD, coat_of, coated
from heapscope.answers.image.damage import explained
from heapscope.answers.image.dumped import dumped_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.records import records_of
from heapscope.answers.image.registered import RegisteredHeap, registered_heaps
from heapscope.memory.image.memory_image import MemoryImage


class SymbolAddresses(Protocol):
    """The names of a firmware: `address` of a name, None where it is unknown."""

    def address(self, name: str) -> int | None: ...


class _NoSymbols:
    def address(self, name: str) -> int | None:
        del name
        return None


def find_heaps(image: MemoryImage, symbols: SymbolAddresses | None = None) -> tuple[ImageHeap, ...]:
    """By address; of two that share memory, the one that was found first. `symbols`: those of the
    image, where none are given."""
    names = symbols or image.symbols or _NoSymbols()
    listed = registered_heaps(image, names.address("registered_heaps"))
    heaps = [*_of_idf(image, listed), *dumped_heaps(image, listed)]
    coat = coat_of(image, heaps)
    records = records_of(image, heaps, coat)
    coat = replace(coat, listed=records is not None)
    if coat.poisoned:
        heaps = [_proved_by_canaries(image, heap) for heap in heaps]
    dressed = [replace(coated(image, heap, coat, records), coat=coat) for heap in heaps]
    if not dressed:
        dressed = list(_of_others(image, names))
    return tuple(
        replace(heap, damage=explained(image, heap))
        for heap in sorted(dressed, key=lambda heap: heap.start)
    )


def _proved_by_canaries(image: MemoryImage, heap: ImageHeap) -> ImageHeap:
    """The heap again, where headers are damaged or missing: a block behind them has its canary."""
    if heap.dumped or not (heap.gaps or any(one.kind == "header" for one in heap.damage)):
        return heap
    read = idf_list.heap_at if heap.family == idf_list.NAME else tlsf.heap_at
    again = read(image, heap.start, heap.end, canary=HEAD)
    if again is None:
        return heap
    return replace(again, caps=heap.caps, turn=heap.turn, changing=heap.changing)


def _of_idf(image: MemoryImage, listed: tuple[RegisteredHeap, ...]) -> list[ImageHeap]:
    heaps: list[ImageHeap] = []
    for start, end in _places(image, listed):
        if any(heap.start <= start < heap.end for heap in heaps):
            continue
        heap = tlsf.heap_at(image, start, end) or idf_list.heap_at(image, start, end)
        if heap is not None and not any(_share(heap, other) for other in heaps):
            heaps.append(heap)
    turns = {one.start: (turn, one) for turn, one in enumerate(listed)}
    return [_registered(heap, turns) for heap in heaps]


def _places(
    image: MemoryImage, listed: tuple[RegisteredHeap, ...]
) -> Iterator[tuple[int, int | None]]:
    for one in listed:
        if image.known(one.start, 4):  # a core dump has its blocks alone
            yield one.start, one.end
    for layout in (tlsf, idf_list):
        for start in layout.starts(image):
            yield start, None


def _of_others(image: MemoryImage, symbols: SymbolAddresses) -> Iterator[ImageHeap]:
    """The heaps of a firmware without ESP-IDF's."""
    found: list[ImageHeap] = []
    for heap in (*_named(image, symbols), *_by_structure(image)):
        if not any(_share(heap, other) for other in found):
            found.append(heap)
            yield heap


def _named(image: MemoryImage, symbols: SymbolAddresses) -> Iterator[ImageHeap]:
    """The heaps whose memory has the name that the allocator's own source gives it."""
    zephyr = symbols.address("_system_heap")
    memory = None if zephyr is None else image.word(zephyr)
    if memory is not None:
        heap = sys_heap.heap_at(image, memory)
        if heap is not None:
            yield heap
    freertos, last = symbols.address("ucHeap"), symbols.address("pxEnd")
    end = None if last is None else image.word(last)
    if freertos is not None and end is not None:
        heap = heap_4.heap_at(image, freertos + 7 & ~7, end)
        if heap is not None:
            yield heap
    state, base = symbols.address(newlib.STATE), symbols.address(newlib.BASE)
    if state is not None and base is not None:
        heap = newlib.heap_at(image, state, image.word(base) or 0)
        if heap is not None:
            yield heap
    if image.symbols is not None:
        heap = nano.named_heap(image, image.symbols)
        if heap is not None:
            yield heap


def _by_structure(image: MemoryImage) -> Iterator[ImageHeap]:
    for layout in (own_heap, sys_heap, rlsf, umm):
        for start in layout.starts(image):
            heap = layout.heap_at(image, start)
            if heap is not None and is_proved(heap):
                yield heap
    for state, base in newlib.states(image):
        heap = newlib.heap_at(image, state, base)
        if heap is not None and is_proved(heap):
            yield heap
    yield from heap_4.heaps_by_structure(image)


def _registered(heap: ImageHeap, turns: Mapping[int, tuple[int, RegisteredHeap]]) -> ImageHeap:
    if heap.start not in turns:
        return heap
    turn, one = turns[heap.start]
    return replace(heap, caps=one.caps, turn=turn, changing=one.held)


def _share(one: ImageHeap, other: ImageHeap) -> bool:
    return one.start < other.end and other.start < one.end
