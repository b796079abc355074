"""umm_malloc in a memory image: runs of units with indices of their neighbours.

The layout of the structures: lab/models/umm.c.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.answers.image.chain import ChainStep, broken_header, broken_link, follow
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage

NAME = "umm"
_SHIFTS = (3, 5)  # log2 of the bytes of a unit
_FREE, _INDEX = 0x8000, 0x7FFF
_HEADER = 4
_UNITS_LEAST = 16
_PROVED_LEAST = 16  # runs, before the search goes on behind damage
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
    """The index of the last unit, where runs lead on to it and back; None: they do not. Behind so
    many that prove each other it goes on where the next ones do."""
    run, before, proved = 1, 0, 0
    while True:
        following = _half(image, start, shift, run, 0)
        back = _half(image, start, shift, run, 2)
        if following == 0 and back == before:
            return run if run >= _UNITS_LEAST else None
        good = following is not None and back == before and following & _INDEX > run
        if good and following is not None:
            run, before, proved = following & _INDEX, run, proved + 1
            continue
        places = range(run + 1, _INDEX) if proved >= _PROVED_LEAST else ()
        going_on = next((one for one in places if _goes_on(image, start, shift, one)), None)
        if going_on is None:
            return None
        run, proved = going_on, 0
        before = _half(image, start, shift, run, 2) or 0


def _goes_on(image: MemoryImage, start: int, shift: int, run: int) -> bool:
    """From this run on some lead to the next one and back."""
    for _ in range(_IN_A_ROW):
        following = (_half(image, start, shift, run, 0) or 0) & _INDEX
        if following <= run or _half(image, start, shift, following, 2) != run:
            return False
        run = following
    return True


def _heap(image: MemoryImage, start: int, shift: int, last: int) -> ImageHeap | None:
    def step(at: int) -> ChainStep | None:
        run = at - start >> shift
        word = _half(image, start, shift, run, 0)
        if word is None:
            return None
        following = word & _INDEX
        if not run < following <= last or _half(image, start, shift, following, 2) != run:
            return None
        size = (following - run << shift) - _HEADER
        return ChainStep(
            ImageBlock(at + _HEADER, size, not word & _FREE), start + (following << shift)
        )

    chained = follow(
        start + (1 << shift),
        start + (last << shift),
        step,
        candidates=lambda at: range(at + (1 << shift), start + (last << shift), 1 << shift),
        broken=broken_header(image, payload=_HEADER, why="it leads to no other run"),
    )
    if not chained.blocks:
        return None
    order, damage = _free_list(image, start, shift, chained.blocks)
    free = [block.size + _HEADER for block in chained.blocks if not block.used]
    return ImageHeap(
        start=start,
        end=start + (last + 1 << shift),
        first=start + (1 << shift),
        family=NAME,
        blocks=tuple(chained.blocks),
        free_order=order,
        order_known=len(order) == len(free),
        counted_free=sum(free),
        largest=max(free, default=0),
        damage=(*chained.damage, *damage),
        gaps=tuple(chained.gaps),
    )


def _free_list(
    image: MemoryImage, start: int, shift: int, blocks: Sequence[ImageBlock]
) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    free = {block.address for block in blocks if not block.used}
    order: dict[int, None] = {}
    at, owner = 0, 0
    while True:
        run = _half(image, start, shift, at, 4)
        if run is None or (run == 0 and len(order) == len(free)):
            return tuple(order), ()
        payload = start + (run << shift) + _HEADER
        if payload not in free or payload in order:
            twice = payload if payload in order else 0
            why = "it leads to no free run that is not in the list yet"
            where = start + (at << shift) + 4
            return tuple(order), (broken_link(where, owner, run, why, size=2, twice=twice),)
        order[payload] = None
        at, owner = run, payload
