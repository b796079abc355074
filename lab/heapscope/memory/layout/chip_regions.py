"""Regions of a chip's heap: of its default firmware, or of the lines of a boot log."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.base.errors import InputError
from heapscope.config.chip_data import DefaultRegion
from heapscope.memory.layout.boot_log import BootLog
from heapscope.memory.layout.build import StaticUseError
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.map_regions import map_regions
from heapscope.memory.layout.memory import Memory
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.layout.recut import recut, renamed

_REGION_MIN = 64  # bytes that static use must leave of a region


def default_regions(memory: Memory, statics: Mapping[str, int | None]) -> tuple[Region, ...]:
    """`statics`: bytes of static use by name ("dram", "iram"); None: as in the default firmware."""
    chip = memory.chip
    if chip.static is not None:
        return map_regions(memory, chip.static, statics)
    defaults = (region for region in chip.default_regions if region.cores in (None, memory.cores))
    optional = (entry for entry in memory.entries() if entry.option)
    shifted = ((each.kind, *_shifted(each, statics)) for each in defaults)
    return (
        *(memory.region(kind, start, size) for kind, start, size in shifted if size),
        *(memory.region(entry.kind, entry.start, entry.size) for entry in optional),
    )


def logged_regions(memory: Memory, boot: BootLog) -> tuple[tuple[Region, ...], tuple[str, ...]]:
    """The regions, and notes on lines left out. InputError names a line that cannot be."""
    lines = [line for line in boot.regions if not _cut_in_kind(memory, line)]
    notes = tuple(
        f"line {line.line} of the log is cut off and was left out"
        for line in boot.regions
        if _cut_in_kind(memory, line)
    )
    if renamed(memory, lines):
        regions, more = recut(memory, boot, lines)
        return regions, notes + more
    for line in lines:
        _check(memory, boot, line)
    return tuple(memory.region(line.kind, line.start, line.size) for line in lines), notes


def _shifted(default: DefaultRegion, statics: Mapping[str, int | None]) -> tuple[int, int]:
    """Start and size of a region behind the static use, which may be all of it."""
    use = statics.get(default.static)
    if use is None:
        return default.start, default.size
    end = default.start + default.size
    most = end - default.static_base - _REGION_MIN
    if not 0 <= use <= most and use != end - default.static_base:
        raise StaticUseError(
            f"static use of {use} bytes of {default.static.upper()} is not possible",
            remedy=f"--static-{default.static} takes 0 to {most}",
        )
    start = default.static_base + (use + 3 & ~3)
    return start, end - start


def _cut_in_kind(memory: Memory, line: ListedRegion) -> bool:
    """The file ends within the kind: "...: D/IR"."""
    kinds = memory.version.kinds
    begun = any(kind.startswith(line.kind) for kind in kinds)
    return not line.ended and line.kind not in kinds and begun


def _check(memory: Memory, boot: BootLog, line: ListedRegion) -> None:
    where = f"{boot.file}, line {line.line}"
    if line.start % 4 or line.size % 4 or line.size == 0:
        raise InputError(
            f"{where}: region at {line.start:#010x}, {line.size} bytes: start and length are "
            f"multiples of 4, the length above 0",
            remedy="the line is damaged: take the log again",
        )
    if memory.holder(line.kind, line.start, line.size) is None:
        raise InputError(
            f"{where}: {line.start:#010x}, {line.size} bytes: no known version gives "
            f"this memory of the {memory.chip.title} to the heap",
            remedy=f"check that the {boot.what} is of this chip, and whole",
        )
