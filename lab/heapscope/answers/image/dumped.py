"""The heap in a core dump of ESP-IDF with CONFIG_ESP_COREDUMP_CAPTURE_DRAM (from v5.4 on).

The SDK writes its data, and the payload of each used block as a segment of its own: no header of a
block, no free one. So the used blocks are the segments in a region. The SDK merges free neighbours,
so what is between two used ones is one free block; but the walk that wrote them ended at the first
damaged header, so what is behind the last one is free only where the heap was sound.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.answers.image import tlsf
from heapscope.answers.image.heap import Gap, ImageBlock, ImageHeap
from heapscope.answers.image.registered import RegisteredHeap
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage

_HEADER = 4
_FREE_LEAST = 12
_CAPS_8BIT = 1 << 2  # the regions that are written


def dumped_heaps(image: MemoryImage, listed: Iterable[RegisteredHeap]) -> Iterator[ImageHeap]:
    """`listed`: of the SDK's own list; those of them whose own structure is not in the image."""
    if not image.blocks_alone:
        return
    for one in listed:
        if image.word(one.start) is None and any(bits & _CAPS_8BIT for bits in one.caps):
            yield _heap(image, one)


def _heap(image: MemoryImage, region: RegisteredHeap) -> ImageHeap:
    inside = [one for one in _ranges(image) if region.start < one[0] < one[1] <= region.end]
    first = inside[0][0] - _HEADER if inside else region.start
    blocks: list[ImageBlock] = []
    gaps = [Gap(start=region.start, end=first)] if inside else []
    stacks = [thread.stack_pointer for thread in image.threads]
    before = first
    for address, end in inside:
        hole = address - _HEADER - before
        if hole:
            payload = before + _HEADER
            taken = any(payload <= stack < address for stack in stacks)
            if hole - _HEADER < _FREE_LEAST or taken:  # the stack on which the dump was written
                gaps.append(Gap(start=before, end=address - _HEADER))
            else:
                blocks.append(ImageBlock(payload, hole - _HEADER, used=False))
        blocks.append(ImageBlock(address, end - address, used=True))
        before = end
    if before < region.end - _HEADER:
        gaps.append(Gap(start=before, end=region.end))
    return ImageHeap(
        start=region.start,
        end=region.end,
        first=first,
        family=tlsf.SIZED,
        order_known=False,
        blocks=tuple(blocks),
        caps=region.caps,
        gaps=tuple(gaps),
        dumped=True,
    )


def _ranges(image: MemoryImage) -> list[tuple[int, int]]:
    """The first byte of each segment and the one behind it, also of those that are truncated."""
    ranges: list[tuple[int, int]] = []
    for start, end in sorted(
        [*((one.address, one.end) for one in image.segments), *image.announced]
    ):
        if ranges and ranges[-1][1] >= start:
            before = ranges.pop()
            start, end = before[0], max(end, before[1])
        ranges.append((start, end))
    return ranges


def left_open(image: MemoryImage, heaps: Iterable[ImageHeap]) -> Iterator[str]:
    """A sentence about all that such a dump leaves open."""
    dumped = [heap for heap in heaps if heap.dumped]
    if dumped and image.truncated:
        yield (
            "The core dump has the used blocks alone, and is truncated: which more of them are "
            "behind the last one of it is not known."
        )
    elif dumped:
        behind = sum(gap.end - gap.start for heap in dumped for gap in heap.gaps[-1:])
        yield (
            "The core dump has the used blocks alone: what is between two of them is free, and the "
            f"{size(behind)} behind the last ones are free if nothing damaged the heap. The order "
            "of the free blocks is not known."
        )


def without_heap(image: MemoryImage) -> str:
    """The answer for an image of tasks alone."""
    if not image.blocks_alone:
        count = len(image.threads)
        tasks = f" and the registers of {plural(count, 'task')}" if count else ""
        return f"No heap was found in the {size(image.size)}{tasks}."
    tasks = f"The core dump has {plural(len(image.threads), 'task')} with their stacks"
    if image.announced or image.truncated:
        return f"{tasks}; the heap, if it had one, is in the part that is cut off."
    return (
        f"{tasks}, and no heap: "
        "CONFIG_ESP_COREDUMP_CAPTURE_DRAM (from ESP-IDF 5.4 on) also keeps the heap's used blocks."
    )
