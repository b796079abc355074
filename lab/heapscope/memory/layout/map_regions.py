"""Default regions out of the memory map: what static use and reserved ranges leave of it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from heapscope.config.chip_data import DefaultStatic
from heapscope.memory.layout.build import StaticUseError
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.memory import Memory
from heapscope.memory.layout.versions import is_reserved

Range = tuple[int, int]  # start and end

_LEAST = 16  # bytes; a rest of this size or less does not become a region (memory_layout_utils.c)
_REGION_MIN = 64  # bytes that static use must leave


def map_regions(
    memory: Memory, static: DefaultStatic, statics: Mapping[str, int | None]
) -> tuple[Region, ...]:
    """`statics`: bytes of static use by name ("dram", "iram"); None: as assumed."""
    taken = [*_reserved(memory), *_static(memory, static, statics)]
    regions: list[Region] = []
    for entry in memory.entries():
        for start, end in without((entry.start, entry.end), taken):
            region = memory.region(memory.kind(entry), start, end - start)
            _append(regions, memory, region)
    return tuple(regions)


def left_of(
    memory: Memory, regions: Iterable[Region], taken: Iterable[Range]
) -> tuple[Region, ...]:
    """Regions without what is in use of them. Those that nothing is taken of stay as they are."""
    ranges = tuple(taken)
    if not ranges:
        return tuple(regions)
    return tuple(
        memory.region(region.kind, start, end - start)
        for region in regions
        for start, end in without((region.start, region.end), ranges)
    )


def without(memory: Range, taken: Iterable[Range]) -> list[Range]:
    """The parts of a range outside `taken`, without those that are too small for a heap."""
    pieces, (start, end) = [], memory
    for low, high in sorted(taken):
        if low < end and high > start:
            pieces.append((start, low))
            start = max(start, high)
    pieces.append((start, end))
    return [(low, high) for low, high in pieces if high - low > _LEAST]


def _append(regions: list[Region], memory: Memory, region: Region) -> None:
    """Neighbours of one kind become one heap, unless only one of them holds start-up stacks."""
    last = regions[-1] if regions else None
    if last is not None and last.end == region.start and last.kind == region.kind:
        joined = memory.region(region.kind, last.start, last.size + region.size)
        if last.startup_stack == region.startup_stack:
            regions[-1] = joined
            return
    regions.append(region)


def _reserved(memory: Memory) -> list[Range]:
    known = memory.chip.reserved
    return [(part.start, part.end) for part in known if is_reserved(part, memory.version)]


def _static(
    memory: Memory, static: DefaultStatic, statics: Mapping[str, int | None]
) -> Iterable[Range]:
    """Code first, from the beginning of what is IRAM alone, then data."""
    iram, dram = (_amount(statics[name], assumed) for name, assumed in _assumed(static))
    code = max(0, iram - static.code_elsewhere)
    base = _base(memory, static)
    most = _room(memory, base) - _REGION_MIN
    if iram < 0 or dram < 0 or code + dram > most:
        raise StaticUseError(
            f"static use of {iram} bytes of IRAM and {dram} of DRAM is not possible",
            remedy=f"--static-iram and --static-dram together take 0 to "
            f"{most + static.code_elsewhere}",
        )
    yield base, base + (code + dram + 3 & ~3)
    for entry in memory.entries():
        if entry.kind == "IRAM":
            yield entry.start, entry.start + min(iram + 3 & ~3, entry.size)


def _base(memory: Memory, static: DefaultStatic) -> int:
    """Where code and data begin: where caches are smaller by default, memory in front of the usual
    base is theirs, too."""
    base = static.base
    for entry in sorted(memory.entries(), key=lambda e: e.start, reverse=True):
        if entry.start < base <= entry.end:
            base = entry.start
    return base


def _assumed(static: DefaultStatic) -> tuple[tuple[str, int], ...]:
    return ("iram", static.iram), ("dram", static.dram)


def _amount(given: int | None, assumed: int) -> int:
    return assumed if given is None else given


def _room(memory: Memory, base: int) -> int:
    """Bytes from `base` on that the map has without a gap and nobody else has."""
    end = base
    for entry in sorted(memory.entries(), key=lambda e: e.start):
        if entry.start <= end < entry.end:
            end = entry.end
    for low, _ in _reserved(memory):
        if base <= low < end:
            end = low
    return end - base
