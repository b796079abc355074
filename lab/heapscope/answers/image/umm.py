"""umm_malloc in a memory image: runs of units with indices of their neighbours.

The layout of the structures: lab/models/umm.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.answers.image.chain import ChainStep, broken_link, follow, in_gap, wrong_header
from heapscope.answers.image.heap import Damage, Gap, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "umm"
_SHIFTS = (3, 5)  # log2 of the bytes of a unit
_FREE, _INDEX = 0x8000, 0x7FFF
_HEADER = 4
_UNITS_LEAST = 16
_PROVED_LEAST = 2  # runs, before the search goes on behind damage
_IN_A_ROW = 4  # runs that are no chance
_HEAD = 0x0000_0001  # of the first unit: next 1, previous 0


def starts(image: MemoryImage) -> Iterator[int]:
    for start, words in image.words():
        for index in (words == _HEAD).nonzero()[0].tolist():
            yield start + 4 * index


def heap_at(image: MemoryImage, start: int, end: int | None = None) -> ImageHeap | None:
    """None: no heap of this kind is there. `end`: as a symbol has it."""
    for shift in _SHIFTS:
        last = _last(image, start, shift) if end is None else (end - start >> shift) - 1
        heap = None if last is None else _heap(image, start, shift, last)
        if heap is not None:
            return heap
    return None


def _half(image: MemoryImage, start: int, shift: int, run: int, field: int) -> int | None:
    data = image.bytes_at(start + (run << shift) + field, 2)
    return None if data is None else int.from_bytes(data, "little")


def _last(image: MemoryImage, start: int, shift: int) -> int | None:
    """The index of the last unit, where runs lead on to it and back; None: they do not. Behind some
    that prove each other it goes on where the next ones do, also where a run that was written over
    calls itself the last, or leads too far."""
    run, before, proved, floor = 1, 0, 0, 0
    while True:
        following = _half(image, start, shift, run, 0)
        sound = _half(image, start, shift, run, 2) == before
        if following is not None and sound and following & _INDEX > run:
            run, before, proved = following & _INDEX, run, proved + 1
            continue
        ended = following == 0 and sound
        low = max(floor, before)
        going_on = _going_on(image, start, shift, low, run) if proved >= _PROVED_LEAST else None
        if going_on is None:
            return run if ended and run >= _UNITS_LEAST else None
        run = floor = going_on
        before = _half(image, start, shift, run, 2) or 0


def _going_on(image: MemoryImage, start: int, shift: int, low: int, run: int) -> int | None:
    """The first run behind `low` from which some lead on and back, without the one at `run`."""
    for one in range(low + 1, _INDEX):
        chain = [one]
        while chain[-1] != run and len(chain) <= _IN_A_ROW:
            following = (_half(image, start, shift, chain[-1], 0) or 0) & _INDEX
            if following == 0 and len(chain) > 2:
                return one
            if following <= chain[-1] or _half(image, start, shift, following, 2) != chain[-1]:
                break
            chain.append(following)
        else:
            if chain[-1] != run:
                return one
    return None


@dataclass(frozen=True)
class _Runs:
    """Runs of units up to the one with the index `last`; a place is the address of a run."""

    image: MemoryImage
    start: int
    shift: int
    last: int

    def half(self, run: int, field: int) -> int | None:
        return _half(self.image, self.start, self.shift, run, field)

    def run(self, at: int) -> int:
        return at - self.start >> self.shift

    def leads(self, at: int) -> ChainStep | None:
        run = self.run(at)
        word = self.half(run, 0)
        if word is None or not run < word & _INDEX <= self.last:
            return None
        size = ((word & _INDEX) - run << self.shift) - _HEADER
        block = ImageBlock(at + _HEADER, size, not word & _FREE)
        return ChainStep(block, self.start + ((word & _INDEX) << self.shift))

    def back(self, at: int) -> int | None:
        before = self.half(self.run(at), 2)
        return None if before is None else self.start + (before << self.shift)

    def step(self, at: int) -> ChainStep | None:
        one = self.leads(at)
        return one if one is not None and self.back(one.next) == at else None

    def broken(self, at: int, going_on: int) -> Damage | None:
        """The half with the next run, and that with the one before it, where it is wrong, too."""
        word, before = self.half(self.run(at), 0), self.back(at)
        if word is None or before is None:
            return None
        front = self.leads(before) if before < at else None
        sound = before == self.start or (front is not None and front.next == at)
        why = f"it leads to no other run; the next that proves itself is at {going_on:#010x}"
        return wrong_header(at, 2 if sound else 4, at + _HEADER, word, why)

    def wrong_back(self, at: int, before: int) -> Damage | None:
        holds = self.half(self.run(at), 2)
        if holds is None:
            return None
        why = "it does not lead back to the run before it"
        expected = self.run(before)
        return wrong_header(at + 2, 2, at + _HEADER, holds, why, expected=expected)


def _heap(image: MemoryImage, start: int, shift: int, last: int) -> ImageHeap | None:
    runs = _Runs(image, start, shift, last)
    limit = start + (last << shift)
    chained = follow(
        image,
        start + (1 << shift),
        limit,
        runs.step,
        candidates=lambda at: range(at + (1 << shift), limit, 1 << shift),
        broken=runs.broken,
        leads=runs.leads,
        back=runs.back,
        wrong_back=runs.wrong_back,
    )
    if not chained.blocks:
        return None
    order, damage = _free_list(image, start, shift, chained.blocks, chained.gaps)
    free = [block.size + _HEADER for block in chained.blocks if not block.used]
    return ImageHeap(
        start=start,
        end=start + (last + 1 << shift),
        first=start + (1 << shift),
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=order,
        order_known=len(order) == len(free) and not chained.gaps,
        counted_free=sum(free),
        largest=max(free, default=0),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _free_list(
    image: MemoryImage,
    start: int,
    shift: int,
    blocks: Sequence[ImageBlock],
    gaps: Sequence[Gap],
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    free = {block.address for block in blocks if not block.used}
    order: dict[int, None] = {}
    at, owner = 0, 0
    while True:
        run = _half(image, start, shift, at, 4)
        payload = start + ((run or 0) << shift) + _HEADER
        ended = run == 0 and (len(order) == len(free) or bool(gaps))
        if run is None or ended or in_gap(gaps, payload):
            return tuple(order), ()
        if payload not in free or payload in order:
            twice = payload if payload in order else 0
            why = "it leads to no free run that is not in the list yet"
            where = start + (at << shift) + 4
            return tuple(order), (broken_link(where, owner, run, why, size=2, twice=twice),)
        order[payload] = None
        at, owner = run, payload
