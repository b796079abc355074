"""Who holds the memory: each task in each memory kind."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from heapscope.measure.result import ReplayResult
from heapscope.measure.task import TaskRow
from heapscope.report.table import Cell, Column, table

__all__ = ["SHOWN", "tasks"]

COLUMNS = (
    Column(heading="Task", name=True),
    Column(heading="memory", name=True),
    Column(heading="peak payload"),
    Column(heading="at event"),
    Column(heading="peak held"),
    Column(heading="payload at end"),
    Column(heading="held at end"),
    Column(heading="blocks at end"),
    Column(heading="peak blocks", wide=True),
    Column(heading="allocations", wide=True),
    Column(heading="failed", wide=True),
)

#: Rows in the table; the rest is counted.
SHOWN = 40


def tasks(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    used = [row for row in result.tasks if row.payload_peak or row.failures]
    if not used:
        return
    rows = sorted(used, key=lambda row: -row.held_peak)
    more = f", the {SHOWN} largest of {len(rows)}" if len(rows) > SHOWN else ""
    yield table(f"Tasks (bytes{more})", COLUMNS, map(_row, rows[:SHOWN]), width=width)


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
