"""Our own heap in a memory image: a bitmap of granules, and what free blocks say of themselves.

The layout of the structures: device/src/heap/layout.h. A block of small slots is one used block.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy

from heapscope.answers.image.chain import ChainStep, broken_header, follow, wrong_header
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "heapscope"
_GRANULE = 8
_FREE, _MINIMUM, _END, _WORDS = 4, 8, 12, 16
_MAP_WORDS = 3  # between the counters and the bitmap, in both forms
_BITS = 32
_WIDE = 1 << 31
_SEALS = ((1, 0x3FFF_FFFF, 0), (2, 0x1FFF_FFFF, 2))  # shift, mask, and the bit of the other end
_END_LEAST, _END_MOST = 8, 1 << 22
_LONG_MASK, _LONG_MARK, _LONG_SHIFT = 0x3FF, 0x3FE, 10


def starts(image: MemoryImage) -> Iterator[int]:
    """Where the first word is the seal of the word with the number of granules."""
    for start, words in image.words():
        count = len(words) - _END // 4
        if count <= 0:
            continue
        shape = words[:count].astype("u8")
        end = words[_END // 4 :][:count].astype("u8")
        unit, wide = shape & 1, shape >> 31
        good = numpy.zeros(count, bool)
        for shift, mask, high in _SEALS:
            kind = unit | wide << 31 | shape & high
            good |= shape == kind | ((end * 5 + unit + 2 * wide & mask) << shift)
        good &= (end >= _END_LEAST) & (end < _END_MOST)
        for index in good.nonzero()[0].tolist():
            yield start + 4 * index


@dataclass(frozen=True)
class _Granules:
    image: MemoryImage
    handle: int
    end: int

    def _map(self, index: int) -> int:
        return self.image.word(self.handle + _WORDS + 4 * (_MAP_WORDS + index)) or 0

    def bit(self, granule: int) -> int:
        return self._map(granule // _BITS) >> granule % _BITS & 1

    @property
    def first(self) -> int:
        words = (self.end + 1 + _BITS) // _BITS
        first = (_WORDS + 4 * (_MAP_WORDS + words) + _GRANULE - 1) // _GRANULE
        unit = (self.image.word(self.handle) or 0) & 1
        return first + unit & ~unit

    def at(self, granule: int) -> int:
        return self.handle + granule * _GRANULE

    def step(self, address: int) -> ChainStep | None:
        granule = (address - self.handle) // _GRANULE
        if not self.bit(granule):
            return None
        used = not self.bit(granule + 1)
        size = self._used(granule) if used else self._free(granule)
        if size < 2 or granule + size > self.end or not self.bit(granule + size):
            return None
        return ChainStep(ImageBlock(address, size * _GRANULE, used), self.at(granule + size))

    def leads(self, address: int) -> ChainStep | None:
        """A free block by the bitmap alone, whose words inside may be written over."""
        granule = (address - self.handle) // _GRANULE
        if not (self.bit(granule) and self.bit(granule + 1)):
            return None
        size = self._used(granule + 1) + 2  # its last bit, and that of the block behind it
        if size == 3 and not self.bit(granule + size):
            size = 2  # the second bit is also the last
        if size < 2 or granule + size > self.end or not self.bit(granule + size):
            return None
        return ChainStep(ImageBlock(address, size * _GRANULE, used=False), self.at(granule + size))

    def wrong_word(self, at: int, before: int) -> Damage | None:
        """The damage of a free block that ends there: of its size, or of its last word."""
        size = (at - before) // _GRANULE
        holds, footer = self.image.word(before + _GRANULE), self.image.word(at - 4)
        if holds is None or footer is None:
            return None
        if holds != size:
            why = "it is not the size that the bitmap gives the free block"
            width = 4 if footer == ~size & 0xFFFF_FFFF else at - before - _GRANULE
            return wrong_header(before + _GRANULE, width, before, holds, why, expected=size)
        return Damage(
            address=at - 4,
            size=4,
            block=before,
            kind="back_link",
            holds=footer,
            expected=~size & 0xFFFF_FFFF,
            why="the last word of a free block has to be its size, inverted",
        )

    def _used(self, granule: int) -> int:
        """The distance to the next bit, or what the word behind says of a long block."""
        index, at = divmod(granule, _BITS)
        rest = self._map(index) >> at >> 1
        if rest:
            return (rest & -rest).bit_length()
        size = _BITS - at
        for word in (self._map(index + 1), self._map(index + 2)):
            if size == _BITS - at and word & _LONG_MASK == _LONG_MARK:
                return word >> _LONG_SHIFT
            if word:
                return size + (word & -word).bit_length() - 1
            size += _BITS
        return 0

    def _free(self, granule: int) -> int:
        size = self.image.word(self.at(granule) + 8) or 0
        if not 2 <= size <= self.end:
            return 0
        footer = self.image.word(self.at(granule + size) - 4)  # None: the image is cut there
        return size if footer in (None, ~size & 0xFFFF_FFFF) else 0


def heap_at(image: MemoryImage, start: int, end: int | None = None) -> ImageHeap | None:
    """None: no heap of this kind is there. `start`: of its structure, behind the heads of bins."""
    del end
    last = image.word(start + _END)
    if last is None:
        return None
    granules = _Granules(image, start, last)
    if not granules.bit(last) or granules.bit(last + 1):
        return None

    limit = granules.at(last)
    chained = follow(
        granules.at(granules.first),
        limit,
        granules.step,
        candidates=lambda at: range(at + _GRANULE, limit, _GRANULE),
        broken=broken_header(image, payload=0, why="bitmap and block do not agree"),
        leads=granules.leads,
        wrong_back=granules.wrong_word,
    )
    if not chained.blocks or (len(chained.blocks) < 2 and chained.damage):
        return None
    free = image.word(start + _FREE)
    least = image.word(start + _MINIMUM)
    return ImageHeap(
        start=start,
        end=limit,
        first=granules.at(granules.first),
        family=NAME,
        blocks=tuple(chained.blocks),
        order_known=False,
        counted_free=None if free is None else 4 * free,
        minimum_free=None if least is None else 4 * least,
        largest=max((block.size for block in chained.blocks if not block.used), default=0),
        damage=tuple(chained.damage),
        gaps=tuple(chained.gaps),
    )
