"""Tables and whole reports as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from io import StringIO

from rich.console import Console, RenderableType
from rich.text import Text

from heapscope.base.languages import markdown_line, markdown_text
from heapscope.render.text.table import Cell, Table
from heapscope.render.text.terminal import plain_text

WIDTH = 100  # characters of what is neither a line nor a table


def markdown(parts: Iterable[RenderableType]) -> str:
    """A report: a paragraph for each line, and its tables."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table):
            lines += (
                [f"### {markdown_text(part.titled)}", "", *table_lines(part)] if part.count else []
            )
        elif not isinstance(part, Text):
            drawn = StringIO()
            Console(file=drawn, width=WIDTH, color_system=None).print(part)
            lines += [*(f"    {line}" for line in drawn.getvalue().splitlines()), ""]
        elif part.plain:
            lines += [markdown_line(part.plain), ""]
    return "\n".join(lines)


def table_lines(table: Table) -> Iterator[str]:
    """All rows, then the notes as a list."""
    whole = table.within(len(table.rows))
    yield _row([" ".join(column.heading.split()) or " " for column in whole.columns])
    yield _row(["---" if column.words else "---:" for column in whole.columns])
    for row in (*whole.rows, *([whole.rest] if whole.rest else [])):
        yield _row(row)
    yield ""
    if whole.notes:
        yield from (f"- {markdown_line(note)}" for note in whole.notes)
        yield ""


def _row(cells: Sequence[Cell]) -> str:
    return f"| {' | '.join(markdown_text(plain_text(cell)) for cell in cells)} |"
