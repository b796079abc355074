"""The heap in a core dump of ESP-IDF with CONFIG_ESP_COREDUMP_CAPTURE_DRAM (from v5.3 on).

The SDK writes its data, and the payload of each used block as a segment of its own: no header of a
block, no free one. So the used blocks are the segments in a region. The SDK merges free neighbours,
so what is between two used ones is one free block; but the walk that wrote them ended at the first
damaged header, so what is behind the last one is free only where the heap was sound.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from heapscope.answers.image import tlsf
from heapscope.answers.image.heap import Block, Gap, Heap
from heapscope.memory.image.memory_image import MemoryImage

_HEADER = 4
_FREE_LEAST = 12
_CAPS_8BIT, _CAPS_END = 1 << 2, 1 << 25  # the regions that are written; no capability has more
_ENTRY = 5  # words from an entry's start of the region to its heap
_FRONTS = (12, 16)  # bytes of an entry in front of its start
_LEAST, _MOST = 128, 64 << 20


def dumped_heaps(image: MemoryImage) -> Iterator[Heap]:
    """Of the SDK's list of heaps, those whose own structure is not in the image."""
    if not image.threads:
        return
    for one in _regions(image):
        if image.word(one.start) is None and any(bits & _CAPS_8BIT for bits in one.caps):
            yield _heap(image, one)


class _Region(NamedTuple):
    """An entry of the SDK's list (heap_t): capabilities by priority, the region, a lock, the heap,
    which is where the region begins, and the next entry. Some builds have a name in front."""

    start: int
    end: int
    caps: tuple[int, int, int]
    next: int


def _regions(image: MemoryImage) -> list[_Region]:
    """The longest list of entries that lead to each other."""
    found: dict[int, _Region] = {}
    for at, words in image.words():
        count = len(words) - _ENTRY
        if count <= 3:
            continue
        size = words[1 : count + 1] - words[:count]
        same = (words[:count] == words[4 : 4 + count]) & (words[:count] % 4 == 0)
        for index in (same & (size >= _LEAST) & (size <= _MOST)).nonzero()[0].tolist():
            entry = at + 4 * index
            first, second, third, start, end, following = (
                image.word(entry + 4 * number) or 0 for number in (-3, -2, -1, 0, 1, 5)
            )
            caps = (first, second, third)
            if start and any(caps) and max(caps) < _CAPS_END:
                found[entry] = _Region(start, end, caps, following)
    chains = (list(_chain(found, at, front)) for at in found for front in _FRONTS)
    result = max(chains, key=len, default=[])
    return result if len(result) > 1 else []


def _chain(found: dict[int, _Region], at: int, front: int) -> Iterator[_Region]:
    passed: set[int] = set()
    while at in found and at not in passed:
        passed.add(at)
        yield found[at]
        at = found[at].next + front


def _heap(image: MemoryImage, region: _Region) -> Heap:
    inside = [one for one in image.segments if region.start < one.address < region.end]
    first = inside[0].address - _HEADER if inside else region.start
    blocks: list[Block] = []
    gaps = [Gap(start=region.start, end=first)] if inside else []
    stacks = [thread.stack_pointer for thread in image.threads]
    before = first
    for one in inside:
        hole = one.address - _HEADER - before
        if hole:
            payload = before + _HEADER
            taken = any(payload <= stack < one.address for stack in stacks)
            if hole - _HEADER < _FREE_LEAST or taken:  # the stack on which the dump was written
                gaps.append(Gap(start=before, end=one.address - _HEADER))
            else:
                blocks.append(Block(payload, hole - _HEADER, used=False))
        blocks.append(Block(one.address, len(one.data), used=True))
        before = one.end
    if before < region.end - _HEADER:
        gaps.append(Gap(start=before, end=region.end))
    return Heap(
        start=region.start,
        end=region.end,
        first=first,
        allocator=tlsf.SIZED,
        blocks=tuple(blocks),
        caps=region.caps,
        gaps=tuple(gaps),
        evidence="the used blocks that the core dump has",
    )
