"""A document by its description alone: a line for each figure, a table for each list of rows."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table as Grid
from rich.text import Text

from heapscope.base.rows.figure import Figure
from heapscope.base.rows.row import Row, figures_of
from heapscope.render.text.table import columns_of, table_of
from heapscope.render.text.terminal import plain_text


def document_parts(document: Row) -> Iterator[RenderableType]:
    """The names of the figures of a document, and their values."""
    grid = Grid.grid(padding=(0, 2))
    tables = []
    for name, reported in figures_of(type(document)).items():
        value = getattr(document, name)
        if isinstance(value, tuple) and value and isinstance(value[0], Row):
            columns = columns_of(type(value[0]), " ".join(figures_of(type(value[0]))))
            tables.append(table_of(_heading(name, reported), columns, value))
        elif not isinstance(value, Row):
            grid.add_row(Text(_heading(name, reported), style="dim"), Text(plain_text(value)))
    yield grid
    yield from tables


def _heading(name: str, figure: Figure) -> str:
    """The heading of the figure, or else its name, with the unit."""
    heading = figure.heading or name.replace("_", " ")
    return f"{heading} ({figure.unit})" if figure.unit else heading
