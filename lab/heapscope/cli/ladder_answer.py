"""The end of diff and ladder: JSON, a page or Markdown, tables."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.base.rows.row import Document
from heapscope.cli.answer import give, write_text


def give_sides(
    answer: Document,
    title: str,
    json: Path | None,
    out: Path | None,
    *,
    names: Sequence[str],
    files: Sequence[Path | None],
) -> None:
    """`names`: configurations as the user named them, `files`: what else was read: no output takes
    their place."""
    from heapscope.cli.verbs.shown import parts
    from heapscope.forecast.ladder.side import paths_of
    from heapscope.render.text.markdown import markdown

    read = [*(path for name in names for path in paths_of(name)), *filter(None, files)]
    if out is not None:
        if out.suffix.lower() == ".md":
            text = markdown(parts(answer))
        else:
            from heapscope.cli.verbs.report import check_page

            check_page(out)
            from heapscope.render.page.parts import parts_html

            text = parts_html(title, parts(answer))
        write_text(text, out, option="--out", inputs=read)
    give(answer, json, inputs=[*read, *([out] if out else [])])
