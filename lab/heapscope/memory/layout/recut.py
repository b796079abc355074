"""The regions of a log by their addresses, where a version names or divides memory otherwise."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.config.chip_data import MapEntry
from heapscope.memory.layout.boot_log import BootLog
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.map_regions import without
from heapscope.memory.layout.memory import Memory
from heapscope.memory.layout.program_starts import ListedRegion

Range = tuple[int, int]


def renamed(memory: Memory, lines: Sequence[ListedRegion]) -> bool:
    """True if every line is in this chip's memory but some are named or divided as this version
    does not."""
    fits = [memory.holder(line.kind, line.start, line.size) is not None for line in lines]
    return not all(fits) and all(_plausible(memory, line) for line in lines)


def recut(
    memory: Memory, boot: BootLog, lines: Sequence[ListedRegion]
) -> tuple[tuple[Region, ...], tuple[str, ...]]:
    """The memory of the log, divided as this version's map divides it."""
    regions: list[Region] = []
    for start, end in _joined(lines):
        for entry, low, high in _pieces(memory, start, end):
            last = regions[-1] if regions else None
            region = memory.region(_kind(memory, boot, entry, low), low, high - low)
            if last and last.end == low and _alike(last, region):
                region = memory.region(last.kind, last.start, last.size + region.size)
                regions.pop()
            regions.append(region)
    lost = sum(line.size for line in lines) - sum(region.size for region in regions)
    whose = f"the {boot.what}'s regions"
    notes = [f"{whose} are divided and named as by ESP-IDF {memory.version.label}"]
    if lost:
        notes.append(f"{lost:,} bytes of {whose} are no heap in this version; left out")
    return tuple(regions), tuple(notes)


def _plausible(memory: Memory, line: ListedRegion) -> bool:
    """It is memory that some version gives to the heap, whatever it is called."""
    if line.start % 4 or line.size % 4 or line.size == 0:
        return False
    return any(
        not without(
            (line.start, line.start + line.size),
            [(entry.start, entry.end) for entry in version.map],
        )
        for version in memory.chip.versions
    )


def _joined(lines: Sequence[ListedRegion]) -> list[Range]:
    ranges: list[Range] = []
    for line in sorted(lines, key=lambda line: line.start):
        end = line.start + line.size
        if ranges and ranges[-1][1] == line.start:
            ranges[-1] = (ranges[-1][0], end)
        else:
            ranges.append((line.start, end))
    return ranges


def _pieces(memory: Memory, start: int, end: int) -> Iterator[tuple[MapEntry, int, int]]:
    """Entries in use come before those of other options; what no entry has is passed over."""
    here = set(memory.entries())
    entries = sorted(
        (entry for entry in memory.version.map if entry.option != "psram"),
        key=lambda entry: entry not in here,
    )
    while start < end:
        entry = next((e for e in entries if e.start <= start < e.end), None)
        if entry is None:
            start = min((e.start for e in entries if start < e.start < end), default=end)
            continue
        high = min(end, entry.end)
        yield entry, start, high
        start = high


def _kind(memory: Memory, boot: BootLog, entry: MapEntry, address: int) -> str:
    """The log's own name for it where the version has it."""
    for line in boot.regions:
        if line.start <= address < line.start + line.size and line.kind in entry.names:
            return line.kind
    return memory.kind(entry)


def _alike(left: Region, right: Region) -> bool:
    return left.kind == right.kind and left.startup_stack == right.startup_stack
