"""`heapscope leaks`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json, Trace

__all__ = ["leaks"]


def leaks(
    trace: Trace,
    start: Annotated[
        str | None, typer.Option("--from", metavar="MARK", help="Begin at this mark.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--to", metavar="MARK", help="End at this mark.")
    ] = None,
    suppress: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules for what is known to stay, one a line."),
    ] = None,
    json: Json = None,
) -> None:
    """Say what stayed: blocks allocated between two marks and not freed, by task and site.

    Without marks, the whole trace. A mark that comes several times is named NAME#2 and so on.
    Growth is judged over 65 looks at the live blocks between the two moments.

    \b
    Examples:
      heapscope leaks T.hst
      heapscope leaks T.hst --from start --to middle
      heapscope leaks T.hst --suppress known.txt --json leaks.json
    """
    from heapscope.cli.json_output import wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.leaks.find import find_leaks
    from heapscope.leaks.interval import interval
    from heapscope.leaks.suppress import read_suppressions
    from heapscope.trace.info import read_info

    rules = () if suppress is None else read_suppressions(suppress)
    with progress_bar("reading") as bar:
        span = interval(read_info(trace, progress=bar), start=start, end=end)
    with progress_bar("looking at live blocks") as bar:
        found = find_leaks(trace, span, suppressions=rules, progress=bar)
    write_json(found.to_json(), json, inputs=[trace, *([suppress] if suppress else [])])
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.report.leaks import print_leaks

        print_leaks(found, console())
