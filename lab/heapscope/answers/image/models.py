"""Which release's allocator keeps a heap, and the figures that it prints: by the lab's models.

Several releases keep the same structures. A release is left out where the blocks show another one:
its poisoning and tracking, how it rounds sizes, what it counts as free.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from heapscope.answers.image import heap_4
from heapscope.answers.image.heap import Coat, ImageHeap
from heapscope.base.errors import InputError
from heapscope.config.releases import find_release
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock
from heapscope.native.library import find_allocator
from heapscope.native.state import NativeState
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import bare_region, heap_config

_SIZED = ("idf-5.1", "idf-5.2", "idf-5.3", "idf-5.5")
_FIXED = ("idf-4.3.0", "idf-4.3.2", "idf-4.4.0", "idf-4.4.2")
_LISTS = ("idf-3.3", "idf-4.2")
_ROUNDED = ("idf-4.3.0", "idf-5.5")
_IN_POISON, _IN_FRONT, _LISTED = _SIZED[:1], _SIZED[1:3], _SIZED[3:]
_FAMILIES = ("TLSF", "TLSF, fixed tables", "free list")
_TABLES = {18: "", 19: "-fl19", 22: "-psram", 24: "-fl24", 25: "-fl25", 30: "-host"}
_OWNER_IN_POISON = 4
_LEAVE = 16  # a rest that is smaller stays with the block
_CLEAR = 3  # blocks that are no chance
_PLAIN = 128  # many programs ask for multiples of it
_CHANCE = 1e-4


@dataclass(frozen=True)
class Modelled:
    """`names`: of the allocators that may keep the heap; `row`: what each of them prints, None
    where they print different figures, or no model has these blocks."""

    names: tuple[str, ...]
    row: Struct | None


def modelled(heaps: Sequence[ImageHeap], idf: str) -> tuple[Modelled, ...]:
    """For each heap, of ESP-IDF or of heap_4, whose blocks alone decide what it does next. `idf`:
    the release of a firmware of ESP-IDF, or empty."""
    if not heaps or heaps[0].family not in _FAMILIES:
        return tuple(_other(heap) for heap in heaps)
    bases = _of_release(idf) or tuple(_bases(heaps))
    rows: list[dict[str, Struct]] = []
    for heap in heaps:
        names = [name for base in bases for name in _named(base, heap)]
        rows.append(dict(_rows(heap, names)))
    fitting = [set(map(_base, one)) for one in rows if one]
    every = set.intersection(*fitting) if fitting else set()
    result = []
    for one in rows:
        left = {name: row for name, row in one.items() if not every or _base(name) in every}
        result.append(Modelled(tuple(left), _same(tuple(left.values()))))
    return tuple(result)


def _other(heap: ImageHeap) -> Modelled:
    if heap.family != heap_4.NAME:
        return Modelled((), None)
    coarse = all(one.address % heap_4.ALIGNMENT == 0 for one in heap.blocks)
    name = heap_4.NAME if coarse else heap_4.FINE
    row = described(heap, name)
    return Modelled((), None) if row is None else Modelled((name,), row)


def _base(name: str) -> str:
    plain = name.partition("+")[0]
    return next(
        (base for base in (*_FIXED, *_SIZED, *_LISTS) if plain == base or plain[:-5] == base),
        "-".join(plain.split("-")[:2]),
    )


def _same(rows: tuple[Struct, ...]) -> Struct | None:
    if not rows or any(vars(row) != vars(rows[0]) for row in rows):
        return None
    return rows[0]


def _of_release(idf: str) -> tuple[str, ...]:
    try:
        return (find_release(idf).allocator,) if idf else ()
    except InputError:  # a version that nobody knows
        return ()


def _bases(heaps: Sequence[ImageHeap]) -> Iterator[str]:
    family = heaps[0].family
    if family == "free list":
        yield from _LISTS
        return
    sized = family == "TLSF"
    rounds = _rounds(heaps, heaps[0].coat)
    for base in _SIZED if sized else _FIXED:
        if rounds is not None and sized and rounds != (base in _ROUNDED):
            continue
        if sized and base not in _tracked(heaps[0].coat):
            continue
        yield base


def _tracked(coat: Coat) -> tuple[str, ...]:
    if coat.owner is None:
        return _SIZED
    if coat.owner == _OWNER_IN_POISON:
        return _IN_POISON
    return _LISTED if coat.listed else _IN_FRONT


def _rounds(heaps: Sequence[ImageHeap], coat: Coat) -> bool | None:
    """Whether malloc keeps the size to which its search rounded; None: the blocks do not tell."""
    shorter = longer = 0
    by_chance: dict[int, float] = {}
    for heap in heaps:
        log2 = heap.bins_log2
        for block in heap.blocks:
            width = 1 << max(0, (block.size | 4 << log2).bit_length() - 1 - log2)
            if not block.used or width <= _LEAVE:
                continue
            if block.requested is None:
                shorter += block.size % width >= _LEAVE
                if block.size % _PLAIN:
                    by_chance[block.size] = _LEAVE / width
            else:
                exact = block.requested + coat.front + coat.behind + 3 & ~3
                rounded = exact + width - 1 & -width
                shorter += block.size < rounded
                longer += exact + _LEAVE <= rounded <= block.size
    if shorter >= _CLEAR and shorter > longer:
        return False
    if longer >= _CLEAR and longer > shorter:
        return True
    if shorter == 0 and longer == 0 and math.prod(by_chance.values()) < _CHANCE:
        return True
    return None


def _named(base: str, heap: ImageHeap) -> Iterator[str]:
    """The allocator of this base with the tables, poisoning and tracking that the heap has."""
    coat = heap.coat
    table = _TABLES.get(heap.table_log2, "") if heap.family == "TLSF, fixed tables" else ""
    flavour = ("+full" if coat.fills else "+light") if coat.poisoned else ""
    if coat.owner is not None:  # in the poison's head it brings light poisoning with it
        in_poison = coat.owner == _OWNER_IN_POISON
        flavour = ("+full" * coat.fills if in_poison else flavour) + "+track"
    name = find_allocator(base + table + flavour)
    if name is not None:
        yield name


def _rows(heap: ImageHeap, names: Sequence[str]) -> Iterator[tuple[str, Struct]]:
    """Those that can have these blocks and count the same bytes as free."""
    for name in names:
        row = described(heap, name)
        if row is not None and (
            heap.counted_free is None or row.counted_free == heap.counted_free or heap.damage
        ):
            yield name, row


def described(heap: ImageHeap, allocator: str) -> Struct | None:
    """The figures of the heap by this allocator; None: it cannot have these blocks."""
    region = replace(region_of(heap, allocator), holes=())
    config = heap_config((bare_region(region, blocks=region.blocks),), MallocRule(small=0), 0)
    try:
        with NativeState(config) as state:
            return state.regions()[0]
    except StatusError:
        return None


def region_of(heap: ImageHeap, allocator: str) -> Region:
    return Region(
        start=heap.start,
        size=heap.size,
        kind="heap",
        caps=heap.caps or (0, 0, 0),
        allocator=allocator,
        blocks=tuple(HeldBlock(one.address, one.size, one.used) for one in heap.blocks),
        holes=heap.free_order,
    )
