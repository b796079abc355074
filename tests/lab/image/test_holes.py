"""Bytes inside of a heap that the image does not have: no block next to them is called damaged, and
no block is lost without a word."""

from __future__ import annotations

from random import Random

import pytest

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbols

from .damaged_heaps import LIBRARIES, names_of
from .drawn_heap import START, TASK, DrawnHeap
from .test_libc_heaps import START as LIBRARY_START
from .test_libc_heaps import RanProgram

FREE_LISTS = ("idf-3.3", "idf-3.3+light", "idf-4.2+light", "idf-4.2+track", "idf-4.2+full")
TABLES = ("idf-4.4.2", "idf-4.4.2+full", "idf-5.1", "idf-5.1+light", "idf-5.3+full", "idf-5.5")
OTHERS = ("heap_4", "heap_4-4", "umm", "umm:32", "sys_heap", "heapscope", "heapscope-16")
#: Old words in their free memory are as those of a block: the first ones behind a hole may be that.
LEAVING = ("idf-3.3", "idf-4.4.2", "heap_4", "heap_4-4")


def without(
    start: int, memory: bytes, holes: list[tuple[int, int]], *, names: FirmwareSymbols | None
) -> tuple[ImageHeap, ...]:
    """The heaps of the memory without the bytes of the holes, which are offsets in order."""
    at, segments = 0, []
    for low, high in [*holes, (len(memory), len(memory))]:
        if low > at:
            segments.append(MemorySegment(start + at, memory[at:low]))
        at = max(at, high)
    if start == START:  # heap_4's pxEnd is in other memory
        words = bytes(512) + (START + len(memory) - 8).to_bytes(4, "little")
        segments.insert(0, MemorySegment(TASK, words))
    image = MemoryImage(segments=tuple(segments), files=("a",), what="drawn", symbols=names)
    return find_heaps(image)


def drawn_holes(random: Random, low: int, size: int) -> list[tuple[int, int]]:
    holes = []
    for _ in range(random.choice((1, 1, 2, 5))):
        at = random.randrange(low, size) & ~random.choice((0, 3, 15, 255))
        holes.append((at, min(size, at + random.choice((4, 16, 64, 256, random.randint(1, 9000))))))
    return sorted(holes)


def check(sound: ImageHeap, heaps: tuple[ImageHeap, ...], *, leaves: bool = False) -> None:
    known = {block.address: block[:3] for block in sound.blocks}
    for heap in heaps:
        assert heap.damage == ()
        assert heap.order_known <= (not heap.gaps)
        listed = {block.address: block[:3] for block in heap.blocks}
        if not leaves:
            assert listed.items() <= known.items()
            silent = known.keys() - listed.keys()
            assert all(any(gap.start <= at < gap.end for gap in heap.gaps) for at in silent)


@pytest.mark.parametrize("allocator", [*FREE_LISTS, *TABLES, *OTHERS])
def test_nothing_beside_missing_bytes_is_damaged(allocator: str, seed: int) -> None:
    random = Random(f"{seed} holes {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    memory = bytes(drawn.memory(random))
    (sound,) = find_heaps(drawn.image(memory))
    names = names_of(allocator, sound)
    for _ in range(3):
        holes = drawn_holes(random, sound.first - START, len(memory))
        check(sound, without(START, memory, holes, names=names), leaves=allocator in LEAVING)


@pytest.mark.parametrize("library", LIBRARIES)
def test_nor_in_the_heap_of_a_c_library(library: str, seed: int) -> None:
    random = Random(f"{seed} holes {library}")
    ran = RanProgram.of(library)
    (sound,) = ran.heaps()
    first, size = sound.first - LIBRARY_START, sound.end - LIBRARY_START
    for _ in range(3):
        holes = drawn_holes(random, first, size)
        memory = bytes(ran.memory)
        check(sound, without(LIBRARY_START, memory, holes, names=ran.symbols))


def test_a_heap_whose_end_is_not_in_the_image_is_found(seed: int) -> None:
    random = Random(f"{seed} truncated")
    drawn = DrawnHeap.draw("sys_heap", random)
    memory = bytes(drawn.memory(random))
    (sound,) = find_heaps(drawn.image(memory))
    (heap,) = without(START, memory, [(len(memory) * 3 // 4, len(memory))], names=None)
    assert heap.end == sound.end
    check(sound, (heap,))
