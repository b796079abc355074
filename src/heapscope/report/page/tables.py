"""The tables of the page: what stands in each cell, and by what it is sorted."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from heapscope.leaks.find import HolderRow
from heapscope.measure.result import ReplayResult
from heapscope.measure.survey import Holding
from heapscope.measure.wording import percent
from heapscope.report.page.charts import close_requests
from heapscope.report.page.side import Side
from heapscope.trace.call_sites import SITE_ROOM, frames_of, shortened

__all__ = [
    "Site",
    "Sorted",
    "Table",
    "Value",
    "classes",
    "close",
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


Value = str | int | float | Sorted | Site | None


@dataclass(frozen=True, kw_only=True)
class Table:
    """`numbers`: which columns are numbers, set to the right and sorted as such. `left_out`: rows
    that the library only counted. `units`: small beside the headings."""

    name: str
    title: str
    headings: tuple[str, ...]
    numbers: tuple[bool, ...]
    rows: tuple[tuple[Value, ...], ...]
    left_out: int = 0
    units: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def table_of(
    name: str, title: str, headings: Sequence[str], rows: Iterable[Sequence[Value]]
) -> Table:
    """Headings that begin with # are of numbers; under "Site" stand call sites."""
    found = [tuple(row) for row in rows]
    if "Site" in headings:
        found = _sites_short(found, list(headings).index("Site"))
    return Table(
        name=name,
        title=title,
        headings=tuple(heading.removeprefix("#") for heading in headings),
        numbers=tuple(heading.startswith("#") for heading in headings),
        rows=tuple(found),
    )


def _sites_short(rows: list[tuple[Value, ...]], place: int) -> list[tuple[Value, ...]]:
    whole = [str(row[place] or "") for row in rows]
    return [
        (*row[:place], Site(short, frames_of(text)), *row[place + 1 :]) if short != text else row
        for row, text, short in zip(rows, whole, shortened(whole, SITE_ROOM), strict=True)
    ]


def tasks(side: Side) -> Table:
    headings = (
        "Task",
        "Memory",
        "#peak payload",
        "#at event",
        "#peak held",
        "#at the peak of all",
        "#at the end",
        "#blocks, peak",
        "#allocations",
        "#failed",
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
    )


def _at_peak(side: Side) -> dict[str, int]:
    """What each task held when the program held most."""
    moments = side.survey.moments
    if not moments:
        return {}
    peak = max(range(len(moments)), key=lambda number: moments[number].live)
    tasks = side.survey.picture.tasks
    return {task: int(side.survey.payload[peak, i]) for i, task in enumerate(tasks)}


HOLDING = (
    "#peak payload",
    "#at event",
    "#at the peak of all",
    "#at the end",
    "#blocks, peak",
    "#allocations",
    "#failed",
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


def sites(side: Side) -> Table:
    rows = ((row.name, *_holding(row)) for row in side.survey.sites)
    return table_of("sites", "Call sites", ("Site", *HOLDING), rows)


def classes(side: Side) -> Table:
    headings = ("#Size class", *HOLDING, "#held beyond payload, peak")
    rows = (
        (Sorted(row.name, row.most), *_holding(row), row.held_peak - row.payload_peak)
        for row in side.survey.classes
    )
    return table_of("classes", "Size classes", headings, rows)


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
        "#event",
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
    table = table_of("failures", "Failed requests", headings, rows)
    return replace(table, left_out=result.summary.failures - len(result.failures))


def close(side: Side) -> Table:
    headings = (
        "#event",
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
    return table_of("close", "Nearest misses", headings, rows)


def leaks(side: Side) -> Table:
    headings = (
        "Task",
        "Site",
        "#bytes",
        "#blocks",
        "#smallest",
        "#largest",
        "#oldest, events",
        "#bytes per 1000 events",
        "Grows",
    )
    return table_of("leaks", "What stays at the end", headings, map(_leak, side.leaks.holders))


def _leak(row: HolderRow) -> tuple[Value, ...]:
    grows = "-"
    if row.trend is not None:
        grows = f"{'yes' if row.trend.grows else 'no'} ({row.trend.confidence:.0f} % sure)"
    return (
        row.task,
        row.site,
        row.bytes,
        row.blocks,
        row.smallest,
        row.largest,
        row.oldest,
        None if row.trend is None else round(row.trend.slope, 1),
        grows,
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
