"""Tables on a terminal: names to the left, exact numbers to the right, no digit ever cut off."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table as Grid
from rich.text import Text

from heapscope.base.wording import plural
from heapscope.render.text.table import Cell, CellText, Column, Table
from heapscope.trace.call_sites import shortened

#: From this many columns on a terminal gets the columns marked `wide`.
WIDE = 116
#: Characters of a call site that are shown at least.
SITE_LEAST = 48
#: Characters that a column of names keeps at least.
NAME_LEAST = 8

STYLES = {"better": "green", "worse": "red", "close": "yellow", "quiet": "dim", "strong": "bold"}


@dataclass(frozen=True, kw_only=True)
class Folded:
    """Parts that a terminal prints with --all alone. `sentence` stands there for them."""

    parts: tuple[RenderableType, ...]
    sentence: str

    def __rich__(self) -> Text:
        return Text(f"{self.sentence}: --all prints them.", style="dim")


def unfolded(parts: Iterable[RenderableType]) -> Iterator[RenderableType]:
    for part in parts:
        if isinstance(part, Folded):
            yield from part.parts
        else:
            yield part


def print_parts(
    target: Console, parts: Iterable[RenderableType], *, every_row: bool = False
) -> None:
    """Lines stand together, tables between empty lines. An empty Text asks for an empty line; one
    that must not be wrapped is never broken, so that it can be copied."""
    begun = apart = False
    for part in unfolded(parts) if every_row else parts:
        table = isinstance(part, Table)
        if isinstance(part, Table):
            if not part.count:
                continue
            if every_row:
                part = replace(part, most=len(part.rows))
        if isinstance(part, Text) and not part.plain:
            apart = True
            continue
        if begun and (apart or table):
            target.print()
        target.print(part, soft_wrap=isinstance(part, Text) and bool(part.no_wrap), crop=False)
        begun, apart = True, table


def drawn(table: Table, width: int, *, blocks: bool) -> Iterator[RenderableType]:
    """The table in as many parts below each other as its columns need; each part begins with the
    first column. `blocks`: the terminal has characters that are blocks."""
    kept = table.within(table.most)
    shown = [n for n, column in enumerate(kept.columns) if width >= WIDE or not column.wide]
    left_out = len(kept.columns) - len(shown)
    columns = [kept.columns[n] for n in shown]
    rows = [*kept.rows, kept.rest] if kept.rest else kept.rows
    cells = [[_text(row[n], blocks=blocks) for n in shown] for row in rows]
    for place, column in enumerate(columns):
        if column.site:
            _shorten(cells, place, max(SITE_LEAST, width // 2))
    more = [f"{table.count:,} in all"] if kept.rest else []
    more += [f"{plural(left_out, 'column')} more on a wider terminal"] if left_out else []
    text = f" [{'; '.join(more)}]" if more else ""
    yield Text.assemble((kept.titled, "bold"), (text, "dim"))
    while columns:
        fitting = _fitting(columns, cells, width)
        yield _grid(columns[:fitting], [row[:fitting] for row in cells], width)
        columns = [*columns[:1], *columns[fitting:]] if fitting < len(columns) else []
        cells = [[*row[:1], *row[fitting:]] for row in cells]
    for note in (*filter(None, [kept.rest_note]), *table.notes):
        yield Text(note, style="dim")


def plain_text(cell: Cell) -> str:
    """A cell as text; "-" if it is empty."""
    if cell is None:
        return "-"
    return f"{cell:,}" if isinstance(cell, int | float) else str(cell)


@dataclass(frozen=True)
class _Unbroken:
    """A grid as wide as its lines, which a terminal may wrap, but which are copied whole."""

    grid: Grid
    width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield from console.render(self.grid, options.update(width=self.width))


def _grid(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> RenderableType:
    grid = Grid(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=0, header_style="dim")
    sizes = _widths(columns, cells, width)
    for column, size in zip(columns, sizes, strict=True):
        grid.add_column(
            Text(column.heading),
            justify="left" if column.words else "right",
            overflow="fold",
            width=size,
        )
    for row in cells:
        grid.add_row(*row)
    needed = sum(sizes) + len(sizes) - 1
    return _Unbroken(grid, needed) if needed > width else grid


def _shorten(cells: list[list[Text]], place: int, room: int) -> None:
    """No two call sites of the table read the same."""
    texts = shortened([row[place].plain for row in cells], room)
    for row, text in zip(cells, texts, strict=True):
        row[place] = Text(text, style=row[place].style)


def _fitting(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> int:
    """How many of the columns, from the left, have room for their numbers and words; at least one
    beside the first, which every part has."""
    taken = -1  # no space before the first
    for index, column in enumerate(columns):
        needed = _needed(column, [row[index] for row in cells])
        taken += 1 + (min(needed, NAME_LEAST) if _shares(column) else needed)
        if taken > width:
            return max(index, min(2, len(columns)))
    return len(columns)


def _widths(columns: Sequence[Column], cells: Sequence[Sequence[Text]], width: int) -> list[int]:
    """Numbers and whole lines get the width they need, and names share the rest. Headings get what
    is left then."""
    sizes = [_needed(column, [row[i] for row in cells]) for i, column in enumerate(columns)]
    names = [i for i, column in enumerate(columns) if _shares(column)]
    left = width - (len(columns) - 1) - sum(size for i, size in enumerate(sizes) if i not in names)
    if left < sum(min(sizes[i], NAME_LEAST) for i in names):
        if any(column.whole for column in columns):
            return [min(size, NAME_LEAST) if i in names else size for i, size in enumerate(sizes)]
        return _squeezed(sizes, width - (len(columns) - 1))
    for position, index in enumerate(sorted(names, key=lambda i: sizes[i])):
        sizes[index] = min(sizes[index], left // (len(names) - position))
        left -= sizes[index]
    for index, column in enumerate(columns):
        more = max(0, len(column.heading) - sizes[index])
        if more <= left:
            sizes[index] += more
            left -= more
    return sizes


def _shares(column: Column) -> bool:
    return column.words and not column.whole


def _squeezed(sizes: list[int], width: int) -> list[int]:
    """A terminal too narrow for the numbers: all columns shrink, their cells wrap."""
    return [max(1, size * width // sum(sizes)) for size in sizes]


def _needed(column: Column, cells: Iterable[Text]) -> int:
    lines = (line.cell_len for cell in cells for line in cell.split("\n", allow_blank=True))
    return max([1, *map(len, column.heading.split()), *lines])


def _text(cell: Cell, *, blocks: bool) -> Text:
    text = plain_text(cell)
    tone = cell.tone if isinstance(cell, CellText) else ""
    return Text(text if blocks else text.replace("█", "#"), style=STYLES.get(tone, ""))
