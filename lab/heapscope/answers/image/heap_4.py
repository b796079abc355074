"""FreeRTOS's heap_4 and heap_5 in a memory image: one list of free blocks in address order.

The layout of the structures: lab/models/heap_4.c. A heap keeps no word about itself, so that it is
found by its chain of blocks, which ends with an empty one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from heapscope.answers.image.chain import ChainStep, broken_header, broken_link, follow
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME, FINE = "heap_4", "heap_4-4"  #: FINE: with an alignment of 4 bytes
ALIGNMENT = 8
_SIZE, _HEADER = 4, 8
_USED = 0x8000_0000
_LEAST = 12  # bytes of a block
_ALIGNMENT = 4
_PROOF = 4  # blocks of a heap that no symbol names


@dataclass(frozen=True)
class _FreeList:
    """The places from which each block leads on to the next one, and where that ends."""

    image: MemoryImage

    def step(self, at: int) -> ChainStep | None:
        link, size = self.image.word(at), self.image.word(at + _SIZE)
        if link is None or size is None:
            return None
        used, size = bool(size & _USED), size & ~_USED
        if size < _LEAST or size % _ALIGNMENT or used != (link == 0):
            return None
        if not used and (link <= at or link % _ALIGNMENT):
            return None
        following = at + size
        return ChainStep(ImageBlock(at + _HEADER, size - _HEADER, used), following)

    def ends(self, at: int) -> bool:
        return self.image.word(at + _SIZE) == 0 and self.image.word(at) is not None


def heaps_by_structure(image: MemoryImage) -> Iterator[ImageHeap]:
    chain = _FreeList(image)
    for start, words in image.words():
        count = len(words) - 1
        if count <= 0:
            continue
        links, sizes = words[:count], words[1 : count + 1]
        plain = (sizes & 0x7FFF_FFFF).astype("i8")
        at = start + 4 * numpy.arange(count, dtype="i8")
        used = (sizes & _USED != 0) & (links == 0)
        free = (sizes & _USED == 0) & (links > at) & (links % _ALIGNMENT == 0)
        inside = (plain >= _LEAST) & (plain % _ALIGNMENT == 0) & (at + plain < start + 4 * count)
        places = at[(used | free) & inside].tolist()
        yield from _chains(image, chain, places)


def _chains(image: MemoryImage, chain: _FreeList, places: list[int]) -> Iterator[ImageHeap]:
    """A chain that begins at no block's end; of those that end at one place, the first one that is
    sound: what is left of old blocks inside a free one may lead into the chain, too."""
    lengths: dict[int, tuple[int, int]] = {}
    led_to = set()
    for at in reversed(places):
        one = chain.step(at)
        if one is None:
            continue
        length, end = lengths.get(one.next, (0, one.next))
        if length == 0 and not chain.ends(end):
            continue
        link = image.word(at) or end  # of a free block, to one of the same chain
        if link == end or lengths.get(link, (0, 0))[1] == end:
            lengths[at] = (length + 1, end)
            led_to.add(one.next)
    found = set()
    for at, (length, end) in sorted(lengths.items()):
        if length < _PROOF or at in led_to or end in found:
            continue
        heap = heap_at(image, at, end)
        if heap is not None and not heap.damage:
            found.add(end)
            yield heap


def heap_at(image: MemoryImage, start: int, end: int) -> ImageHeap | None:
    """From its first block to the empty one at its end."""
    chain = _FreeList(image)

    chained = follow(
        start,
        end,
        chain.step,
        candidates=lambda at: range(at + _ALIGNMENT, end, _ALIGNMENT),
        broken=broken_header(image, at=_SIZE, payload=_HEADER, why="it leads to no other block"),
    )
    if not chained.blocks:
        return None
    free = [block for block in chained.blocks if not block.used]
    return ImageHeap(
        start=start,
        end=end + _HEADER,
        first=start,
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=tuple(block.address for block in free),
        counted_free=sum(block.size + _HEADER for block in free),
        largest=max((block.size + _HEADER for block in free), default=0),
        damage=(*chained.damage, *_links(image, free, end)),
        gaps=tuple(chained.gaps),
    )


def _links(image: MemoryImage, free: list[ImageBlock], end: int) -> Iterator[Damage]:
    """Each free block has to lead to the next one, the last one to the end."""
    following = [block.address - _HEADER for block in free[1:]]
    for block, expected in zip(free, (*following, end), strict=False):
        holds = image.word(block.address - _HEADER)
        if holds is not None and holds != expected:
            why = "it does not lead to the next free block"
            at = block.address - _HEADER
            yield broken_link(at, block.address, holds, why, expected=expected)
