"""Write a page that opens a trace by itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json


def explorer(
    out: Annotated[
        Path,
        typer.Option(
            "--out",
            "-o",
            "--output",
            metavar="FILE",
            help="The page to write, for example explorer.html.",
        ),
    ],
    json: Json = None,
) -> None:
    """Write a page that opens a trace by itself: it replays the file in the browser.

    A trace (.hst), the text form, heaptrack's data or a log of mtrace is dropped on the page. The
    page has the memories of all chips and needs neither an installation nor a network.

    \b
    Examples:
      heapscope explorer -o explorer.html
    """
    from heapscope.base.printable import printable
    from heapscope.cli.answer import wants_tables, write_json
    from heapscope.cli.verbs.explorer import explorer as answer

    made = answer(out=out)
    write_json({} if json is None else made.to_json(), json, inputs=[out])
    if wants_tables(json):
        for sentence in made.answer:
            typer.echo(printable(sentence, limit=600))
