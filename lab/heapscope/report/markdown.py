"""Tables and whole reports as Markdown."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from heapscope.report.table import Table
from heapscope.report.terminal import plain_text

__all__ = ["markdown", "table_lines"]


def markdown(parts: Iterable[RenderableType]) -> str:
    """A report: a paragraph for each line, and its tables."""
    lines: list[str] = []
    for part in parts:
        if isinstance(part, Table) and part.count:
            lines += [f"### {part.titled}", "", *table_lines(part)]
        elif isinstance(part, Text) and part.plain:
            lines += [_escaped(part.plain), ""]
    return "\n".join(lines)


def table_lines(table: Table) -> Iterator[str]:
    """All rows, then the notes as a list."""
    yield _row([" ".join(column.heading.split()) or " " for column in table.columns])
    yield _row(["---" if column.words else "---:" for column in table.columns])
    for row in (*table.rows, *([table.rest] if table.rest else [])):
        yield _row([_escaped(plain_text(cell)) for cell in row])
    yield ""
    if table.notes:
        yield from (f"- {note}" for note in table.notes)
        yield ""


def _escaped(text: str) -> str:
    """A name in a trace makes no column and no element."""
    return text.replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")


def _row(cells: Sequence[str]) -> str:
    return f"| {' | '.join(cells)} |"
