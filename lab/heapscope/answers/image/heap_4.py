"""FreeRTOS's heap_4 and heap_5 in a memory image: one list of free blocks in address order.

The layout of the structures: lab/models/heap_4.c. A heap keeps no word about itself, so that it is
found by its chain of blocks, which ends with an empty one.
"""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import numpy

from heapscope.answers.image.chain import (
    ChainStep,
    best_walk,
    between,
    broken_header,
    broken_link,
    follow,
    in_gap,
    is_proved,
    listed,
    wrong_header,
)
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME, FINE = "heap_4", "heap_4-4"  #: FINE: with an alignment of 4 bytes
ALIGNMENT = 8
_SIZE, _HEADER = 4, 8
_USED = 0x8000_0000
_LEAST = 12  # bytes of a block
_ALIGNMENT = 4
_PROOF = 4  # blocks of a heap that no symbol names
_NEAR = 1 << 20  # bytes in front of a chain where more of its heap may be
_TRIED = 8
_FULL_PROOF = 16  # blocks of a heap without a free one


@dataclass(frozen=True)
class _FreeList:
    """The places from which each block leads on to the next one, and where that ends."""

    image: MemoryImage
    anchors: Sequence[int] = ()

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
        if between(self.anchors, at, following):
            return None
        return ChainStep(ImageBlock(at + _HEADER, size - _HEADER, used), following)

    def leads(self, at: int) -> ChainStep | None:
        """Its size alone proves a block: the link of a free one may be written over."""
        size = self.image.word(at + _SIZE)
        if size is None or size & ~_USED < _LEAST or size % _ALIGNMENT:
            return None
        block = ImageBlock(at + _HEADER, (size & ~_USED) - _HEADER, bool(size & _USED))
        return ChainStep(block, block.end)

    def is_sure(self, at: int) -> bool:
        """A list of free blocks that is not known may go past a free one."""
        return at in self.anchors or bool((self.image.word(at + _SIZE) or 0) & _USED)

    def wrong_link(self, _: int, at: int) -> Damage | None:
        """The link of a used block; that of a free one is compared with the others."""
        holds, size = self.image.word(at), self.image.word(at + _SIZE) or 0
        if not holds or not size & _USED:
            return None
        why = "a used block has no link"
        return wrong_header(at, 4, at + _HEADER, holds, why, expected=0)

    def ends(self, at: int) -> bool:
        return self.image.word(at + _SIZE) == 0 and self.image.word(at) == 0


def heaps_by_structure(image: MemoryImage) -> Iterator[ImageHeap]:
    groups: list[list[tuple[int, Any]]] = []
    for start, words in image.words():
        if groups and start - _words_end(*groups[-1][-1]) < _NEAR:
            groups[-1].append((start, words))
        else:
            groups.append([(start, words)])
    for group in groups:
        end = _words_end(*group[-1]) - 4
        places = [at for start, words in group for at in _plausible(start, words, end)]
        yield from _Chains.of(image, places).heaps()


def _words_end(start: int, words: Any) -> int:
    return start + 4 * len(words)


def _plausible(start: int, words: Any, end: int) -> list[int]:
    """The places at which a link and a size can be those of a block that ends in front of `end`."""
    count = max(0, len(words) - 1)
    links, sizes = words[:count], words[1 : count + 1]
    plain = (sizes & 0x7FFF_FFFF).astype("i8")
    at = start + 4 * numpy.arange(count, dtype="i8")
    used = (sizes & _USED != 0) & (links == 0)
    free = (sizes & _USED == 0) & (links > at) & (links % _ALIGNMENT == 0)
    inside = (plain >= _LEAST) & (plain % _ALIGNMENT == 0) & (at + plain <= end)
    result: list[int] = at[(used | free) & inside].tolist()
    return result


