"""The heaps of newlib-nano and of picolibc in a memory image: chunks with their size alone.

A chunk begins with the bytes up to the next one, and what is free is in one list by address,
which is all that tells it from what is in use. Symbols name the list and the heap's start.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.answers.image.chain import ChainStep, broken_header, broken_link, follow
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.symbols import FirmwareSymbols

NAMES = ("newlib-nano", "picolibc")
START, FREE, TOP = "__malloc_sbrk_start", "__malloc_free_list", "__malloc_sbrk_top"
_ENDS = ("heap_end", "sbrk_end", "brk")  # of the program's own _sbrk
_HEADER, _ALIGNMENT, _PROGRAM_ALIGNMENT = 4, 4, 8
_LEAST, _MOST = 8, 16 << 20
_PADDED = 0xFFFF_FFFC  # in front of the program's first byte: 4 bytes were left out


@dataclass(frozen=True)
class _Sized:
    """`limit`: behind it the list of free chunks is not in the image, and nothing tells them."""

    image: MemoryImage
    end: int
    free: frozenset[int]
    limit: int

    def step(self, at: int) -> ChainStep | None:
        size = self.image.word(at)
        if size is None or size < _LEAST or size % _ALIGNMENT or at + size > self.end:
            return None
        if at > self.limit:
            return None
        payload = at + _HEADER
        used = at not in self.free
        skipped = -payload % _PROGRAM_ALIGNMENT
        program = payload + skipped if used and self._padded(payload, skipped) else 0
        return ChainStep(ImageBlock(payload, size - _HEADER, used, program), at + size)

    def _padded(self, payload: int, skipped: int) -> bool:
        return skipped == _HEADER and self.image.word(payload) == _PADDED


def named_heap(image: MemoryImage, symbols: FirmwareSymbols) -> ImageHeap | None:
    """None: the symbols do not name one, or the bytes there are something else."""
    start, head = (_value(image, symbols.address(name)) for name in (START, FREE))
    if not start or start % _ALIGNMENT or head is None:
        return None
    top = _value(image, symbols.address(TOP))
    free, damage = _free_list(image, symbols.address(FREE) or 0)
    end = top or _end(image, symbols, start) or _walked(image, start)
    if not start < end <= start + _MOST or not image.known(start, _LEAST):
        return None
    inside = frozenset(at for at in free if start <= at < end)
    missing = free and not damage and image.word(free[-1] + _HEADER) is None
    sized = _Sized(image, end, inside, free[-1] if missing else end)
    tell = broken_header(image, payload=_HEADER, why="it leads to no other chunk")
    chained = follow(
        image,
        start,
        end,
        sized.step,
        candidates=lambda at: [one for one in _anchored(sized) if one > at],
        broken=lambda at, onward: tell(at, onward) if at <= sized.limit else None,
    )
    if not chained.blocks or (len(chained.blocks) < 2 and chained.damage):
        return None
    begins = {block.address - _HEADER for block in chained.blocks}
    lost = tuple(_unproved(symbols, free, begins)) if not chained.gaps else ()
    sizes = [block.size + _HEADER for block in chained.blocks if not block.used]
    return ImageHeap(
        start=start,
        end=end,
        first=start,
        family=NAMES[1 if top else 0],
        blocks=tuple(chained.blocks),
        free_order=tuple(at + _HEADER for at in free if at in begins),
        order_known=not damage and not lost and not chained.gaps,
        counted_free=sum(sizes),
        largest=max(sizes, default=_HEADER) - _HEADER,
        damage=(*chained.damage, *damage, *lost),
        gaps=tuple(chained.gaps),
    )


def _anchored(sized: _Sized) -> list[int]:
    """The free chunks, and those behind them: a size alone proves nothing."""
    places: set[int] = set()
    for chunk in sized.free:
        at = chunk
        while at not in places and (step := sized.step(at)) is not None:
            places.add(at)
            at = step.next
    return sorted(places)


def _value(image: MemoryImage, at: int | None) -> int | None:
    return None if at is None else image.word(at)


def _end(image: MemoryImage, symbols: FirmwareSymbols, start: int) -> int:
    """The end by a variable of the program's _sbrk; 0: not known."""
    for symbol in symbols.rows:
        if symbol.size == _HEADER and any(name in symbol.name for name in _ENDS):
            value = image.word(symbol.address) or 0
            if start < value <= start + _MOST:
                return value
    return 0


def _walked(image: MemoryImage, start: int) -> int:
    """Where the sizes lead to what can be none."""
    sized, at = _Sized(image, start + _MOST, frozenset(), start + _MOST), start
    while (step := sized.step(at)) is not None and image.known(at, step.next - at):
        at = step.next
    return at


def _free_list(image: MemoryImage, at: int) -> tuple[tuple[int, ...], tuple[Damage, ...]]:
    """The chunks of the list, and the link that leads back to one that was there before."""
    order: dict[int, None] = {}
    last = owner = 0
    while (chunk := image.word(at)) is not None and chunk:
        if chunk <= last or chunk % _ALIGNMENT:
            return tuple(order), (_link(at, owner, chunk, twice=chunk if chunk in order else 0),)
        order[chunk] = None
        last, owner, at = chunk, chunk + _HEADER, chunk + _HEADER
    return tuple(order), ()


def _unproved(
    symbols: FirmwareSymbols, free: tuple[int, ...], begins: set[int]
) -> Iterator[Damage]:
    """The first link that leads to no chunk."""
    before = 0
    for chunk in free:
        if chunk not in begins:
            at = before + _HEADER if before else symbols.address(FREE) or 0
            yield _link(at, before + _HEADER if before else 0, chunk)
            return
        before = chunk


def _link(at: int, owner: int, holds: int, *, twice: int = 0) -> Damage:
    why = "it does not lead to a later free chunk"
    return broken_link(at, owner, holds, why, twice=twice + _HEADER if twice else 0)
