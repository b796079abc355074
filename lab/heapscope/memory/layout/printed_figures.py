"""The allocators that can have printed a region's figures: by the bytes that are neither free nor
allocated, and by how the largest free block is rounded.

The bytes missing from a region's length are the allocator's own: its table, a header of each block
where the release counts it, and what poisoning and task tracking take of each block and off the
free bytes. The table's size is asked of the model, so that it is right to the byte. Sources:
multi_heap.c, multi_heap_poisoning.c and heap_caps.c of the releases; docs/reference/models.md."""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from heapscope.native.library import allocator_names
from heapscope.native.single_heap import fill

_BASE = 0x3FFB_0000  # where a heap is put to ask for its table: any aligned address does
_HEADER = 4  # bytes of a block
_ENDS = 8  # bytes of a TLSF pool's end words, which count as free
_LISTS = ("idf-3.3", "idf-4.2")
_UNCOUNTED = ("idf-4.3.0", "idf-4.3.2", "idf-4.4.0")  # whose used blocks' headers count as free
_POWERS = ("idf-4.3.0",)
_TRACKED_APART = ("idf-5.2", "idf-5.3", "idf-5.5")  # and not in the poison
_LARGEST = 1 << 25  # bytes of a region whose table is asked for

#: Bytes of a block, and of the free ones of a heap, by flavour. Comprehensive poisoning takes as
#: much as light poisoning.
FLAVOURS = {"": 0, "+light": 12, "+track": 4, "+light+track": 16}


@dataclass(frozen=True, kw_only=True)
class RegionFigures:
    """One region of a heap summary, as printed. None: its lines do not tell."""

    size: int
    free: int
    used: int
    used_blocks: int
    free_blocks: int
    largest: int | None = None


@dataclass(frozen=True, kw_only=True)
class Printer:
    """An allocator that can have printed figures, and the flavour that it was built in."""

    allocator: str  # without a flavour
    flavour: str = ""


def printers(figures: Iterable[RegionFigures]) -> tuple[Printer, ...]:
    """Those that can have printed all of these regions; empty: none can, or none was given."""
    regions = list(figures)
    return tuple(one for one in _every() if regions and all(prints(one, r) for r in regions))


def prints(printer: Printer, region: RegionFigures) -> bool:
    """Whether this region's figures are its own, to the byte."""
    table = table_bytes(printer.allocator, region.size)
    if table is None:
        return False
    extra = FLAVOURS[printer.flavour]
    blocks = region.used_blocks
    counted = blocks * _header(printer.allocator)
    if printer.allocator in _LISTS:
        counted = _HEADER * (blocks + region.free_blocks - 1)
    rest = region.size - region.free - region.used - table - counted - extra * blocks
    if not (rest == extra or (region.free == 0 and 0 <= rest <= extra)):
        return False
    return region.largest is None or _largest_fits(printer, region, region.largest)


@functools.cache
def table_bytes(allocator: str, size: int) -> int | None:
    """Bytes of an empty region that are not free. None: the allocator refuses it, or it is too
    large to be asked for."""
    if size > _LARGEST:
        return None
    row = fill(allocator, base=_BASE, size=size, block=_HEADER, most=0)
    return None if row is None else size - row.reported_free


def _every() -> Iterator[Printer]:
    for name in allocator_names():
        if name.startswith("idf-") and "+" not in name and not name.endswith("-host"):
            for flavour in FLAVOURS:
                if flavour != "+track" or name in _TRACKED_APART:
                    yield Printer(allocator=name, flavour=flavour)


def _header(allocator: str) -> int:
    return 0 if _family(allocator) in _UNCOUNTED else _HEADER


def _family(allocator: str) -> str:
    """The name without the size of its table."""
    return allocator.removesuffix("-psram").partition("-fl")[0]


def _largest_fits(printer: Printer, region: RegionFigures, printed: int) -> bool:
    """Whether a free block can be of a size that is reported so."""
    extra = FLAVOURS[printer.flavour]
    if region.free_blocks == 0:
        return printed == 0
    exact = _one_block(printer.allocator, region, extra)
    if exact is not None:
        return printed == max(0, _reported(printer.allocator, exact, region.size) - extra)
    if printed == 0:
        return True
    whole = printed + extra
    return whole % _HEADER == 0 and _reported(printer.allocator, whole, region.size) == whole


def _one_block(allocator: str, region: RegionFigures, extra: int) -> int | None:
    """Payload bytes of the free block where there is one alone, and its size is known."""
    if region.free_blocks != 1 or region.free == 0:
        return None
    if allocator in _LISTS:
        return region.free + extra
    uncounted = _HEADER - _header(allocator)
    return (region.free + extra - _ENDS - uncounted * region.used_blocks) & ~3


def _reported(allocator: str, free: int, size: int) -> int:
    """The largest block that the release tells where the true one has `free` bytes."""
    family = _family(allocator)
    if allocator in _LISTS or free <= 0:
        return max(0, free)
    power = 1 << (free.bit_length() - 1)
    if family in _POWERS:
        return power
    heap = size - 20  # its structure
    bins = 5 if family.startswith("idf-4.") or heap > 1 << 18 else 4 if heap > 1 << 14 else 3
    step = power >> bins
    exact_below = family in ("idf-5.3", "idf-5.5") and free < 4 << bins
    if step == 0:
        return free if exact_below else 0
    return free & ~(step - 1)
