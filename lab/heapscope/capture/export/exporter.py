"""The interface of an export format: the rows that it is given, and the calls that write them."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.output import Write
from heapscope.capture.export.events_document import ExportedTotals, RegionAt
from heapscope.capture.export.overview import Overview
from heapscope.memory.layout.layout import Layout
from heapscope.native.export import Keep
from heapscope.native.structs import Rows, Struct
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.loss import Loss


@dataclass(frozen=True, kw_only=True)
class Context:
    """Known before the first event."""

    trace: str  # its path, safe to show
    overview: Overview | None  # None: the format reads the trace only once
    layout: Layout | None  # None: no heaps, the recorded program's own use
    regions: tuple[RegionAt, ...]  # empty without a layout

    @property
    def known(self) -> Overview:
        """For formats that have the trace read twice."""
        if self.overview is None:
            raise ValueError("this format asked for one reading")
        return self.overview


@dataclass(frozen=True, kw_only=True)
class Finish:
    """Known after the last event."""

    overview: Overview
    result: ReplayResult | None  # with a layout
    profile: Rows
    peak: Struct  # hs_lab_profile_t
    messages: tuple[str, ...]  # what of the trace is missing
    loss: Loss | None  # of events; None: all are there

    @property
    def totals(self) -> ExportedTotals:
        """The sums of the events: of the replay where there was one."""
        census, result = self.overview.census, self.result
        if result is None:
            return ExportedTotals(
                events=census.events,
                live_peak=census.live_peak,
                live_peak_event=self.overview.live_peak_event,
                live_end=census.live,
                failures=census.failed,
                digest=None,
            )
        summary = result.summary
        return ExportedTotals(
            events=census.events,
            live_peak=summary.live_peak,
            live_peak_event=summary.live_peak_event,
            live_end=summary.live,
            failures=summary.failures,
            digest=summary.digest,
        )


class Exporter:
    """One format; it does what it needs of this. `names_first`: the trace is read twice, for names
    that come after their use."""

    names_first: bool
    keep: Keep

    def span(self, events: int) -> int:
        """Heap events that give one sample of each counter, of a trace with so many."""
        return 1

    def begin(self, context: Context, write: Write) -> None:
        """Before the first event."""

    def rows(self, rows: Rows, write: Write) -> None:
        """Some heap events, in order."""

    def samples(self, samples: Rows, write: Write) -> None:
        """Some samples of the counters, in order."""

    def end(self, finish: Finish, write: Write) -> None:
        """After the last event."""
