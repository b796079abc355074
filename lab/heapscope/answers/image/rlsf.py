"""The heaps of Rust's rlsf in a memory image, which esp-alloc's and embedded-alloc's TLSF are.

The layout of a block: lab/models/rlsf.c. Blocks know the one before them by address, and a used
block without payload, the sentinel, ends the pool. The heads of the lists lie
elsewhere; a list begins with a block that has no free block before it.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.answers.image.chain import ChainStep, broken_link, follow, in_gap, wrong_header
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "rlsf"
_UNIT, _HEADER = 16, 8
_USED, _SENTINEL = 1, 2
_LAST = _UNIT | _USED | _SENTINEL  # the sentinel's word
_BEFORE, _NEXT, _PREVIOUS = 4, 8, 12  # offsets of words


@dataclass(frozen=True)
class _Blocks:
    """`end`: where the sentinel begins."""

    image: MemoryImage
    end: int

    def leads(self, at: int) -> ChainStep | None:
        word = self.image.word(at)
        if word is None or word & _SENTINEL or word % _UNIT > _USED:
            return None
        size = word & ~_USED
        if size < _UNIT or at + size > self.end:
            return None
        block = ImageBlock(at + _HEADER, size - _HEADER, bool(word & _USED))
        return ChainStep(block, at + size)

    def back(self, at: int) -> int | None:
        return self.image.word(at + _BEFORE)

    def step(self, at: int) -> ChainStep | None:
        one = self.leads(at)
        return one if one is not None and self.back(one.next) == at else None

    def broken(self, at: int, going_on: int) -> Damage | None:
        holds = self.image.word(at)
        if holds is None or not self.image.known(at, going_on - at):
            return None
        why = f"it leads to no other block; the next that proves itself is at {going_on:#010x}"
        return wrong_header(at, 4, at + _HEADER, holds, why)

    def wrong_back(self, at: int, before: int) -> Damage | None:
        holds = self.back(at)
        if holds is None:
            return None
        why = "it does not lead back to the block before it"
        return wrong_header(at + _BEFORE, 4, at + _HEADER, holds, why, expected=before)


def starts(image: MemoryImage) -> Iterator[int]:
    """Where a block has none before it, and the next one leads back."""
    for start, words in image.words():
        skipped = -(start // 4) % 4
        count = (len(words) - skipped - 1) // 4 * 4
        if count <= 0:
            continue
        sizes, before = words[skipped:][:count:4], words[skipped + 1 :][:count:4]
        good = (before == 0) & (sizes % _UNIT <= _USED) & (sizes >= _UNIT)
        for index in good.nonzero()[0].tolist():
            at, size = start + 4 * skipped + _UNIT * index, int(sizes[index]) & ~_USED
            if image.word(at + size + _BEFORE) == at:
                yield at


def heap_at(image: MemoryImage, start: int, end: int | None = None) -> ImageHeap | None:
    """None: no heap of this kind is there."""
    ends = _sentinels(image)
    place = bisect_right(ends, start)
    if end is None and place < len(ends):
        end = ends[place]
    if end is None or not image.known(start, _UNIT):
        return None
    chain = _Blocks(image, end)
    chained = follow(
        image,
        start,
        end,
        chain.step,
        candidates=lambda at: range(at + _UNIT, chain.end, _UNIT),
        broken=chain.broken,
        leads=chain.leads,
        back=chain.back,
        wrong_back=chain.wrong_back,
    )
    if not chained.blocks or (len(chained.blocks) < 2 and chained.damage):
        return None
    free = [block.size for block in chained.blocks if not block.used]
    links = tuple(_links(image, chained.blocks, chained.gaps))
    order = _order(image, chained.blocks)
    return ImageHeap(
        start=start,
        end=end + _UNIT,
        first=start,
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=order,
        order_known=not chained.gaps and not links and len(order) == len(free),
        counted_free=sum(free),
        largest=max(free, default=0),
        damage=(*chained.damage, *links),
        gaps=tuple(chained.gaps),
    )


def _sentinels(image: MemoryImage) -> Sequence[int]:
    """By address: each leads back to a block that leads to it."""
    places = []
    for start, words in image.words():
        for index in (words == _LAST).nonzero()[0].tolist():
            at = start + 4 * index
            before = image.word(at + _BEFORE) or 0
            word = image.word(before) if at % _UNIT == 0 and before % _UNIT == 0 else None
            if word is not None and before + (word & ~_USED) == at:
                places.append(at)
    return sorted(places)


def _order(image: MemoryImage, blocks: Sequence[ImageBlock]) -> tuple[int, ...]:
    """Each list from the block that has none before it in its list; the smallest blocks first."""
    free = {block.address - _HEADER: block.size for block in blocks if not block.used}
    order: dict[int, None] = {}
    for head in sorted(free, key=lambda at: (free[at], at)):
        if image.word(head + _PREVIOUS) != 0:
            continue
        at: int | None = head
        while at in free and at + _HEADER not in order:
            order[at + _HEADER] = None
            at = image.word(at + _NEXT)
    return tuple(order)


def _links(
    image: MemoryImage, blocks: Sequence[ImageBlock], gaps: Sequence[Gap]
) -> Iterator[Damage]:
    """The links of free blocks that lead to no free block, or not back."""
    free = {block.address - _HEADER for block in blocks if not block.used}
    for at in sorted(free):
        following = image.word(at + _NEXT)
        if not following or in_gap(gaps, following + _HEADER):
            continue
        if following not in free:
            why = "it leads to no free block"
            yield broken_link(at + _NEXT, at + _HEADER, following, why)
        elif (back := image.word(following + _PREVIOUS)) is not None and back != at:
            why = "it does not lead back to the free block before it"
            yield broken_link(following + _PREVIOUS, following + _HEADER, back, why, expected=at)
