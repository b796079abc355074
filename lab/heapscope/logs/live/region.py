"""The regions of memory of a device that is heard."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.logs.live.blocks import Span
from heapscope.native.structs import NEVER, Struct

#: Who says how much of a region is free: the heap on the device, or a replay of its recording; or
#: one that began at a snapshot, whose blocks it laid down by their addresses, not where they lay.
BY_HEAP, BY_REPLAY, BY_LAID_ANEW = "heap", "replay", "laid anew"

_END = (1 << 64) - 1


@dataclass(frozen=True, kw_only=True)
class HeardRegion:
    """Bytes. None: not told. `time`: ticks, when the heap said it; `by` empty: nobody said."""

    name: str
    caps: int
    start: int
    size: int
    free: int | None = None
    minimum: int | None = None
    largest: int | None = None
    time: int | None = None
    by: str = ""

    @property
    def span(self) -> Span:
        return Span(start=self.start, end=min(self.start + self.size, _END))


def reported_regions(rows: Sequence[Struct], names: Sequence[str]) -> Iterator[HeardRegion]:
    """Those that the recording tells, of hs_lab_listened_region_t."""
    for row, name in zip(rows, names, strict=True):
        if NEVER in (row.start, row.size) or not row.size:
            continue
        yield HeardRegion(
            name=name,
            caps=row.caps,
            start=row.start,
            size=row.size,
            free=_reported(row.free),
            minimum=_reported(row.minimum),
            largest=_reported(row.largest),
            time=_reported(row.time),
            by=BY_HEAP if row.free != NEVER else "",
        )


def _reported(number: int) -> int | None:
    return None if number == NEVER else int(number)


def candidates(regions: Sequence[HeardRegion], caps: int) -> list[HeardRegion]:
    """Those that a request with these capabilities may be served from. Plain malloc asks those with
    DEFAULT; where no region has it, all that bytes can be in, or else all."""
    if caps:
        return [region for region in regions if region.caps & caps == caps]
    for wanted in (capabilities.DEFAULT, capabilities.EIGHT_BIT):
        if results := [region for region in regions if region.caps & wanted]:
            return results
    return list(regions)
