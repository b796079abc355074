"""A table, described once. The terminal, Markdown and the page lay it out, each in its own way.

The columns of a table are the figures of its rows that have a heading (heapscope.base.rows.figure),
or those that `columns_of` picks from them. A renderer breaks lines, shortens call sites and leaves
out rows; it knows nothing of what it shows.
"""

from __future__ import annotations

import typing
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any

from heapscope.base.rows.row import Row, described, type_of
from heapscope.base.wording import plural, signed
from heapscope.trace.clock import Clock, in_seconds, since_start

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderResult

#: Rows of a table on a terminal.
SHOWN = 40


@dataclass(frozen=True)
class CellText:
    """A cell in words, with the number by which it is sorted. `tone`: better, worse, close, quiet,
    strong, over or under, which a renderer colours."""

    text: str
    number: float | None = None
    tone: str = ""

    def __str__(self) -> str:
        return self.text


Cell = CellText | str | int | float | None


@dataclass(frozen=True, kw_only=True)
class Column:
    """`of`: the cell of a row. `words`: text, set to the left; others are numbers. `site`: call
    sites. `event`: numbers of events, which a clock turns into seconds. `wide`: left out on a
    narrow terminal. `whole`: lines that are copied, which are never broken. `rest`: how the row of
    others has it: "sum", "least", "most", "kinds" (how many there are of each word), or empty: not
    at all. `text`: a sentence about it."""

    heading: str
    of: Callable[[Any], Cell] = lambda row: None
    unit: str = ""
    words: bool = False
    site: bool = False
    event: bool = False
    wide: bool = False
    whole: bool = False
    rest: str = ""
    text: str = ""


@dataclass(frozen=True, kw_only=True)
class Table:
    """`name`: what scripts and tests find it by on a page. `most`: rows on a terminal. `rest`: a
    row that sums up others, `left_out` of them or more: those that nobody listed."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    name: str = ""
    most: int = SHOWN
    rest: tuple[Cell, ...] = ()
    left_out: int = 0
    notes: tuple[str, ...] = ()

    @property
    def count(self) -> int:
        return len(self.rows) + self.left_out

    @property
    def titled(self) -> str:
        """The title, and in which unit sizes are."""
        sizes = any(column.unit == "B" for column in self.columns)
        return f"{self.title} (bytes)" if sizes else self.title

    @property
    def rest_note(self) -> str:
        """The sentence about the last row; empty: none for others."""
        if not self.rest:
            return ""
        sums = any(column.rest == "sum" for column in self.columns)
        more = "; its figures are their sums, of peaks too" if sums else ""
        return f"The last row stands for {plural(self.left_out, 'row')} that are left out{more}."

    def within(self, most: int) -> Table:
        """With at most so many rows, and one that sums up those that are left out."""
        if len(self.rows) <= most and not (self.left_out and not self.rest):
            return self
        kept, left = self.rows[:most], self.rows[most:]
        number = len(left) + self.left_out
        added = [*left, self.rest] if self.rest else list(left)
        rest = [_rest(c, [row[at] for row in added]) for at, c in enumerate(self.columns)]
        return replace(self, rows=kept, rest=(plural(number, "other"), *rest[1:]), left_out=number)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        from heapscope.render.text.terminal import drawn

        yield from drawn(self, options.max_width, blocks=not options.ascii_only)


#: A table that is shown nowhere.
NOTHING = Table(title="", columns=(), rows=())


def columns_of(
    row: type[Row],
    names: str = "",
    *,
    via: Callable[[Any], Any] | None = None,
    **cells: Callable[[Any], Cell],
) -> tuple[Column, ...]:
    """The figures of a row with a heading, in their order; `names`, separated by spaces: these, in
    this order. `cells`: what makes the cell of a figure, where it is not its value alone. `via`:
    where a table's row has its Row, or None."""
    figures = described(row)
    built = []
    for name in names.split() or [n for n, stated in figures.items() if stated.heading]:
        reported = figures[name]
        built.append(
            Column(
                heading=reported.heading or name.replace("_", " "),
                of=cells.get(name) or _getter(name, via),
                unit=reported.unit,
                words=not _is_number(type_of(row, name)),
                site=name == "site",
                event=name in ("event", "since") or name.endswith("_event"),
                wide=reported.wide,
                rest=reported.rest,
                text=reported.text,
            )
        )
    return tuple(built)


def headed(*headings: str, unit: str = "") -> tuple[Column, ...]:
    """Columns by heading alone, for rows that are made cell by cell; # before it: of numbers."""
    return tuple(
        Column(heading=one.lstrip("#"), words=one[:1] != "#", unit=unit if one[:1] == "#" else "")
        for one in headings
    )


def table_of(
    title: str,
    columns: Sequence[Column],
    rows: Iterable[Any],
    *,
    clock: Clock | None = None,
    rest: Any = None,
    **more: Any,
) -> Table:
    """The table of rows; a column in which no row has anything is left out. `clock`: seconds since
    the start stand for numbers of events. `rest`: a row that sums up others. `more`: other fields
    of the table."""
    results = [*rows, *([] if rest is None else [rest])]
    shown, cells = [], []
    for column in columns:
        entries = [column.of(row) for row in results]
        if column.event and clock is not None:
            column = replace(column, heading=in_seconds(column.heading))
            entries = [_at(cell, clock) for cell in entries]
        if any(cell not in (None, "") for cell in entries):
            shown.append(column)
            cells.append(entries)
    whole = list(zip(*cells, strict=True))
    if rest is not None:
        more["rest"] = whole.pop()
    return Table(title=title, columns=tuple(shown), rows=tuple(whole), **more)


def change(number: int | None, *, better: int = 0) -> CellText | None:
    """A difference with its sign, in colour where `better` says which sign is."""
    if number is None:
        return None
    tone = "" if not number or not better else "better" if number * better > 0 else "worse"
    return CellText(signed(number), number, tone)


def _is_number(kind: Any) -> bool:
    kinds = (kind,) if isinstance(kind, type) else typing.get_args(kind)
    return int in kinds or float in kinds


def _getter(name: str, via: Callable[[Any], Any] | None) -> Callable[[Any], Cell]:
    get = attrgetter(name)
    if via is None:
        return get

    def through(row: Any) -> Cell:
        result = via(row)
        return None if result is None else get(result)

    return through


def _at(event: Cell, clock: Clock) -> Cell:
    if not isinstance(event, int):
        return event
    seconds = clock.seconds(event)
    text = f"event {event:,}" if seconds is None else since_start(seconds, clock.span)
    return CellText(text, seconds)


def _number(cell: Cell) -> float | None:
    """The number that a cell is sorted by, and added up with."""
    if isinstance(cell, CellText):
        return cell.number
    return cell if isinstance(cell, int | float) else None


_PICKED: Mapping[str, Callable[..., Cell]] = {"least": min, "most": max}


def _rest(column: Column, cells: Sequence[Cell]) -> Cell:
    """The cells of a column as one."""
    how = column.rest
    if how == "kinds":
        kinds = Counter(str(cell).partition(":")[0] for cell in cells if cell)
        return ", ".join(f"{number:,} {kind}" for kind, number in kinds.items())
    known = [cell for cell in cells if _number(cell) is not None]
    if how == "sum":
        return sum(_number(cell) or 0 for cell in known)
    if how:
        return _PICKED[how](known, key=_number, default=None)
    return "" if column.words else None
