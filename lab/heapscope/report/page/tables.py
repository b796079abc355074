"""The tables of the page: what stands in each cell, and by what it is sorted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from heapscope.leaks.find import HolderRow
from heapscope.measure.clock import Clock, in_seconds, since_start
from heapscope.measure.failure import merged
from heapscope.measure.result import ReplayResult
from heapscope.measure.survey import Holding
from heapscope.measure.wording import percent, plural
from heapscope.report.leaks import verdict as leak_verdict
from heapscope.report.page.charts import close_requests
from heapscope.report.page.side import PageSide
from heapscope.trace.call_sites import SITE_ROOM, frames_of, shortened

__all__ = [
    "Site",
    "Sorted",
    "Table",
    "Value",
    "classes",
    "close",
    "failure_spans",
    "failures",
    "leaks",
    "regions",
    "sites",
    "static_parts",
    "table_of",
    "tasks",
]


@dataclass(frozen=True)
class Sorted:
    """A text that is sorted as a number. `tone`: a class for the page's colours."""

    text: str
    number: float
    tone: str = ""

    def __str__(self) -> str:
        return self.text


@dataclass(frozen=True)
class Site:
    """A call site: its short form, and the whole stack that it opens to."""

    text: str
    frames: tuple[str, ...]

    def __str__(self) -> str:
        return self.text


AT_EVENT = "#at event"
#: Columns of event numbers, which a clock turns into seconds.
EVENTS = (AT_EVENT, "#since event", "#from event")

Value = str | int | float | Sorted | Site | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """`numbers`: which columns are numbers, set to the right and sorted as such. `sums`: which of
    them may be added up. `rest`: a row that sums up others, `left_out` of them or more: those that
    nobody listed. `units`: small beside the headings."""

    name: str
    title: str
    headings: tuple[str, ...]
    numbers: tuple[bool, ...]
    rows: tuple[tuple[Value, ...], ...]
    sums: tuple[bool, ...] = ()
    rest: tuple[Value, ...] = ()
    left_out: int = 0
    units: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.rows) + self.left_out

    def within(self, most: int) -> Table:
        """With at most so many rows, and one that sums up those that are left out."""
        if len(self.rows) <= most and not (self.left_out and not self.rest):
            return self
        kept, left = self.rows[:most], self.rows[most:]
        number = len(left) + self.left_out
        added = [*left, self.rest] if self.rest else left
        sums = self.sums or (False,) * len(self.headings)
        rest = [_sum(row[at] for row in added) if sums[at] else None for at in range(len(sums))]
        return replace(self, rows=kept, rest=(plural(number, "other"), *rest[1:]), left_out=number)


def _sum(values: Iterable[Value]) -> int | float:
    return sum(value for value in values if isinstance(value, int | float))


def table_of(
    name: str,
    title: str,
    headings: Sequence[str],
    rows: Iterable[Sequence[Value]],
    *,
    clock: Clock | None = None,
) -> Table:
    """Headings that begin with # are of numbers, with + of numbers that may be added up; under
    "Site" stand call sites. `clock`: under EVENTS stand seconds since the start."""
    found = [tuple(row) for row in rows]
    if clock is not None:
        found = [
            tuple(
                _at(one, clock) if h in EVENTS else one
                for h, one in zip(headings, row, strict=True)
            )
            for row in found
        ]
        headings = [in_seconds(one) if one in EVENTS else one for one in headings]
    if "Site" in headings:
        found = _sites_short(found, list(headings).index("Site"))
    return Table(
        name=name,
        title=title,
        headings=tuple(heading.lstrip("#+") for heading in headings),
        numbers=tuple(heading.startswith(("#", "+")) for heading in headings),
        sums=tuple(heading.startswith("+") for heading in headings),
        rows=tuple(found),
    )


def _at(event: Value, clock: Clock) -> Value:
    seconds = clock.seconds(event) if isinstance(event, int) else None
    return event if seconds is None else Sorted(since_start(seconds, clock.span), seconds)


def _sites_short(rows: list[tuple[Value, ...]], place: int) -> list[tuple[Value, ...]]:
    whole = [str(row[place] or "") for row in rows]
    return [
        (*row[:place], Site(short, frames_of(text)), *row[place + 1 :]) if short != text else row
        for row, text, short in zip(rows, whole, shortened(whole, SITE_ROOM), strict=True)
    ]


def tasks(side: PageSide) -> Table:
    headings = (
        "Task",
        "Memory",
        "+peak payload",
        "#at event",
        "+peak held",
        "+at the peak of all",
        "+at the end",
        "+blocks, peak",
        "+allocations",
        "+failed",
    )
    at_peak = _at_peak(side)
    rows = sorted(side.result.tasks, key=lambda row: -row.payload_peak)
    kinds: dict[str, int] = {}
    for row in rows:
        kinds[row.task] = kinds.get(row.task, 0) + 1
    return table_of(
        "tasks",
        "Tasks by kind of memory",
        headings,
        (
            (
                row.task,
                row.kind,
                row.payload_peak,
                row.payload_peak_event,
                row.held_peak,
                at_peak.get(row.task) if kinds[row.task] == 1 else None,
                row.payload,
                row.blocks_peak,
                row.allocations,
                row.failures,
            )
            for row in rows
        ),
        clock=side.result.clock,
    )


