"""The tables of an answer as a file: Markdown, or a page."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.verb_result import VerbResult


def tables_text(answer: VerbResult, out: Path, title: str) -> str:
    """Markdown where the name of `out` ends with .md. InputError: what writes pages is not
    installed."""
    from heapscope.cli.verbs.shown import parts
    from heapscope.render.text.markdown import markdown

    if out.suffix.lower() == ".md":
        return markdown(parts(answer))
    from heapscope.cli.verbs.report_page import check_page

    check_page(out)
    from heapscope.render.page.parts import parts_html

    return parts_html(title, parts(answer))
