"""The tables of an answer as a file: Markdown, or a page."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

from rich.console import RenderableType

from heapscope.base.verb_result import VerbResult


def tables_text(
    answer: VerbResult,
    out: Path,
    title: str,
    page: Callable[[str, Iterable[RenderableType]], str] | None = None,
) -> str:
    """Markdown where the name of `out` ends with .md. `page`: makes one of the title and what the
    command prints; else it has these alone. InputError: what writes pages is not installed."""
    from heapscope.cli.verbs.shown import parts
    from heapscope.render.text.markdown import markdown

    if out.suffix.lower() == ".md":
        return markdown(parts(answer))
    from heapscope.cli.verbs.report_page import check_page

    check_page(out)
    from heapscope.render.page.parts import parts_html

    return (page or parts_html)(title, parts(answer))
