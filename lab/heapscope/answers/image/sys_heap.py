"""Zephyr's sys_heap in a memory image: chunks that know their left neighbours, in buckets.

The layout of the structures: lab/models/sys_heap.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy

from heapscope.answers.image.chain import ChainStep, broken_link, follow, in_gap, wrong_header
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "sys_heap"
_UNIT = 8
_END, _BUCKETS = 8, 16
_SMALL = 0x7FFF  # units; above, the fields are words
_FIRST_MOST = 24  # units of the structure


@dataclass(frozen=True)
class _Chunks:
    """`end`: the index of the last chunk, which has no size."""

    image: MemoryImage
    start: int
    end: int

    @property
    def header(self) -> int:
        return 4 if self.end <= _SMALL else 8

    def field(self, chunk: int, number: int) -> int | None:
        width = self.header // 2
        data = self.image.bytes_at(self.start + chunk * _UNIT + number * width, width)
        return None if data is None else int.from_bytes(data, "little")

    def payload(self, chunk: int) -> int:
        return self.start + chunk * _UNIT + self.header

    def chunk(self, at: int) -> int:
        return (at - self.start) // _UNIT

    def leads(self, at: int) -> ChainStep | None:
        chunk = self.chunk(at)
        word = self.field(chunk, 1)
        if word is None or word < 2 or chunk + (word >> 1) > self.end:
            return None
        size = word >> 1
        block = ImageBlock(self.payload(chunk), size * _UNIT - self.header, bool(word & 1))
        return ChainStep(block, at + size * _UNIT)

    def back(self, at: int) -> int | None:
        left = self.field(self.chunk(at), 0)
        return None if left is None else at - left * _UNIT

    def step(self, at: int) -> ChainStep | None:
        one = self.leads(at)
        return one if one is not None and self.back(one.next) == at else None

    def broken(self, at: int, going_on: int) -> Damage | None:
        """The field of its size, and that of its left neighbour's, where it is wrong, too."""
        size, left = self.field(self.chunk(at), 1), self.back(at)
        if size is None or left is None:
            return None
        front = self.leads(left) if left < at else None
        good = front is not None and front.next == at
        skipped = self.header // 2 if good else 0
        why = f"it leads to no other chunk; the next that proves itself is at {going_on:#010x}"
        return wrong_header(at + skipped, self.header - skipped, at + self.header, size, why)

    def wrong_back(self, at: int, before: int) -> Damage | None:
        holds = self.field(self.chunk(at), 0)
        if holds is None:
            return None
        why = "it does not lead back to the chunk before it"
        expected = (at - before) // _UNIT
        width = self.header // 2
        return wrong_header(at, width, at + self.header, holds, why, expected=expected)


def starts(image: MemoryImage) -> Iterator[int]:
    """Where chunk 0 has no left neighbour, is used and no larger than a structure can be, the first
    chunk behind it leads on and back, and the word of the last chunk leads to one of no size that
    is used, or to where the image has nothing."""
    for start, words in image.words():
        skipped = start // 4 % 2
        count = (len(words) - skipped - 4) // 2 * 2
        if count <= 0:
            continue
        first, second, last = (words[skipped + n :][:count:2] for n in (0, 1, 2))
        small = (first & 0xFFFF == 0) & (first >> 16 & 1 == 1) & (first >> 17 <= _FIRST_MOST)
        large = (first == 0) & (second & 1 == 1) & (second >> 1 <= _FIRST_MOST)
        left = numpy.arange(count, 0, -2) // 2 + 2
        good = (small & (last <= _SMALL) | large & (last > _SMALL)) & (last > 3)
        for index in good.nonzero()[0].tolist():
            at = start + 4 * skipped + _UNIT * index
            if last[index] <= left[index] or _goes_on(image, at, int(last[index])):
                yield at


def _goes_on(image: MemoryImage, start: int, last: int) -> bool:
    """A heap whose end is not in the same bytes."""
    chunks = _Chunks(image, start, last)
    first = start + ((chunks.field(0, 1) or 0) >> 1) * _UNIT
    return chunks.step(first) is not None and not image.known(start, last * _UNIT)


def heap_at(image: MemoryImage, start: int, end: int | None = None) -> ImageHeap | None:
    """None: no heap of this kind is there."""
    del end
    last = image.word(start + _END)
    if last is None:
        return None
    chunks = _Chunks(image, start, last)
    first = (chunks.field(0, 1) or 0) >> 1
    if chunks.field(last, 1) not in (1, None) or not 3 <= first <= _FIRST_MOST:
        return None
    if chunks.field(first, 0) not in (first, None):
        return None

    begin, limit = start + first * _UNIT, start + last * _UNIT
    chained = follow(
        image,
        begin,
        limit,
        chunks.step,
        candidates=lambda at: range(at + _UNIT, limit, _UNIT),
        broken=chunks.broken,
        leads=chunks.leads,
        back=chunks.back,
        wrong_back=chunks.wrong_back,
    )
    if not chained.blocks or (len(chained.blocks) < 2 and chained.damage):
        return None
    order, damage = _buckets(chunks, first, chained.blocks, chained.gaps)
    free = [block.size for block in chained.blocks if not block.used]
    return ImageHeap(
        start=start,
        end=limit + chunks.header,
        first=begin,
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=order,
        order_known=not chained.gaps and not damage,
        counted_free=sum(free),
        largest=max(free, default=0),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _buckets(
    chunks: _Chunks, first: int, blocks: Sequence[ImageBlock], gaps: Sequence[Gap]
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    """The free chunks of each bucket, from the one with which its next search begins."""
    least = 1 if chunks.header == 4 else 2  # units of a chunk with links
    free = {
        block.address
        for block in blocks
        if not block.used and (block.size + chunks.header) // _UNIT >= least
    }
    order: dict[int, None] = {}
    damage = []
    count = min((first * _UNIT - _BUCKETS) // 4, 32)
    for bucket in range(count):
        at, owner = chunks.start + _BUCKETS + 4 * bucket, 0
        front = chunk = chunks.image.word(at)
        while chunk:
            payload = chunks.payload(chunk)
            if (payload in order and chunk == front) or in_gap(gaps, payload):
                break
            if payload not in free or payload in order:
                width = chunks.header // 2 if owner else 4
                why = "it leads to no free chunk of its bucket"
                damage.append(broken_link(at, owner, chunk, why, size=width))
                break
            order[payload] = None
            at, owner = chunks.start + chunk * _UNIT + 3 * chunks.header // 2, payload
            chunk = chunks.field(chunk, 3)
    return tuple(order), tuple(damage)
