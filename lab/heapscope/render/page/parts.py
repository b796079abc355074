"""A page of the parts that a command prints: sentences and tables, in their order."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from rich.console import RenderableType
from rich.text import Text

from heapscope.render.page.frame import fitting, page
from heapscope.render.text.table import Table


def parts_html(title: str, parts: Iterable[RenderableType]) -> str:
    """The first sentence is the answer."""
    answer, *rest = sentences_and_tables(parts)
    return tables_page("parts.html.j2", title=title, answer=answer[0], parts=rest)


def sentences_and_tables(
    parts: Iterable[RenderableType],
) -> list[tuple[str, RenderableType]]:
    """Those of the parts that a page shows, each with its text; a table has none."""
    pairs = ((part.plain if isinstance(part, Text) else "", part) for part in parts)
    return [(text, part) for text, part in pairs if text or isinstance(part, Table)]


def tables_page(template: str, *, script: str = "ready.js", **context: Any) -> str:
    """A page of this template that has no charts, but what its context has."""
    return fitting(
        lambda detail: page(
            template, scripts=(script,), data={}, detail=detail, charts=False, **context
        )
    )
