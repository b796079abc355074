"""A page of the parts that a command prints: sentences and tables, in their order."""

from __future__ import annotations

from collections.abc import Iterable

from rich.console import RenderableType
from rich.text import Text

from heapscope.render.page.frame import fitting, page
from heapscope.render.text.table import Table


def parts_html(title: str, parts: Iterable[RenderableType]) -> str:
    """The first sentence is the answer."""
    shown = [part for part in parts if isinstance(part, Table) or (_plain_text(part) and part)]
    answer, *rest = shown
    return fitting(
        lambda detail: page(
            "parts.html.j2",
            scripts=("ready.js",),
            data={},
            detail=detail,
            charts=False,
            title=title,
            answer=_plain_text(answer),
            parts=[(_plain_text(part), part) for part in rest],
        )
    )


def _plain_text(part: RenderableType) -> str:
    return part.plain if isinstance(part, Text) else ""
