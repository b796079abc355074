"""Regions of a chip's heap: of its default firmware, or of the lines of a boot log."""

from __future__ import annotations

from collections.abc import Mapping

from heapscope.errors import InputError
from heapscope.layout.boot_log import BootLog, BootRegion
from heapscope.layout.chip_data import ChipData, DefaultRegion, MapEntry, VersionData
from heapscope.layout.layout import Region
from heapscope.trace.names import printable

__all__ = ["default_regions", "in_list_order", "logged_regions"]

_REGION_MIN = 64  # bytes that static use must leave of a region


def default_regions(
    chip: ChipData, version: VersionData, cores: int, statics: Mapping[str, int | None]
) -> tuple[Region, ...]:
    """`statics`: bytes of static use by name ("dram", "iram"); None: as in the default firmware."""
    defaults = (region for region in chip.default_regions if region.cores in (None, cores))
    return tuple(_region(version, d.kind, *_shifted(d, statics)) for d in defaults)


def logged_regions(
    chip: ChipData, version: VersionData, boot: BootLog
) -> tuple[tuple[Region, ...], tuple[str, ...]]:
    """The regions, and notes on lines left out. InputError names a line that cannot be."""
    lines = [line for line in boot.regions if not _cut_in_kind(version, line)]
    notes = tuple(
        f"line {line.line} of the log is cut off and was left out"
        for line in boot.regions
        if _cut_in_kind(version, line)
    )
    for line in lines:
        _check(chip, version, boot, line)
    return tuple(_region(version, line.kind, line.start, line.size) for line in lines), notes


def in_list_order(regions: tuple[Region, ...], version: VersionData) -> tuple[Region, ...]:
    """The order in which the allocator tries them: that of the map, by size where the version does
    so. sorted() keeps the order of equals, as the SDK does."""

    def place(region: Region) -> tuple[int, int]:
        entry = _entry(version, region.kind, region.start, region.size)
        return version.map.index(entry) if entry else len(version.map), region.start

    listed = sorted(regions, key=place)
    return tuple(sorted(listed, key=lambda r: r.size) if version.order == "size" else listed)


def _entry(version: VersionData, kind: str, start: int, size: int) -> MapEntry | None:
    entries = (e for e in version.map if e.kind == kind and e.contains(start, size))
    return next(entries, None)


def _region(version: VersionData, kind: str, start: int, size: int) -> Region:
    """Where the heap cannot be set up (some boards have 4 bytes between two drivers' reserved
    ranges), ESP-IDF goes without it: `optional`."""
    entry = _entry(version, kind, start, size)
    return Region(
        start=start,
        size=size,
        kind=kind,
        caps=version.kinds[kind],
        allocator=version.allocator,
        iram_alias=entry is not None and entry.iram_alias,
        startup_stack=entry is not None and entry.startup_stack,
        optional=True,
    )


def _shifted(default: DefaultRegion, statics: Mapping[str, int | None]) -> tuple[int, int]:
    """Start and size of a region behind the static use."""
    use = statics.get(default.static)
    if use is None:
        return default.start, default.size
    end = default.start + default.size
    most = end - default.static_base - _REGION_MIN
    if not 0 <= use <= most:
        raise InputError(
            f"static use of {use} bytes of {default.static.upper()} is not possible",
            remedy=f"--static-{default.static} takes 0 to {most}",
        )
    start = default.static_base + (use + 3 & ~3)
    return start, end - start


def _cut_in_kind(version: VersionData, line: BootRegion) -> bool:
    """The file ends within the kind: "...: D/IR"."""
    begun = any(kind.startswith(line.kind) for kind in version.kinds)
    return not line.ended and line.kind not in version.kinds and begun


def _check(chip: ChipData, version: VersionData, boot: BootLog, line: BootRegion) -> None:
    where = f"{boot.file}, line {line.line}"
    if line.kind not in version.kinds:
        raise InputError(
            f"{where}: {chip.title} under ESP-IDF {version.name} has no memory of kind "
            f"'{printable(line.kind)}'",
            remedy="valid: " + ", ".join(version.kinds),
        )
    if line.start % 4 or line.size % 4 or line.size == 0:
        raise InputError(
            f"{where}: region at {line.start:#010x}, {line.size} bytes: start and length are "
            f"multiples of 4, the length above 0",
            remedy="the line is damaged: take the log again",
        )
    if _entry(version, line.kind, line.start, line.size) is None:
        raise InputError(
            f"{where}: {line.start:#010x}, {line.size} bytes, is not in the {line.kind} of "
            f"{chip.title}",
            remedy="check that the log is of this chip, and the line whole",
        )
