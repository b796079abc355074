"""The page that opens a trace by itself."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.extras import need
from heapscope.base.output import open_output
from heapscope.render.explorer.written import Explorer


def explorer(*, out: str | Path) -> Explorer:
    """Writes a page that opens a trace, or the text of a recorder, which is dropped on it. The page
    replays the file in the browser and loads nothing. HeapscopeError: the build made no engine."""
    need("report", "a page in HTML")
    from heapscope.render.page.explorer import explorer_html

    page = explorer_html().encode("utf-8")
    with open_output(out) as write:
        write(page)
    return Explorer(out=str(out), size=len(page))
