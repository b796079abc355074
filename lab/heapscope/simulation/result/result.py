"""Everything one replay yields."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Self

from heapscope.base.capabilities import MALLOC
from heapscope.base.rows.bound import AT_LEAST, bounds_of
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row, malformed
from heapscope.memory.layout.region_rows import KindRow, RegionRow, SetRow
from heapscope.memory.static.static_ram import StaticRam
from heapscope.simulation.result.failure import Explanation, FailureRow, FailureSpan
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.placement import RuleRow
from heapscope.simulation.result.summary import AnomalyRow, Summary, Tightest
from heapscope.simulation.result.task import TaskRow
from heapscope.simulation.result.timeline import Timeline
from heapscope.simulation.result.verdict import Verdict, verdict
from heapscope.trace.clock import Clock, moment
from heapscope.trace.loss import Health, Loss
from heapscope.trace.provenance import WORD_SIZE_TEXT, Census, LayoutFacts, TraceFacts

if TYPE_CHECKING:
    from heapscope.memory.static_choice import StaticChoice


class MarkRow(Row):
    """Every figure as it stood at a mark."""

    name: str = figure("Name of the mark, control characters escaped.", heading="Mark")
    event: int = figure("Heap events before the mark.", heading="at event")
    time: int = figure("Time of the mark, clock ticks.", "ticks")
    live: int = figure("Payload bytes live.", "B", "live payload")
    live_peak: int = figure("Most payload bytes live at one moment so far.", "B")
    live_blocks: int = figure("Live blocks.", heading="live blocks", wide=True)
    failures: int = figure("Failed requests so far.", heading="failed")
    sets: tuple[SetRow, ...] = figure("Capability sets.")
    regions: tuple[RegionRow, ...] = figure("Regions.")
    tasks: tuple[TaskRow, ...] = figure("Tasks in memory kinds.")


class ReplayResult(Document):
    """One trace replayed on one layout. Bytes unless said otherwise; event numbers count heap
    events from 0, lost ones included."""

    VERB = "replay"
    VERSION = 1
    main_table = "regions"

    trace: TraceFacts = figure("The trace.")
    layout: LayoutFacts = figure("The memory that was replayed on.")
    health: Health = figure("The state of the trace as it was read.")
    census: Census = figure("The program's own use of memory.")
    summary: Summary = figure("The replay in figures.")
    sets: tuple[SetRow, ...] = figure(
        "Capability sets at the end; malloc's own rule is always among them."
    )
    kinds: tuple[KindRow, ...] = figure("Memory kinds at the end.")
    regions: tuple[RegionRow, ...] = figure(
        "Regions at the end, in the order in which they are tried."
    )
    tasks: tuple[TaskRow, ...] = figure("Tasks in memory kinds at the end.")
    needs: tuple[HeadroomRow, ...] = figure("Headroom for each --need.")
    failures: tuple[FailureRow, ...] = figure(
        "All failed requests or, of more than 1,000, a sample spread over the run: the "
        "first and the largest of each span of events. summary.failures and "
        "failure_spans count all."
    )
    failure_spans: tuple[FailureSpan, ...] = figure(
        "Failed requests in equal spans over the whole run, at most 512; none where nothing failed."
    )
    marks: tuple[MarkRow, ...] = figure("The first marks; marks_seen counts all.")
    marks_seen: int = figure("Marks of the trace.", bound=AT_LEAST)
    anomalies: tuple[AnomalyRow, ...] = figure(
        "The first events that make no sense; the summary counts all."
    )
    timeline: Timeline | None = figure("The replay over time; null: none was kept.")
    beside: tuple[Tightest, ...] | None = figure(
        "This memory after the events at which others that it is compared with are tightest; null: "
        "it was not compared.",
        default=None,
        absent=True,
        hidden=True,
    )
    explanation: Explanation | None = figure(
        "The explanation of the event given with --explain; null: none was given."
    )
    static: StaticRam | None = figure(
        "Static RAM beside the heap, from --elf, --map or --bin; null: none was given.",
        default=None,
    )
    loss: Loss | None = figure(
        "The part of the recording that is lost; null: nothing is lost.", default=None
    )
    placement: tuple[RuleRow, ...] = figure(
        "One row a rule of --place, then what no rule placed; empty: there are no rules.",
        default=(),
    )
    clock: Clock | None = figure(
        "The clock; null: the trace has none, its rate is not known, or it was read from a pipe.",
        default=None,
    )

    @property
    @computed(WORD_SIZE_TEXT, "B", last=True)
    def word_size(self) -> int | None:
        return self.trace.word_size

    @property
    def free_for_malloc(self) -> int | None:
        """Bytes free at the end in the regions that malloc uses; None: there is no such set."""
        return next((row.free for row in self.sets if row.capabilities == "malloc"), None)

    def with_static(self, static: StaticChoice | None) -> Self:
        """The result with the picture of static RAM; None: no file tells it."""
        return self if static is None else replace(self, static=static.picture(self.regions))

    @classmethod
    def from_json(cls, data: object, *, where: str = "$") -> Self:
        result = super().from_json(data, where=where)
        if not result.regions or not any(row.capabilities == MALLOC for row in result.sets):
            raise malformed(f"{where}.sets", "not without malloc's row and a region")
        return result

    @property
    @computed("The answer, by rank of severity.")
    def verdict(self) -> Verdict:
        return verdict(self)

    @property
    def malloc(self) -> SetRow:
        """The row of malloc's own rule, which every replay keeps."""
        return next(row for row in self.sets if row.capabilities == MALLOC)

    def mark_before(self, event: int) -> str | None:
        """The name of the last mark at or before an event."""
        names = (mark.name for mark in reversed(self.marks) if mark.event <= event)
        return next(names, None)

    def place(self, event: int | None, *, task: str = "") -> str:
        """A moment for people: the seconds, where the trace has a clock, else the event's number;
        then its task and the mark it follows."""
        if event is None:
            return "the start"
        mark = self.mark_before(event)
        return moment(event, self.clock, task, "" if mark is None else f"mark '{mark}'")


#: The marks of the figures after a loss. Rows of things that happened are exact.
REPLAY = bounds_of(ReplayResult, without=("marks", "failures", "anomalies", "loss"))
