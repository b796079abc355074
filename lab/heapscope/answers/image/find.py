"""Every heap in a memory image, whichever allocator keeps it.

A heap is found by its structure, wherever that proves itself by a walk; the SDK's own list of heaps,
which is found the same way, adds the capabilities of each.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapscope.answers.image import tlsf
from heapscope.answers.image.heap import Heap
from heapscope.memory.image.memory_image import MemoryImage

#: The layouts that are looked for: each tells where its heaps may start, and the heap that is there.
_LAYOUTS = (tlsf,)


def find_heaps(image: MemoryImage) -> tuple[Heap, ...]:
    """By address; of two that share memory, the one that was found first."""
    heaps: list[Heap] = []
    for layout in _LAYOUTS:
        for start in layout.starts(image):
            heap = layout.heap_at(image, start)
            if heap is not None and not any(_share(heap, other) for other in heaps):
                heaps.append(heap)
    listed = {one.heap: one for one in _registered(image, {heap.start for heap in heaps})}
    return tuple(
        replace(heap, caps=listed[heap.start].caps) if heap.start in listed else heap
        for heap in sorted(heaps, key=lambda heap: heap.start)
    )


def _share(one: Heap, other: Heap) -> bool:
    return one.start < other.end and other.start < one.end


@dataclass(frozen=True)
class _Registered:
    """heap_t of ESP-IDF: `caps` by priority, `heap`: the address of the heap's structure."""

    heap: int
    caps: tuple[int, int, int]


def _registered(image: MemoryImage, starts: set[int]) -> Iterator[_Registered]:
    """The entries of ESP-IDF's list of heaps: capabilities, start, end, lock, heap, next; from 5.5
    on with a name in front of all, which its words do not need."""
    for start, words in image.words():
        for address in starts:
            for index in (words == address).nonzero()[0].tolist():
                at = start + 4 * index
                if image.word(at - 16) == address and (image.word(at - 12) or 0) > address:
                    caps = tuple(image.word(at - 28 + 4 * number) or 0 for number in range(3))
                    if any(caps):
                        yield _Registered(address, (caps[0], caps[1], caps[2]))
