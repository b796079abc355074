"""A document by its description alone: a line for each figure, a table for each list of rows."""

from __future__ import annotations

from rich.console import Console
from rich.table import Table
from rich.text import Text

from heapscope.report.table import Cell, Column, table
from heapscope.rows.figure import Figure
from heapscope.rows.row import Row, figures_of

__all__ = ["print_rows"]


def print_rows(document: Row, target: Console) -> None:
    """Prints what the document's figures are called, and their values."""
    grid = Table.grid(padding=(0, 2))
    tables = []
    for name, told in figures_of(type(document)).items():
        value = getattr(document, name)
        if isinstance(value, tuple) and value and isinstance(value[0], Row):
            tables.append((_heading(name, told), value))
        elif not isinstance(value, Row):
            grid.add_row(Text(_heading(name, told), style="dim"), Text(_shown(value)))
    target.print(grid)
    for title, rows in tables:
        described = figures_of(type(rows[0]))
        columns = [
            Column(heading=_heading(name, told), name=not isinstance(getattr(rows[0], name), int))
            for name, told in described.items()
        ]
        cells = [[_cell(getattr(row, name)) for name in described] for row in rows]
        target.print(table(title, columns, cells, width=target.width))


def _heading(name: str, told: Figure) -> str:
    """The heading of the figure, or else its name, with the unit."""
    heading = told.heading or name.replace("_", " ")
    return f"{heading} ({told.unit})" if told.unit else heading


def _cell(value: object) -> Cell:
    return value if isinstance(value, int) and not isinstance(value, bool) else _shown(value)


def _shown(value: object) -> str:
    if value is None:
        return "-"
    return f"{value:,}" if isinstance(value, int) else str(value)
