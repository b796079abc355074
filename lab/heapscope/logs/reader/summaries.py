"""Heap summaries, put together from their lines: what heap_caps_print_heap_info() prints."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field

from heapscope.base.capabilities import DEFAULT, EIGHT_BIT, INTERNAL, WORD
from heapscope.native.log import Fact

_REGIONS_MAX = 64  # of one summary; longer input is not a summary
#: The capabilities of all memory that serves malloc.
_PLAIN = EIGHT_BIT | WORD | INTERNAL | DEFAULT
_CLASSED = 4096  # bytes from which on classes are wider than what poisoning takes
_POISONS = (0, 4, 8, 12, 16)  # bytes that poisoning and tracking take off a class
_OWNER = 4  # bytes of a block that name its task
_KEPT = 2000  # summaries, the last ones; all are counted


@dataclass(kw_only=True)
class PrintedRegion:
    """One region at one moment, as printed. None: its lines do not tell."""

    address: int
    size: int
    line: int
    free: int | None = None
    used: int | None = None
    min: int | None = None
    largest: int | None = None
    used_blocks: int | None = None
    free_blocks: int | None = None
    whole: bool = True  # both of its lines are


@dataclass(frozen=True, kw_only=True)
class PrintedTotals:
    free: int | None = None
    used: int | None = None
    min: int | None = None
    largest: int | None = None
    line: int = 0


@dataclass(kw_only=True)
class PrintedSummary:
    """`caps` None: its first line is missing. `totals` None: it was not read to its end."""

    number: int
    line: int
    last_line: int
    caps: int | None = None
    uptime: int | None = None
    quote: str = ""
    mixed: bool = False  # its lines are those of two devices
    regions: list[PrintedRegion] = field(default_factory=list)
    totals: PrintedTotals | None = None
    table: bool = False  # its regions are the rows of a table, all that there are
    torn: bool = False  # other output came into one of its lines

    @property
    def complete(self) -> bool:
        return self.totals is not None and self.caps is not None

    @property
    def of_malloc(self) -> bool:
        """No region that serves malloc is left out."""
        return self.caps is not None and self.caps & ~_PLAIN == 0

    @property
    def free(self) -> int | None:
        """The figure of the totals, or else the sum of the regions that are there."""
        return self._figure("free", sum)

    @property
    def used(self) -> int | None:
        return self._figure("used", sum)

    @property
    def min(self) -> int | None:
        return self._figure("min", sum)

    @property
    def largest(self) -> int | None:
        return self._figure("largest", max)

    @property
    def tracked(self) -> bool:
        """The row of totals has one word less for each region than the rows of the regions: from
        5.5 on that is the sign of a heap that keeps the task of each block."""
        parts = [region.free for region in self.regions if region.free is not None]
        printed = None if self.totals is None else self.totals.free
        whole = 0 < len(parts) == len(self.regions)
        return whole and printed is not None and sum(parts) - printed == _OWNER * len(parts)

    @property
    def exact(self) -> bool:
        """A largest block that no release from 4.3 on reports, as all of those round it down to a
        class of sizes: a heap in place of ESP-IDF's, as Heapscope's own, reports it to the byte."""
        largest = [one.largest for one in self.regions if (one.largest or 0) >= _CLASSED]
        return any(
            all((size + less) % (1 << size.bit_length() - 6) for less in _POISONS)
            for size in largest
            if size is not None
        )

    def _figure(self, name: str, join: object) -> int | None:
        reported = None if self.totals is None else getattr(self.totals, name)
        if reported is not None:
            return int(reported)
        parts = [getattr(region, name) for region in self.regions]
        if not parts or any(part is None for part in parts):
            return None
        return int(join(parts))  # type: ignore[operator]


class PrintedSummaries:
    """Takes the facts in order. Lines of a summary without its head are one, too."""

    def __init__(self) -> None:
        self.count = 0
        self.kept: deque[PrintedSummary] = deque(maxlen=_KEPT)
        self._open: PrintedSummary | None = None

    @property
    def last(self) -> PrintedSummary | None:
        """The last one of the memory that malloc takes, whole if there is such a one; else the
        last that has a region."""
        ranks = [
            (one.complete, one.of_malloc, one.number)
            for one in self.kept
            if one.regions and not one.mixed
        ]
        best = max(ranks, default=None)
        return None if best is None else next(o for o in self.kept if o.number == best[2])

    def take(self, fact: Fact) -> None:
        if fact.kind == "summary":
            self._begin(fact).caps = fact.caps
        elif fact.kind == "region":
            self._region(fact)
        elif fact.kind == "region_more":
            self._more(fact)
        elif fact.kind == "totals":
            self._totals(fact)

    def _begin(self, fact: Fact) -> PrintedSummary:
        self.count += 1
        self._open = PrintedSummary(
            number=self.count,
            line=fact.line,
            last_line=fact.line,
            uptime=fact.before,
            quote=fact.quote,
        )
        self.kept.append(self._open)
        return self._open

    def _current(self, fact: Fact) -> PrintedSummary:
        result = self._open if self._open is not None else self._begin(fact)
        result.last_line = fact.line
        result.torn |= fact.cut
        return result

    def _region(self, fact: Fact) -> None:
        same = [] if self._open is None else self._open.regions
        if self._open is not None and any(r.address == fact.address for r in same):
            if same[-1].address == fact.address and same[-1].largest is None:
                self._open.mixed = True  # its second line has not come yet
            else:
                self._open = None
        summary = self._current(fact)
        summary.table |= fact.text == "table"
        if len(summary.regions) < _REGIONS_MAX and fact.address is not None and fact.size:
            summary.regions.append(
                PrintedRegion(
                    address=fact.address,
                    size=fact.size,
                    line=fact.line,
                    free=_count(fact.free),
                    used=_count(fact.used),
                    min=_count(fact.min),
                    largest=_count(fact.largest),
                    whole=not fact.cut,
                )
            )

    def _more(self, fact: Fact) -> None:
        summary = self._current(fact)
        if not summary.regions or summary.regions[-1].largest is not None:
            return
        region = summary.regions[-1]
        region.largest = _count(fact.largest)
        region.used_blocks = fact.count
        region.free_blocks = fact.free_count
        region.whole &= not fact.cut and fact.count is not None

    def _totals(self, fact: Fact) -> None:
        summary = self._current(fact)
        summary.totals = PrintedTotals(
            free=_count(fact.free),
            used=_count(fact.used),
            min=_count(fact.min),
            largest=_count(fact.largest),
            line=fact.line,
        )
        self._open = None


def _count(number: int | None) -> int | None:
    """A number below 0 or above 32 bits is a counter that ran over: it tells nothing."""
    return number if number is not None and 0 <= number < 1 << 32 else None
