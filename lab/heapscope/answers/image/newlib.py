"""The heap of newlib's malloc in a memory image: chunks that know whether the one before is in use.

Its state is one array of bins, `__malloc_av_`: a word, a bitmap, and lists of free chunks, each of
whose heads lies two words in front of its links. The first bin is the chunk at the heap's end. A
chunk begins with the size of the chunk before it, if that is free, and its own size with two bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy

from heapscope.answers.image.chain import ChainStep, broken_header, broken_link, follow
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "newlib"
STATE, BASE = "__malloc_av_", "__malloc_sbrk_base"
_SIZE, _PAYLOAD = 4, 8
_BEFORE_USED, _BITS = 1, 3
_LEAST, _ALIGNMENT = 16, 8
_BINS = 128
_TOP = 8  # in the state: the link of the first bin
_LINKS = 8  # from a bin's head to its links; the head of bin 0 is the state itself
_BASE = 8 + 8 * _BINS  # behind the state, where the linker puts the heap's start
_EMPTY = 6  # of the last bins, which are for large chunks
_LAST = 8
_FENCE = 5  # a size at the end of memory that sbrk did not continue


@dataclass(frozen=True)
class _BoundaryTags:
    image: MemoryImage
    top: int

    def size(self, at: int) -> int:
        return (self.image.word(at + _SIZE) or 0) & ~_BITS

    def step(self, at: int) -> ChainStep | None:
        size = self.size(at)
        following = at + size
        if size < _LEAST or size % _ALIGNMENT or following > self.top:
            return None
        word = self.image.word(following + _SIZE)
        if word is None:
            return None
        used = bool(word & _BEFORE_USED)
        if not used and self.image.word(following) != size:
            return None
        return ChainStep(ImageBlock(at + _PAYLOAD, size - _SIZE, used), following)


def states(image: MemoryImage) -> Iterator[tuple[int, int]]:
    """Where nearly all of the last bins are empty, which leads each to itself; and the start of
    that heap, as the variable behind has it."""
    for start, words in image.words():
        count = len(words) - _BASE // 4
        if count <= 0:
            continue
        at = (start + 4 * numpy.arange(count, dtype="u8")).astype("u4")
        empty = numpy.zeros(count, int)
        for number in range(_BINS - _LAST, _BINS):
            head = at + numpy.uint32(8 * number)
            index = 2 * number + _LINKS // 4
            first, last = (words[index + more :][:count] for more in (0, 1))
            empty += (first == head) & (last == head)
        for index in (empty >= _EMPTY).nonzero()[0].tolist():
            yield start + 4 * index, image.word(start + 4 * index + _BASE) or 0


def heap_at(image: MemoryImage, state: int, base: int) -> ImageHeap | None:
    """`base`: what sbrk gave first. None: no heap of this kind is there."""
    top = image.word(state + _TOP)
    first = base + -base % _ALIGNMENT
    if top is None or top == state or not first <= top or top % _ALIGNMENT:
        return None
    chunks = _BoundaryTags(image, top)
    last = chunks.size(top)
    end = top + last
    if last < _LEAST or not image.known(top, last) or not _is_used_before(image, top):
        return None
    tell = broken_header(image, at=_SIZE, payload=_PAYLOAD, why="it leads to no other chunk")

    def broken(at: int, going_on: int) -> Damage | None:
        return None if image.word(at + _SIZE) == _FENCE else tell(at, going_on)

    chained = follow(
        first,
        top,
        chunks.step,
        candidates=lambda at: range(at + _ALIGNMENT, top, _ALIGNMENT),
        broken=broken,
    )
    if chained.damage and len(chained.blocks) < 2:
        return None
    blocks = (*chained.blocks, ImageBlock(top + _PAYLOAD, last - _PAYLOAD, used=False))
    order, damage = _bins(image, state, chained.blocks)
    free = [block.size + _SIZE for block in chained.blocks if not block.used]
    return ImageHeap(
        start=base,
        end=end,
        first=first,
        family=NAME,
        blocks=blocks,
        free_order=(*order, blocks[-1].address),
        order_known=len(order) == len(free),
        counted_free=sum(free) + last,
        largest=max(block.size for block in blocks if not block.used),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _is_used_before(image: MemoryImage, top: int) -> bool:
    """A free chunk in front of the top is always joined to it."""
    return bool((image.word(top + _SIZE) or 0) & _BEFORE_USED)


def _bins(
    image: MemoryImage, state: int, blocks: Sequence[ImageBlock]
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    """The free chunks bin by bin, and links that lead to none."""
    free = {block.address for block in blocks if not block.used}
    order: dict[int, None] = {}
    damage = []
    for number in range(1, _BINS):
        head = state + 8 * number
        at, owner = head + _LINKS, 0
        while (link := image.word(at)) is not None and link != head:
            payload = link + _PAYLOAD
            if payload not in free or payload in order:
                why = "it does not lead to a free chunk of its bin"
                twice = payload if payload in order else 0
                damage.append(broken_link(at, owner, link, why, twice=twice))
                break
            order[payload] = None
            at, owner = payload, payload
    return tuple(order), tuple(damage)