@dataclass
class _Chains:
    """Chains of blocks that begin at no other block's end: how many blocks each has from a place
    on, and where it stops. `whole`: those that stop at the end of a heap, and whose free blocks
    lead to each other; `broken`: the others."""

    image: MemoryImage
    whole: dict[int, tuple[int, int]] = field(default_factory=dict)
    broken: dict[int, tuple[int, int]] = field(default_factory=dict)
    begins: tuple[int, ...] = ()

    @classmethod
    def of(cls, image: MemoryImage, places: list[int]) -> _Chains:
        chain, chains = _FreeList(image), cls(image)
        whole, broken, led_to = chains.whole, chains.broken, set()
        for at in reversed(places):
            one = chain.step(at)
            if one is None:
                continue
            length, end = whole.get(one.next, (0, one.next))
            link = image.word(at) or end  # of a free block, to one of the same chain
            linked = link == end or whole.get(link, (0, 0))[1] == end
            if linked and (length or chain.ends(end)):
                whole[at] = (length + 1, end)
            else:
                count, stop = broken.get(one.next, (0, one.next))
                broken[at] = (count + 1, stop)
            led_to.add(one.next)
        chains.begins = tuple(at for at in sorted({*whole, *broken}) if at not in led_to)
        return chains

    def heaps(self) -> Iterator[ImageHeap]:
        """The first sound one of chains that end at one place: what is left of old blocks
        inside a free one may lead into the chain, too. A chain that breaks in front of it is of the
        same heap where the blocks of both prove each other."""
        sound: dict[int, ImageHeap] = {}
        for at in self.begins:
            length, end = self.whole.get(at, (0, 0))
            heap = heap_at(self.image, at, end) if length >= _PROOF and end not in sound else None
            if heap and not heap.damage and (heap.free_order or length >= _FULL_PROOF):
                sound[end] = heap
        for end, heap in sound.items():
            yield _with_front(self.image, heap, self._counts(), end)
        for at in self.begins:
            if self.broken.get(at, (0, 0))[0] >= _FULL_PROOF:
                heap = self._short_end(at)
                if heap is not None:
                    yield heap

    def _counts(self) -> dict[int, int]:
        return {at: self.whole.get(at, self.broken.get(at, (0, 0)))[0] for at in self.begins}

    def _short_end(self, at: int) -> ImageHeap | None:
        """The heap of a chain that breaks close to the heap's end, which few blocks lead to."""
        low = self.broken[at][1]
        ends = sorted({end for _, end in self.whole.values() if low <= end < low + _NEAR})
        for end in ends[:_TRIED]:
            heap = heap_at(self.image, at, end)
            if heap is not None and is_proved(heap):
                return heap
        return None


def _with_front(
    image: MemoryImage, heap: ImageHeap, fronts: Mapping[int, int], end: int
) -> ImageHeap:
    """The heap from the one of `fronts`, with their numbers of blocks, from which most lead up to
    it."""
    near = [
        at
        for at, count in fronts.items()
        if heap.start - _NEAR <= at < heap.start
        and count > (1 if image.known(at, end - at) else _FULL_PROOF)
    ]
    best, most = heap, len(heap.blocks)
    for at in sorted(near, key=lambda one: -fronts[one])[:_TRIED]:
        longer = heap_at(image, at, end)
        sound = longer is not None and (not longer.damage or image.known(at, end - at))
        if longer is None or not sound or not is_proved(longer):
            continue
        worth = len(longer.blocks) - _TRIED * len(longer.damage)
        if longer.blocks[-1] == heap.blocks[-1] and worth > most:
            best, most = longer, worth
        elif best is heap and len(longer.blocks) > len(heap.blocks):
            best = longer
    return best


def heap_at(image: MemoryImage, start: int, end: int) -> ImageHeap | None:
    """From its first block to the empty one at its end."""
    heap = _walked(image, start, end, (), frozenset())
    if heap is None or not heap.damage:
        return heap
    return best_walk(image, partial(_walked, image, start, end, _linked(image, heap)))


def _walked(
    image: MemoryImage, start: int, end: int, anchors: Sequence[int], avoided: Container[int]
) -> ImageHeap | None:
    chain = _FreeList(image, anchors)

    chained = follow(
        image,
        start,
        end,
        chain.step,
        candidates=lambda at: [
            one
            for begin, words in image.words()
            for one in _plausible(begin, words, end)
            if at < one < end and one not in avoided
        ],
        broken=broken_header(image, at=_SIZE, payload=_HEADER, why="it leads to no other block"),
        is_sure=chain.is_sure,
        leads=chain.leads,
        wrong_back=chain.wrong_link,
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
        order_known=not chained.gaps,
        damage=(*chained.damage, *_links(image, free, end, chained.gaps)),
        gaps=tuple(chained.gaps),
    )


def _linked(image: MemoryImage, heap: ImageHeap) -> Sequence[int]:
    """The free blocks that the list leads to: what leads over one of them is wrong."""
    limit = heap.gaps[0].start if heap.gaps else heap.end
    first = next((at for at in heap.free_order if at < limit), None)
    if first is None:
        return ()
    chain = _FreeList(image)
    return [
        at
        for at in listed(first - _HEADER, image.word, heap.end - _HEADER)
        if (one := chain.step(at)) is not None and not one.block.used
    ]


def _links(
    image: MemoryImage, free: list[ImageBlock], end: int, gaps: Sequence[Gap]
) -> Iterator[Damage]:
    """Each free block has to lead to the next one, the last one to the end."""
    following = [block.address - _HEADER for block in free[1:]]
    for block, expected in zip(free, (*following, end), strict=False):
        holds = image.word(block.address - _HEADER)
        if holds is not None and holds != expected and not in_gap(gaps, holds):
            why = "it does not lead to the next free block"
            at = block.address - _HEADER
            yield broken_link(at, block.address, holds, why, expected=expected)
