"""The tables of an experiment as those of every other report, which are laid out everywhere."""

from __future__ import annotations

import re
from collections.abc import Sequence

from heapscope.render.text import table
from heapscope.render.text.table import CellText
from heapscope_studies.result import Cell, Column, Table


def laid_out(result: Table, experiment: str = "") -> table.Table:
    """`experiment`: its name, which tells tables apart on a page of several."""
    return table.Table(
        name=f"{experiment}/{result.key}",
        title=result.title,
        columns=tuple(
            table.Column(
                heading=_heading(column), unit=_unit(column), words=column.name, wide=column.wide
            )
            for column in result.columns
        ),
        rows=tuple(
            tuple(
                _cell(result, row, column, value)
                for column, value in zip(result.columns, row, strict=True)
            )
            for row in result.rows
        ),
        most=len(result.rows),
        notes=result.notes,
    )


def tone_of(difference: float) -> str:
    return "over" if difference > 0 else "under"


def _cell(result: Table, row: Sequence[Cell], column: Column, value: Cell) -> table.Cell:
    if column.name or not isinstance(value, int | float):
        return value
    tone = tone_of(value) if result.missed(row, column) else ""
    return CellText(column.text(value), value, tone)


def _heading(column: Column) -> str:
    """Without the hyphens that break words on a narrow terminal."""
    return re.sub(r"(?<=\w)- (?=\w)", "", " ".join(column.heading.split()))


def _unit(column: Column) -> str:
    """Where the heading does not say it."""
    unit = "B" if column.unit == "bytes" else column.unit
    return "" if unit.lower() in _heading(column).lower().split() else unit
