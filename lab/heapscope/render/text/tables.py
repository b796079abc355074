"""The tables of a replay, for the terminal and the page alike."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from operator import itemgetter
from typing import Any

from heapscope.base.capabilities import MALLOC
from heapscope.base.rows.row import figures_of
from heapscope.base.wording import percent, signed
from heapscope.memory.layout.region_rows import MemoryFigures, RegionRow, SetRow
from heapscope.memory.static.static_ram import StaticKind, StaticPart
from heapscope.render.text.table import Cell, CellText, Column, Table, columns_of, headed, table_of
from heapscope.simulation.result.failure import (
    Explanation,
    FailureRegion,
    FailureRow,
    FailureSpan,
    Step,
    merged,
)
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.placement import RuleRow
from heapscope.simulation.result.result import MarkRow, ReplayResult
from heapscope.simulation.result.survey import Closest, Holding, Survey
from heapscope.simulation.result.task import TaskRow

#: Rows on a terminal: failed requests, spans of events, components or symbols.
FAILURES, SPANS, PARTS = 5, 8, 12
#: Characters of the bar of all bytes.
BAR = 30
#: Figures of malloc at a mark.
AT_MARK = "free minimum_free largest_allocatable minimum_largest_allocatable"


def tasks(result: ReplayResult, survey: Survey | None = None) -> Table:
    """`survey`: tells what each task held when the program held most."""
    used = [row for row in result.tasks if row.payload_peak or row.failures or row.allocations]
    rows = sorted(used, key=lambda row: -row.held_peak)
    kinds = Counter(row.task for row in rows)
    at_peak = {} if survey is None else _at_peak(survey)
    held = Column(
        heading="at the peak of all",
        of=lambda row: at_peak.get(row.task) if kinds[row.task] == 1 else None,
        unit="B",
        rest="sum",
        text="Payload bytes that were live when the whole program held most.",
    )
    columns = (*columns_of(TaskRow), held)
    return table_of("Tasks", columns, rows, name="tasks", clock=result.clock)


def _at_peak(survey: Survey) -> dict[str, int]:
    """The payload of each task when the program held most."""
    moments = survey.moments
    if not moments:
        return {}
    peak = max(range(len(moments)), key=lambda number: moments[number].live)
    return {task: int(survey.payload[peak, i]) for i, task in enumerate(survey.picture.tasks)}


def sites(result: ReplayResult, survey: Survey) -> Table:
    columns = (
        Column(heading="Site", of=lambda row: row.name, words=True, site=True),
        *columns_of(Holding),
    )
    own = [row for row in survey.sites if not row.others]
    rest = next((row for row in survey.sites if row.others), None)
    return table_of(
        "Call sites",
        columns,
        own,
        name="sites",
        clock=result.clock,
        rest=rest,
        left_out=0 if rest is None else rest.others,
    )


def classes(result: ReplayResult, survey: Survey) -> Table:
    columns = (
        Column(heading="Size class", of=lambda row: CellText(row.name, row.most)),
        *columns_of(Holding),
        Column(
            heading="held beyond payload, peak",
            of=lambda row: row.held_peak - row.payload_peak,
            unit="B",
        ),
    )
    return table_of("Size classes", columns, survey.classes, name="classes", clock=result.clock)


def regions(result: ReplayResult) -> Table:
    columns = columns_of(RegionRow)
    return table_of("Regions", columns, result.regions, name="regions", clock=result.clock)


def memory(result: ReplayResult) -> Table:
    """Capability sets, then kinds; those with the same figures share a row, and one name of both
    (SPIRAM) stands there once."""
    named: list[tuple[str, MemoryFigures]] = [(row.capabilities, row) for row in result.sets]
    named += [(row.kind, row) for row in result.kinds]
    groups: dict[object, tuple[list[str], MemoryFigures]] = {}
    for name, row in named:
        figures = tuple(getattr(row, figure) for figure in figures_of(MemoryFigures))
        groups.setdefault(figures, ([], row))[0].append(name)
    rows = [(", ".join(dict.fromkeys(names)), row) for names, row in groups.values()]
    if len(groups) == 1:
        rows = [("all memory", result.malloc)]
    columns = (
        Column(heading="Memory", of=itemgetter(0), words=True),
        *columns_of(MemoryFigures, via=itemgetter(1)),
    )
    title = "Memory at the end, and its extremes over the run"
    return table_of(title, columns, rows, name="memory", clock=result.clock)


def needs(result: ReplayResult) -> Table:
    events = result.summary.event_count if result.loss is None else 0
    share = Column(heading="share", of=lambda need: percent(need.short_events, events))
    columns = list(columns_of(HeadroomRow, minimum_margin=_margin))
    columns.insert(3, share)
    title = "Headroom for a contiguous request"
    return table_of(title, columns, result.needs, name="needs", clock=result.clock)


def _margin(need: HeadroomRow) -> CellText:
    tone = "worse" if need.short_events else "better"
    return CellText(signed(need.minimum_margin), need.minimum_margin, tone)


def failures(result: ReplayResult) -> Table:
    event, *others = columns_of(
        FailureRow, align=lambda row: row.align or None, old_size=lambda row: row.old_size or None
    )
    return table_of(
        "Failed requests",
        (event, _event(result), _after_mark(result), *others),
        result.failures,
        name="failures",
        clock=result.clock,
        most=FAILURES,
        left_out=result.summary.failures - len(result.failures),
    )


def _event(result: ReplayResult, of: str = "event") -> Column:
    """The number that --event takes, beside the seconds."""
    known = result.clock is not None
    return Column(heading="event", of=lambda row: getattr(row, of) if known else None)


def _after_mark(result: ReplayResult) -> Column:
    return Column(
        heading="After mark", of=lambda row: result.mark_before(row.event), words=True, wide=True
    )


def failed_regions(result: ReplayResult) -> Table:
    """The regions that could have served the first failed requests."""
    columns = (
        *columns_of(FailureRow, "event", via=itemgetter(0)),
        Column(heading="Region", of=_failed_region, words=True),
        *columns_of(FailureRegion, "free largest_free largest_allocatable", via=_region),
    )
    rows = [
        row for at in range(len(result.failures[:FAILURES])) for row in _queried_regions(result, at)
    ]
    title = "Regions that could have served the first of them"
    return table_of(title, columns, rows, name="failed-regions", clock=result.clock)


def _queried_regions(
    result: ReplayResult, at: int
) -> Iterator[tuple[FailureRow, FailureRegion | str]]:
    failure, before = result.failures[at], result.failures[at - 1] if at else None
    requested = [region for region in failure.regions if region.eligible]
    if not requested:
        yield failure, "none has these capabilities"
    elif before is not None and requested == [one for one in before.regions if one.eligible]:
        yield failure, "as above"
    else:
        yield from ((failure, region) for region in requested)


def _failed_region(row: tuple[FailureRow, FailureRegion | str]) -> str:
    return row[1] if isinstance(row[1], str) else row[1].name


def _region(row: tuple[FailureRow, FailureRegion | str]) -> FailureRegion | None:
    return None if isinstance(row[1], str) else row[1]


def failure_spans(result: ReplayResult, most: int = SPANS) -> Table:
    """All failures, where not each has a row; in `most` spans of events."""
    whole = result.summary.failures <= FAILURES
    spans = () if whole else merged(result.failure_spans, most)
    first, *others = columns_of(FailureSpan)
    title, columns = (
        "Failed requests over the run, all of them",
        (first, _event(result, "first_event"), *others),
    )
    return table_of(title, columns, spans, name="failure-spans", clock=result.clock)


def close(result: ReplayResult, served: list[Closest]) -> Table:
    event, *others = columns_of(Closest)
    columns = (event, _event(result), _after_mark(result), *others)
    return table_of("Nearest misses", columns, served, name="close", clock=result.clock)


def marks(result: ReplayResult) -> Table:
    clock = result.clock

    def event(row: MarkRow) -> Cell:
        return row.event if clock is None else CellText(clock.text_of(row.time), row.time)

    columns = (*columns_of(MarkRow, event=event), *columns_of(SetRow, AT_MARK, via=_malloc))
    return table_of(
        "Marks, for malloc; minima since the start",
        columns,
        result.marks,
        name="marks",
        clock=clock,
        left_out=result.marks_seen - len(result.marks),
    )


def _malloc(mark: MarkRow) -> SetRow | None:
    return next((one for one in mark.sets if one.capabilities == MALLOC), None)


def placement(result: ReplayResult) -> Table:
    """The decisions of each rule; the requests that no rule placed were refused by none."""
    columns = columns_of(
        RuleRow,
        conditions=lambda row: f"{row.rule}: {row.conditions}" if row.rule else row.conditions,
        refused=lambda row: row.refused if row.rule else None,
        unfit=lambda row: row.unfit if row.rule else None,
        failed=lambda row: row.failed if row.rule else None,
    )
    return table_of(
        "Placement; peaks of what each rule placed",
        columns,
        result.placement,
        name="placement",
        clock=result.clock,
        notes=tuple(f"rule {row.rule}: {row.note}" for row in result.placement if row.note),
    )


def explained(explanation: Explanation) -> Table:
    columns = columns_of(Step, outcome=_outcome)
    return table_of("Regions in the order in which they were asked", columns, explanation.steps)


def _outcome(step: Step) -> Cell:
    return CellText(step.outcome, tone="better" if step.outcome.startswith("served") else "")


def static(result: ReplayResult) -> list[Table]:
    """By kind of memory, by component, and the largest symbols."""
    ram = result.static
    if ram is None:
        return []
    share = Column(heading="share static", of=lambda row: percent(row.total, row.total + row.heap))
    kinds = (*columns_of(StaticKind), share)
    parts = columns_of(StaticPart)
    rest = ram.symbols_seen - len(ram.symbols)
    more: dict[str, Any] = {"name": "static-symbols", "most": PARTS, "left_out": rest}
    return [
        table_of("Static RAM", kinds, ram.kinds, name="static-kinds"),
        table_of(
            "Static RAM by component",
            parts,
            ram.components,
            name="static-components",
            most=PARTS,
        ),
        table_of("Static RAM, the largest symbols", parts, ram.symbols, **more),
    ]


def tightest_parts(result: ReplayResult) -> list[tuple[str, int, str]]:
    """Where the bytes were at the tightest moment: what, how many, and a word for the page."""
    row = result.summary.tightest
    private = any(region.private for region in result.regions)
    parts = (
        ("payload", row.payload, "payload"),
        ("rounding", row.rounding, "rounding"),
        ("block headers", row.header, "header"),
        ("control structures", row.control, "control"),
        ("start-up, private heaps" if private else "start-up", row.startup, "startup"),
        ("old block of a moving realloc", row.moving, "moving"),
        ("free", row.free, "free"),
    )
    return [part for part in parts if part[1]]


def tightest(result: ReplayResult) -> Table:
    row = result.summary.tightest
    return Table(
        title=f"Where the bytes were at the tightest moment, {result.place(row.event)}",
        columns=headed("Usable by malloc", "#bytes", "#share", ""),
        rows=tuple(
            (name, value, percent(value, row.size), "█" * max(round(BAR * value / row.size), 1))
            for name, value, _ in tightest_parts(result)
        ),
    )
