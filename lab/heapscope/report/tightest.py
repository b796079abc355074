"""Where every byte was at the moment of least free memory."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType

from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import percent
from heapscope.report.table import Cell, Column, table

__all__ = ["tightest"]

COLUMNS = (
    Column(heading="Usable by malloc", name=True),
    Column(heading="bytes"),
    Column(heading="share"),
    Column(heading="", name=True),
)
BAR = 30


def tightest(result: ReplayResult, *, width: int, blocks: bool) -> Iterator[RenderableType]:
    row = result.summary.tightest
    parts = {
        "payload": row.payload,
        "rounding": row.rounding,
        "block headers": row.header,
        "control structures": row.control,
        "start-up, private heaps" if _has_private(result) else "start-up": row.startup,
        "old block of a moving realloc": row.moving,
        "free": row.free,
    }
    title = f"Where the bytes were at the tightest moment, {result.place(row.event)}"
    rows = [_row(name, value, row.size, blocks) for name, value in parts.items() if value]
    yield table(title, COLUMNS, rows, width=width)


def _has_private(result: ReplayResult) -> bool:
    return any(region.private for region in result.regions)


def _row(name: str, value: int, whole: int, blocks: bool) -> tuple[Cell, ...]:
    mark = "█" if blocks else "#"
    return name, value, percent(value, whole), mark * max(round(BAR * value / whole), 1)
