"""The one look of all tables: left-aligned names, right-aligned exact numbers."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

from heapscope.measure.clock import Clock, in_seconds
from heapscope.measure.wording import plural
from heapscope.trace.call_sites import shortened

__all__ = ["WIDE", "Cell", "Column", "own_and_rest", "table"]

#: From this many columns on a terminal gets the columns marked `wide`.
WIDE = 116

#: Characters of a call site that are shown at least.
SITE_LEAST = 48

#: Characters that a column of names keeps. Where they are not there, a column is left out.
NAME_LEAST = 8

Cell = Text | str | int | None
_Row = TypeVar("_Row")


@dataclass(frozen=True, kw_only=True)
class Column:
    """`name`: text, which wraps; `site`: of call sites, shortened where their stacks are long;
    `event`: numbers of events, which a clock turns into seconds since the start.
    Numbers keep their width: no digit is ever cut off. Where they do not fit, the last columns are
    left out, which is said."""

    heading: str
    name: bool = False
    site: bool = False
    event: bool = False
    wide: bool = False


def table(
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Sequence[Cell]],
    *,
    width: int,
    clock: Clock | None = None,
) -> Group:
    """Rows hold a cell for every column, the wide ones included; None reads "-"."""
    shown = [index for index, column in enumerate(columns) if width >= WIDE or not column.wide]
    made: list[Sequence[Cell]] = list(rows)
    if clock is not None:
        made = [[_at(*cell, clock) for cell in zip(row, columns, strict=True)] for row in made]
        columns = [_in_seconds(column) for column in columns]
    cells = [[_text(row[index]) for index in shown] for row in made]
    for place, index in enumerate(shown):
        if columns[index].site:
            _shorten(cells, place, max(SITE_LEAST, width // 2))
    fitting = _fitting([columns[index] for index in shown], cells, width)
    left_out = len(shown) - fitting
    shown, cells = shown[:fitting], [row[:fitting] for row in cells]
    drawn = Table(
        box=box.SIMPLE_HEAD,
        show_edge=False,
        pad_edge=False,
        padding=0,
        header_style="dim",
    )
    kept = [columns[index] for index in shown]
    for column, size in zip(kept, _widths(kept, cells, width), strict=True):
        drawn.add_column(
            Text(column.heading),
            justify="left" if column.name else "right",
            overflow="fold",
            width=size,
        )
    for row in cells:
        drawn.add_row(*row)
    note = f" [{plural(left_out, 'column')} more on a wider terminal]" if left_out else ""
    return Group(Text.assemble((title, "bold"), (note, "dim")), drawn)


def own_and_rest(rows: Sequence[_Row], most: int) -> tuple[Sequence[_Row], Sequence[_Row]]:
    """Those with a row of their own, and those that the last of `most` rows sums up."""
    own = len(rows) if len(rows) <= most else most - 1
    return rows[:own], rows[own:]


def _at(cell: Cell, column: Column, clock: Clock) -> Cell:
    if not column.event or not isinstance(cell, int):
        return cell
    return clock.text(cell) or f"event {cell:,}"


def _in_seconds(column: Column) -> Column:
    return replace(column, heading=in_seconds(column.heading)) if column.event else column


def _shorten(cells: list[list[Text]], place: int, room: int) -> None:
    """No two call sites of the table read the same."""
    texts = shortened([row[place].plain for row in cells], room)
    for row, text in zip(cells, texts, strict=True):
        row[place] = Text(text, style=row[place].style)


def _fitting(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> int:
    """How many of the columns, from the left, have room for their numbers and words; at least 1."""
    taken = -1  # no space before the first
    for index, column in enumerate(columns):
        needed = _needed(column, [row[index] for row in cells])
        taken += 1 + (min(needed, NAME_LEAST) if column.name else needed)
        if taken > width:
            return max(index, 1)
    return len(columns)


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> list[int]:
    """Numbers get the width they need, and names share the rest. Headings get what is left then."""
    sizes = [_needed(column, [row[i] for row in cells]) for i, column in enumerate(columns)]
    names = [i for i, column in enumerate(columns) if column.name]
    left = width - (len(columns) - 1) - sum(size for i, size in enumerate(sizes) if i not in names)
    if left < sum(min(sizes[i], NAME_LEAST) for i in names):
        return _squeezed(sizes, width - (len(columns) - 1))
    for position, index in enumerate(sorted(names, key=lambda i: sizes[i])):
        sizes[index] = min(sizes[index], left // (len(names) - position))
        left -= sizes[index]
    for index, column in enumerate(columns):
        more = max(0, max(map(len, column.heading.splitlines() or [""])) - sizes[index])
        if more <= left:
            sizes[index] += more
            left -= more
    return sizes


def _squeezed(sizes: list[int], width: int) -> list[int]:
    """A terminal too narrow for the numbers: all columns shrink, their cells wrap."""
    return [max(1, size * width // sum(sizes)) for size in sizes]


def _needed(column: Column, cells: Iterable[Text]) -> int:
    words = column.heading.splitlines() if column.name else column.heading.split()
    return max([1, *map(len, words), *(cell.cell_len for cell in cells)])


def _text(cell: Cell) -> Text:
    if isinstance(cell, Text):
        return cell
    if cell is None:
        return Text("-")
    return Text(f"{cell:,}" if isinstance(cell, int) else cell)
