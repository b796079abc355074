"""`heapscope import`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json

__all__ = ["FORMATS", "import_trace"]

#: What can be imported, and what it is.
FORMATS = {"text": "one event a line: a ID SIZE, c ID SIZE, m ID ALIGN SIZE, r ID NEWSIZE, f ID"}


def import_trace(
    form: Annotated[str, typer.Argument(metavar="FORMAT", help="What FILE holds: text.")],
    file: Annotated[Path, typer.Argument(metavar="FILE", help='What to import; "-": stdin.')],
    out: Annotated[Path, typer.Option("--out", "-o", metavar="T.hst", help="The trace to write.")],
    json: Json = None,
) -> None:
    """Turn another form of a trace into a .hst file.

    \b
    FORMAT text: lines "a ID SIZE" (malloc), "c ID SIZE" (calloc), "m ID ALIGN SIZE" (aligned),
    "r ID NEWSIZE" (realloc), "f ID" (free), "t NAME" (task of what follows), "! NAME" (mark),
    "#" comments. Files compressed with zstd are read as they are; "-" is standard input.

    \b
    Examples:
      heapscope import text events.txt -o T.hst
      heapscope import text events.txt.zst -o T.hst --json -
    """
    from heapscope.capture.text import import_text
    from heapscope.cli.choices import known
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar

    known(form, FORMATS, noun="format")
    with progress_bar("importing") as bar:
        result = import_text(file, out, progress=bar)
    write_json({"heapscope_import": 1} | result.to_json(), json)
    if wants_tables(json) and str(out) != "-":
        from heapscope.report.console import console
        from heapscope.report.imported import print_imported

        print_imported(result, console())