def _at_peak(side: PageSide) -> dict[str, int]:
    """The payload of each task when the program held most."""
    moments = side.survey.moments
    if not moments:
        return {}
    peak = max(range(len(moments)), key=lambda number: moments[number].live)
    tasks = side.survey.picture.tasks
    return {task: int(side.survey.payload[peak, i]) for i, task in enumerate(tasks)}


#: Rows of the table of failed requests over the run.
SPANS = 32

HOLDING = (
    "+peak payload",
    "#at event",
    "+at the peak of all",
    "+at the end",
    "+blocks, peak",
    "+allocations",
    "+failed",
)


def _holding(row: Holding) -> tuple[Value, ...]:
    return (
        row.payload_peak,
        row.payload_peak_event,
        row.payload_at_peak,
        row.payload,
        row.blocks_peak,
        row.allocations,
        row.failures,
    )


def sites(side: PageSide) -> Table:
    rows = ((row.name, *_holding(row)) for row in side.survey.sites if not row.others)
    table = table_of("sites", "Call sites", ("Site", *HOLDING), rows, clock=side.result.clock)
    for row in side.survey.sites:
        if row.others:
            table = replace(table, rest=(row.name, *_holding(row)), left_out=row.others)
    return table


def classes(side: PageSide) -> Table:
    headings = ("#Size class", *HOLDING, "#held beyond payload, peak")
    rows = (
        (Sorted(row.name, row.most), *_holding(row), row.held_peak - row.payload_peak)
        for row in side.survey.classes
    )
    return table_of("classes", "Size classes", headings, rows, clock=side.result.clock)


def regions(result: ReplayResult) -> Table:
    headings = (
        "Region",
        "Allocator",
        "#size",
        "#peak payload",
        "#minimum free",
        "#free at the end",
        "#largest allocatable, minimum",
        "#free blocks at the end",
        "#tries refused",
    )
    rows = (
        (
            row.name,
            row.allocator if row.has_heap else "no heap",
            row.size,
            row.peak_payload,
            row.minimum_free,
            row.free,
            row.minimum_largest_allocatable,
            row.free_blocks,
            row.failures,
        )
        for row in result.regions
    )
    return table_of("regions", "Regions", headings, rows)


def failures(result: ReplayResult) -> Table:
    headings = (
        "#event" if result.clock is None else AT_EVENT,
        "After mark",
        "Task",
        "Call",
        "#asked for",
        "Capabilities",
        "#free",
        "#largest allocatable",
        "Site",
    )
    rows = (
        (
            row.event,
            result.mark_before(row.event) or "",
            row.task,
            row.call,
            row.size,
            row.capabilities,
            row.free,
            row.largest_allocatable,
            row.site,
        )
        for row in result.failures
    )
    table = table_of("failures", "Failed requests", headings, rows, clock=result.clock)
    return replace(table, left_out=result.summary.failures - len(result.failures))


def failure_spans(result: ReplayResult) -> Table:
    headings = ("#from event", "+events", "+failed requests", "+bytes asked for", "#largest")
    rows = (
        (
            row.first_event,
            row.events,
            row.failures,
            row.bytes,
            row.largest if row.failures else None,
        )
        for row in merged(result.failure_spans, SPANS)
    )
    title = "Failed requests over the run"
    return table_of("failure-spans", title, headings, rows, clock=result.clock)


def close(side: PageSide) -> Table:
    headings = (
        "#event" if side.result.clock is None else AT_EVENT,
        "After mark",
        "Task",
        "#asked for",
        "Capabilities",
        "#largest in its place",
        "#to spare",
        "Region",
        "Site",
    )
    rows = (
        (
            row.event,
            side.result.mark_before(row.event) or "",
            row.task,
            row.size,
            row.capabilities,
            row.largest,
            row.spare,
            row.region,
            row.site,
        )
        for row in close_requests(side)
    )
    return table_of("close", "Nearest misses", headings, rows, clock=side.result.clock)


def leaks(side: PageSide) -> Table:
    headings = (
        "Task",
        "Site",
        "+bytes",
        "+blocks",
        "#smallest",
        "#largest",
        "#oldest, events",
        "#bytes per 1000 events",
        "Verdict",
    )
    return table_of(
        "leaks", "Live at the end in the recorded program", headings, map(_leak, side.leaks.holders)
    )


def _leak(row: HolderRow) -> tuple[Value, ...]:
    return (
        row.task,
        row.site,
        row.bytes,
        row.blocks,
        row.smallest,
        row.largest,
        row.oldest,
        None if row.rate is None else round(row.rate.bytes_per_1000_events.value, 1),
        leak_verdict(row),
    )


def static_parts(result: ReplayResult) -> list[Table]:
    if result.static is None:
        return []
    headings = ("Memory", "Component", "Symbol", "#code", "#data", "#bss", "#total")
    kinds = table_of(
        "static-kinds",
        "Static RAM by kind of memory",
        ("Memory", "#code", "#data", "#bss", "#static in all", "#left to the heap", "Share static"),
        (
            (
                row.kind,
                row.code,
                row.data,
                row.bss,
                row.total,
                row.heap,
                percent(row.total, row.total + row.heap),
            )
            for row in result.static.kinds
        ),
    )
    parts = [
        table_of(
            name,
            title,
            headings,
            (
                (row.kind, row.component, row.symbol, row.code, row.data, row.bss, row.total)
                for row in rows
            ),
        )
        for name, title, rows in (
            ("static-components", "Static RAM by component", result.static.components),
            ("static-symbols", "The largest symbols", result.static.symbols),
        )
        if rows
    ]
    return [kinds, *parts]
