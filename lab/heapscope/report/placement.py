"""The decisions of each rule of --place."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.placement import RuleRow
from heapscope.measure.result import ReplayResult
from heapscope.report.table import Cell, Column, table

__all__ = ["placement"]

COLUMNS = (
    Column(heading="Rule", name=True),
    Column(heading="to", name=True),
    Column(heading="requests"),
    Column(heading="peak payload"),
    Column(heading="refused"),
    Column(heading="failed"),
    Column(heading="lacking capabilities"),
    Column(heading="at event", event=True, wide=True),
    Column(heading="peak blocks", wide=True),
)


def placement(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    rows = result.placement
    if not rows:
        return
    title = "Placement (bytes; peaks of what each rule placed)"
    yield table(title, COLUMNS, map(_row, rows), width=width, clock=result.clock)
    for row in rows:
        if row.note:
            yield Text(f"rule {row.rule}: {row.note}", style="yellow")


def _row(row: RuleRow) -> tuple[Cell, ...]:
    if row.rule is None:
        refused: tuple[Cell, ...] = (None, None, None)
    else:
        refused = (row.refused, row.failed, row.unfit)
    return (
        row.conditions if row.rule is None else f"{row.rule}: {row.conditions}",
        row.target,
        row.requests,
        row.payload_peak,
        *refused,
        row.payload_peak_event,
        row.blocks_peak,
    )
