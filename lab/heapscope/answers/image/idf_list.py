"""ESP-IDF v3.3 to v4.2 in a memory image: one list of free blocks in address order.

The layout of the structures: lab/models/idf_4_2.c.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Sequence
from dataclasses import replace
from functools import partial

import numpy

from heapscope.answers.image.chain import (
    ChainStep,
    best_walk,
    between,
    broken_header,
    broken_link,
    follow,
    in_gap,
    listed,
)
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "free list"
_FREE, _MINIMUM, _LAST, _DUMMY, _BLOCKS = 4, 8, 12, 16, 24
_IS_FREE = 1
_HEADER = 4
_TINY = 4  # the least payload


def starts(image: MemoryImage) -> Iterator[int]:
    """Where a heap may start: the dummy block in its structure leads to the first block, and the
    word before it to the last one, which has no next."""
    for start, words in image.words():
        count = len(words) - _BLOCKS // 4
        if count <= 0:
            continue
        first = numpy.arange(start + _BLOCKS, start + _BLOCKS + 4 * count, 4, dtype="u4")
        dummy = words[_DUMMY // 4 :][:count]
        last = words[_LAST // 4 :][:count]
        for index in ((dummy == first | 1) & (last > first)).nonzero()[0].tolist():
            yield start + 4 * index


def heap_at(
    image: MemoryImage, start: int, end: int | None = None, *, canary: int | None = None
) -> ImageHeap | None:
    """None: no heap of this kind is there. `end`: as the SDK's list of heaps has it; `canary`: the
    first word of every used block."""
    return best_walk(image, partial(_walked, image, start, end, canary))


def _walked(
    image: MemoryImage,
    start: int,
    end: int | None,
    canary: int | None,
    avoided: Container[int],
) -> ImageHeap | None:
    last = image.word(start + _LAST)
    if end is not None:
        last = (end & ~3) - 8
    if last is None or last % 4 or last <= start + _BLOCKS:
        return None
    if image.word(last) != _IS_FREE:  # nothing may lie behind a wrong end
        return None
    if image.word(start + _DUMMY) != (start + _BLOCKS) | _IS_FREE:
        return None

    names = listed(
        (image.word(start + _DUMMY + _HEADER) or 0),
        lambda at: image.word(at + _HEADER),
        last,
    )
    links = {at + _HEADER for at in names}

    def leads(at: int) -> ChainStep | None:
        word = image.word(at)
        if word is None or word & 2:
            return None
        following = word & ~3
        if not at + _HEADER + _TINY <= following <= last:
            return None
        used = not word & _IS_FREE
        return ChainStep(ImageBlock(at + _HEADER, following - at - _HEADER, used), following)

    def agrees(one: ChainStep | None) -> bool:
        """No two free blocks lie side by side."""
        if one is None or one.block.used:
            return one is not None
        after = image.word(one.next)
        return after is not None and (one.next == last or not after & _IS_FREE)

    anchors = [at for at in names if (one := leads(at)) and not one.block.used and agrees(one)]

    def step(at: int) -> ChainStep | None:
        one = leads(at)
        over = one is not None and between(anchors, at, one.next)
        return one if agrees(one) and not over else None

    def may_be(at: int) -> bool:
        """A block of the program has the canary."""
        free = bool((image.word(at) or 0) & _IS_FREE)
        sound = at not in links and at not in avoided
        return sound and (canary is None or free or image.word(at + 4) == canary)

    chained = follow(
        image,
        start + _BLOCKS,
        last,
        step,
        candidates=lambda at: filter(may_be, _plausible(image, at + _HEADER, last)),
        broken=broken_header(image, payload=_HEADER, why="it leads to no other block"),
        is_sure=lambda at: at in names or not (image.word(at) or 0) & _IS_FREE,
        leads=leads,
    )
    if not chained.blocks:
        return None
    order, damage = _free_list(image, start, last, chained.blocks, chained.gaps)
    return ImageHeap(
        start=start,
        end=last + 8 if end is None else end,
        first=start + _BLOCKS,
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=order,
        order_known=not chained.gaps,  # it is that of the addresses
        counted_free=image.word(start + _FREE),
        minimum_free=image.word(start + _MINIMUM),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _plausible(image: MemoryImage, low: int, last: int) -> Iterator[int]:
    """The places from which a word leads on, and at most to the end."""
    for start, words in image.words():
        first, behind = max(0, low - start) // 4, max(0, last - start) // 4
        part = words[first:behind].astype("i8")
        at = start + 4 * numpy.arange(first, first + len(part), dtype="i8")
        leads = part & ~3
        good = (part & 2 == 0) & (leads >= at + _HEADER + _TINY) & (leads <= last) & (at >= low)
        yield from at[good].tolist()


def _free_list(
    image: MemoryImage,
    start: int,
    last: int,
    blocks: Sequence[ImageBlock],
    gaps: Sequence[Gap],
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    """The free blocks in their order, which is that of the addresses."""
    free = [block.address for block in blocks if not block.used]
    damage = []
    at = start + _DUMMY + _HEADER
    for payload in (*free, last + _HEADER):
        holds = image.word(at)
        if holds is not None and holds != payload - _HEADER and not in_gap(gaps, holds):
            why = "it does not lead to the next free block"
            one = broken_link(at, at, holds, why, expected=payload - _HEADER)
            damage.append(replace(one, block=0) if at == start + _DUMMY + _HEADER else one)
        at = payload
    return tuple(free), tuple(damage)
