"""`Heap summary for capabilities 0x...`: what heap_caps_print_heap_info() prints.

    Heap summary for capabilities 0x00001800:
      At 0x3ffb3210 len 183792 free 166372 allocated 15740 min_free 165372
        largest_free_block 163840 alloc_blocks 14 free_blocks 1 total_blocks 15
      Totals:
        free 166372 allocated 15740 min_free 165372 largest_free_block 163840

Regions come in the order in which requests try them. The same in every version up to 5.5.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.capture.esp_idf.lines import LogLine, LogMoment
from heapscope.rows.figure import figure
from heapscope.rows.row import Row

_HEADER = re.compile(rb"Heap summary for capabilities 0x([0-9A-Fa-f]{1,8})(?![0-9A-Fa-f])")
_REGION = re.compile(rb"\bAt 0x([0-9A-Fa-f]{1,8}) len (\d{1,10})(?= )")
_PAIR = re.compile(
    rb"\b(free|allocated|min_free|largest_free_block|alloc_blocks|free_blocks|total_blocks) +"
    rb"(-?\d{1,10})(?![\w.])"
)
_FIRST_LINE = {"free", "allocated", "min_free"}
_REGIONS_MAX = 64  # of one summary; more is none
_ADDRESS_END = 1 << 32


class LoggedRegion(Row):
    """One region at one moment; null: not in the log."""

    start: int = figure("Address.")
    length: int = figure("Its bytes.", "B")
    free: int | None = figure("Free bytes, as reported.", "B", default=None)
    allocated: int | None = figure("Allocated bytes, as reported.", "B", default=None)
    minimum_free: int | None = figure("Least free bytes, as reported.", "B", default=None)
    largest: int | None = figure(
        "Largest free block, as reported: rounded, by the rules of the version.", "B", default=None
    )
    used_blocks: int | None = figure("Blocks in use.", default=None)
    free_blocks: int | None = figure("Free blocks.", default=None)
    line: int = figure("Line of the log, from 1.", default=0)


@dataclass(frozen=True, kw_only=True)
class Totals:
    free: int | None = None
    allocated: int | None = None
    minimum_free: int | None = None  # a sum of minima of different moments
    largest: int | None = None


@dataclass(frozen=True, kw_only=True)
class HeapSummary:
    """`caps` None: its first line is missing. `complete`: it was read to its totals."""

    caps: int | None
    moment: LogMoment
    regions: tuple[LoggedRegion, ...]
    totals: Totals
    complete: bool

    @property
    def missing_free(self) -> int:
        """Free bytes of the totals that no region has: a region is not in the log."""
        if not self.complete or self.totals.free is None:
            return 0
        return self.totals.free - sum(region.free or 0 for region in self.regions)


class SummaryScanner:
    """Takes lines in order, gives each summary when it is over."""

    def __init__(self) -> None:
        self.damaged = 0  # lines of the form that are not whole
        self._caps: int | None = None
        self._moment: LogMoment | None = None
        self._regions: list[LoggedRegion] = []
        self._in_totals = False

    @property
    def begun(self) -> bool:
        return self._moment is not None

    def feed(self, line: LogLine, moment: LogMoment) -> list[HeapSummary]:
        header = _HEADER.search(line.text)
        if header is not None:
            done = self.close()
            self._caps, self._moment = int(header[1], 16), moment
            return done
        region = _REGION.search(line.text)
        if region is not None:
            return self._begin_region(line, moment, region)
        if self._moment is None:
            return []
        if b"Totals:" in line.text:
            self._in_totals = True
        return self._figures(line)

    def close(self) -> list[HeapSummary]:
        """The parts that were begun and have not come to their end."""
        return self._finish(Totals(), complete=False)

    def _begin_region(
        self, line: LogLine, moment: LogMoment, found: re.Match[bytes]
    ) -> list[HeapSummary]:
        figures = _figures(line.text[found.end() :])
        start, length = int(found[1], 16), int(found[2])
        if "free" not in figures or not 0 < length <= _ADDRESS_END - start:
            self.damaged += 1
            return []
        done = self.close() if self._in_totals else []
        if self._moment is None:
            self._moment = moment
        self.damaged += not figures.keys() >= _FIRST_LINE and "largest_free_block" not in figures
        if len(self._regions) < _REGIONS_MAX:
            self._regions.append(_state(LoggedRegion(start=start, length=length), figures, line))
        return done

    def _figures(self, line: LogLine) -> list[HeapSummary]:
        figures = _figures(line.text)
        if self._in_totals:
            return self._totals(figures) if "free" in figures else []
        if self._regions and self._regions[-1].largest is None and "largest_free_block" in figures:
            last = self._regions[-1]
            self._regions[-1] = _state(last, figures, line)
        elif b"largest_free_block" in line.text and not figures:
            self.damaged += 1
        return []

    def _totals(self, figures: dict[str, int]) -> list[HeapSummary]:
        totals = Totals(
            free=figures.get("free"),
            allocated=figures.get("allocated"),
            minimum_free=figures.get("min_free"),
            largest=figures.get("largest_free_block"),
        )
        return self._finish(totals, complete=True)

    def _finish(self, totals: Totals, *, complete: bool) -> list[HeapSummary]:
        moment, regions = self._moment, tuple(self._regions)
        caps = self._caps
        self._caps, self._moment, self._regions, self._in_totals = None, None, [], False
        if moment is None or not (regions or complete):
            return []
        summary = HeapSummary(
            caps=caps, moment=moment, regions=regions, totals=totals, complete=complete
        )
        return [summary]


def _figures(text: bytes) -> dict[str, int]:
    """A number printed below 0 (a counter that wrapped) tells nothing."""
    pairs = ((found[1].decode("ascii"), int(found[2])) for found in _PAIR.finditer(text))
    return {name: value for name, value in pairs if 0 <= value < _ADDRESS_END}


def _state(old: LoggedRegion, figures: dict[str, int], line: LogLine) -> LoggedRegion:
    return LoggedRegion(
        start=old.start,
        length=old.length,
        free=figures.get("free", old.free),
        allocated=figures.get("allocated", old.allocated),
        minimum_free=figures.get("min_free", old.minimum_free),
        largest=figures.get("largest_free_block", old.largest),
        used_blocks=figures.get("alloc_blocks", old.used_blocks),
        free_blocks=figures.get("free_blocks", old.free_blocks),
        line=old.line or line.number,
    )
