"""The figures for malloc at every mark."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.mark import MarkRow
from heapscope.measure.result import MALLOC, ReplayResult
from heapscope.measure.wording import plural
from heapscope.report.table import Cell, Column, table

__all__ = ["SHOWN", "marks"]

#: Marks in the table; the rest is counted.
SHOWN = 40

COLUMNS = (
    Column(heading="Mark", name=True),
    Column(heading="at event", event=True),
    Column(heading="live payload"),
    Column(heading="live blocks", wide=True),
    Column(heading="free"),
    Column(heading="minimum free"),
    Column(heading="largest_\nallocatable"),
    Column(heading="its\nminimum"),
    Column(heading="failed"),
)


def marks(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    if not result.marks:
        return
    rows = [_row(mark, result) for mark in result.marks[:SHOWN]]
    title = "Marks (bytes for malloc; minima since the start)"
    yield table(title, COLUMNS, rows, width=width, clock=result.clock)
    if result.marks_seen > SHOWN:
        yield Text(f"and {plural(result.marks_seen - SHOWN, 'more mark')}", style="dim")


def _row(mark: MarkRow, result: ReplayResult) -> tuple[Cell, ...]:
    row = next((one for one in mark.sets if one.capabilities == MALLOC), None)
    figures: tuple[Cell, ...] = (None,) * 4
    if row is not None:
        figures = (
            row.free,
            row.minimum_free,
            row.largest_allocatable,
            row.minimum_largest_allocatable,
        )
    at = mark.event if result.clock is None else result.clock.text_of(mark.time)
    return (mark.name, at, mark.live, mark.live_blocks, *figures, mark.failures)
