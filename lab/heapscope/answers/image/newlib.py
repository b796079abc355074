"""The heap of newlib's malloc in a memory image: chunks that know whether the one before is in use.

Its state is one array of bins, `__malloc_av_`: a word, a bitmap, and lists of free chunks, each of
whose heads lies two words in front of its links. The first bin is the chunk at the heap's end. A
chunk begins with the size of the chunk before it, if that is free, and its own size with two bits.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy

from heapscope.answers.image.chain import (
    ChainStep,
    broken_header,
    broken_link,
    follow,
    in_gap,
    wrong_header,
)
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
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
    free: frozenset[int]

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
        named = self.image.word(following) == size
        if not (used or named) or (used and named and at + _PAYLOAD in self.free):
            return None  # the chunk's own words and those behind it do not agree
        return ChainStep(ImageBlock(at + _PAYLOAD, size - _SIZE, used), following)

    def leads(self, at: int) -> ChainStep | None:
        """Its own word and the bins alone prove a chunk: the next one's bit may be wrong."""
        size = self.size(at)
        if size < _LEAST or size % _ALIGNMENT or at + size > self.top:
            return None
        payload = at + _PAYLOAD
        return ChainStep(ImageBlock(payload, size - _SIZE, payload not in self.free), at + size)

    def wrong_back(self, at: int, before: int) -> Damage | None:
        """The damage of the word with a free chunk's size, or of the bit for a used one."""
        size, word = self.image.word(at), self.image.word(at + _SIZE)
        if size is None or word is None:
            return None
        if before + _PAYLOAD not in self.free:
            why = "it says that the chunk before it is free"
            expected = word | _BEFORE_USED
            return wrong_header(at + _SIZE, 4, at + _PAYLOAD, word, why, expected=expected)
        if word & _BEFORE_USED:
            why = "it says that the chunk before it is in use"
            return wrong_header(at + _SIZE, 4, at + _PAYLOAD, word, why, expected=word & ~1)
        return Damage(
            address=at,
            size=4,
            block=before + _PAYLOAD,
            kind="back_link",
            holds=size,
            expected=at - before,
            why="the last word of a free chunk has to be its size",
        )


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
    chunks = _BoundaryTags(image, top, _binned(image, state))
    last = chunks.size(top)
    end = top + last
    if last < _LEAST or not image.known(end - 1, 1) or not _is_used_before(image, top):
        return None
    tell = broken_header(image, at=_SIZE, payload=_PAYLOAD, why="it leads to no other chunk")

    def broken(at: int, going_on: int) -> Damage | None:
        return None if image.word(at + _SIZE) == _FENCE else tell(at, going_on)

    chained = follow(
        image,
        first,
        top,
        chunks.step,
        candidates=lambda at: range(at + _ALIGNMENT, top, _ALIGNMENT),
        broken=broken,
        leads=chunks.leads,
        wrong_back=chunks.wrong_back,
    )
    if chained.damage and len(chained.blocks) < 2:
        return None
    blocks = (*chained.blocks, ImageBlock(top + _PAYLOAD, last - _PAYLOAD, used=False))
    order, damage = _bins(image, state, chained.blocks, chained.gaps)
    free = [block.size + _SIZE for block in chained.blocks if not block.used]
    return ImageHeap(
        start=base,
        end=end,
        first=first,
        family=NAME,
        blocks=blocks,
        free_order=(*order, blocks[-1].address),
        order_known=len(order) == len(free) and not chained.gaps,
        counted_free=sum(free) + last,
        largest=max(block.size for block in blocks if not block.used),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _is_used_before(image: MemoryImage, top: int) -> bool:
    """A free chunk in front of the top is always joined to it."""
    return bool((image.word(top + _SIZE) or 0) & _BEFORE_USED)


def _binned(image: MemoryImage, state: int) -> frozenset[int]:
    """The chunks that the bins lead to, as far as they do."""
    result: set[int] = set()
    for number in range(1, _BINS):
        head = state + 8 * number
        link = image.word(head + _LINKS)
        while link is not None and link != head and link + _PAYLOAD not in result:
            result.add(link + _PAYLOAD)
            link = image.word(link + _PAYLOAD)
    return frozenset(result)


def _bins(
    image: MemoryImage, state: int, blocks: Sequence[ImageBlock], gaps: Sequence[Gap]
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
            if in_gap(gaps, link):
                break
            if payload not in free or payload in order:
                why = "it does not lead to a free chunk of its bin"
                twice = payload if payload in order else 0
                damage.append(broken_link(at, owner, link, why, twice=twice))
                break
            order[payload] = None
            at, owner = payload, payload
    return tuple(order), tuple(damage)
