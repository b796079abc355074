"""Two logs beside each other: the sentences, and the figures that both have."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.logs.answer.log_difference import FigureChange, LogDifference
from heapscope.render.text.table import columns_of, table_of


def log_difference_parts(result: LogDifference) -> Iterator[RenderableType]:
    yield Text(f"{result.before} -> {result.after}: {' '.join(result.verdict)}", style="bold")
    if result.figures:
        columns = columns_of(FigureChange, "title before after lost")
        yield table_of("Figures, bytes", columns, result.figures)
    if result.not_explained:
        yield Text(f"not explained: {result.not_explained:,} B")
    yield from (Text(note, style="dim") for note in result.notes)
