"""Runs of a memory map: the entries that heap_caps_init makes one heap of."""

from __future__ import annotations

import itertools
from collections.abc import Sequence

from heapscope.config.chip_data import MapEntry, VersionData

Range = tuple[int, int]  #: start and size


def holder(version: VersionData, kind: str, start: int, size: int) -> MapEntry | None:
    """The first of the entries of one kind that hold this memory, side by side; options do not
    matter: what a device printed was there."""
    entries = [entry for entry in version.map if kind in entry.names]
    for entry in entries:
        if entry.start <= start < entry.end and _reaches((entry,), entries, start + size):
            return entry
    return None


def kinds_of(version: VersionData, start: int, size: int) -> frozenset[str]:
    """The kinds of memory that a region with these addresses can be of."""
    names = {
        name
        for entry in version.map
        if entry.option != "psram" and entry.start <= start < entry.end
        for name in entry.names
    }
    return frozenset(name for name in names if holder(version, name, start, size) is not None)


def can_print(version: VersionData, regions: Sequence[Range]) -> bool:
    """Whether a start-up of this version can make heaps of just these regions: each lies within
    one run or a window of PSRAM, and no two that touch would be one heap."""
    inside = [region for region in regions if not _external(version, region)]
    own = sorted(region for region in inside if not _within_another(region, inside))
    if not all(kinds_of(version, *region) for region in own):
        return False
    return not any(
        start + size == behind and _one_heap(version, (start, size), (behind, more))
        for (start, size), (behind, more) in itertools.pairwise(own)
    )


def ends_matched(version: VersionData, reserved: Sequence[int], regions: Sequence[Range]) -> int:
    """How many of the regions end where memory of the chip does, or where it is never heap."""
    ends = {entry.end for entry in version.map} | set(reserved)
    return sum(start + size in ends for start, size in regions)


def has_all(version: VersionData, regions: Sequence[Range]) -> bool:
    """Whether all of them lie in memory that may be heap, of whatever kinds."""
    runs = [(entry.start, entry.end) for entry in version.map]
    runs += [(window.start, window.start + window.size) for window in version.psram]
    return all(_covered(runs, start, start + size) for start, size in regions)


def _covered(runs: Sequence[tuple[int, int]], start: int, end: int) -> bool:
    """Terminates: each step advances to the end of a run."""
    while start < end:
        further = max((high for low, high in runs if low <= start < high), default=start)
        if further == start:
            return False
        start = further
    return True


def _external(version: VersionData, region: Range) -> bool:
    start, size = region
    return any(
        window.start <= start and start + size <= window.start + window.size
        for window in version.psram
    ) and not kinds_of(version, start, size)


def _within_another(region: Range, regions: Sequence[Range]) -> bool:
    """The pool reserved for DMA lies in a block of another heap."""
    start, size = region
    return any(
        low <= start and start + size <= low + length and (low, length) != region
        for low, length in regions
    )


def _one_heap(version: VersionData, before: Range, after: Range) -> bool:
    whole = (before[0], before[1] + after[1])
    return kinds_of(version, *before) <= kinds_of(version, *whole)


def _reaches(run: tuple[MapEntry, ...], entries: Sequence[MapEntry], end: int) -> bool:
    """Whether neighbours with the same flags, which one build can have, go up to an address. Bound:
    each step goes up to the end of an entry."""
    last = run[-1]
    return last.end >= end or any(
        _reaches((*run, entry), entries, end)
        for entry in entries
        if entry.start <= last.end < entry.end
        and entry.startup_stack == last.startup_stack
        and not any(_exclude(entry, one) for one in run)
    )


def _exclude(one: MapEntry, other: MapEntry) -> bool:
    """Whether an option must be on for the one and off for the other."""
    terms, others = (set(entry.when.split(" && ")) - {""} for entry in (one, other))
    return any(f"!{term}" in others for term in terms) or any(
        f"!{term}" in terms for term in others
    )
