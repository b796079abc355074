"""Who holds the memory: each task in each memory kind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.result import ReplayResult
from heapscope.measure.task import TaskRow
from heapscope.measure.wording import plural
from heapscope.report.table import Cell, Column, own_and_rest, table

__all__ = ["SHOWN", "tasks"]

COLUMNS = (
    Column(heading="Task", name=True),
    Column(heading="memory", name=True),
    Column(heading="peak payload"),
    Column(heading="at event", event=True),
    Column(heading="peak held"),
    Column(heading="payload at end"),
    Column(heading="held at end"),
    Column(heading="blocks at end"),
    Column(heading="peak blocks", wide=True),
    Column(heading="allocations", wide=True),
    Column(heading="failed", wide=True),
)

#: Rows in the table at most; the last one sums up the rest.
SHOWN = 40


def tasks(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    used = [row for row in result.tasks if row.payload_peak or row.failures]
    if not used:
        return
    rows = sorted(used, key=lambda row: -row.held_peak)
    own, rest = own_and_rest(rows, SHOWN)
    cells = [_row(row) for row in own]
    if rest:
        cells.append(_others(rest))
    yield table("Tasks (bytes)", COLUMNS, cells, width=width, clock=result.clock)
    if rest:
        yield Text("A peak of others is the sum of their own peaks.", style="dim")


def _others(rows: Sequence[TaskRow]) -> tuple[Cell, ...]:
    return (
        plural(len(rows), "other"),
        "",
        sum(row.payload_peak for row in rows),
        None,
        sum(row.held_peak for row in rows),
        sum(row.payload for row in rows),
        sum(row.held for row in rows),
        sum(row.blocks for row in rows),
        sum(row.blocks_peak for row in rows),
        sum(row.allocations for row in rows),
        sum(row.failures for row in rows),
    )


def _row(row: TaskRow) -> tuple[Cell, ...]:
    return (
        row.task,
        row.kind,
        row.payload_peak,
        row.payload_peak_event,
        row.held_peak,
        row.payload,
        row.held,
        row.blocks,
        row.blocks_peak,
        row.allocations,
        row.failures,
    )
