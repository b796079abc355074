"""Who holds blocks in states without events."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.logs.answer.held import HeldResult, HeldRow
from heapscope.render.text.table import change, columns_of, table_of

ROWS = 20  # on a terminal


def held_parts(result: HeldResult) -> Iterator[RenderableType]:
    for position, sentence in enumerate(result.answer):
        yield Text(sentence, style="bold" if position == 0 else "")
    columns = columns_of(HeldRow, change=lambda row: change(row.change, better=-1))
    yield table_of("Held in the last state", columns, result.holders, name="held", most=ROWS)
