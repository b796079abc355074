"""Say what a program did not give back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import Fold, Json, Trace
from heapscope.memory.options import MemoryOptions, named_files


@takes_memory
def leaks(
    trace: Trace,
    begin: Annotated[
        str | None, typer.Option("--begin", metavar="MARK", help="Begin at this mark.")
    ] = None,
    end: Annotated[
        str | None, typer.Option("--end", metavar="MARK", help="End at this mark.")
    ] = None,
    suppress: Annotated[
        Path | None,
        typer.Option(metavar="FILE", help="Rules for what is known to stay, one a line."),
    ] = None,
    fold: Fold = None,
    *,
    memory: MemoryOptions,
    json: Json = None,
) -> None:
    """Say what stayed: blocks allocated between two marks and not freed, by task and site.

    Without marks, the whole trace. A mark that comes several times is named NAME#2 and so on.
    A leak grows on and on, a plateau stopped growing, a cache returns to its level; unknown: too
    short to tell. With a chip, or other memory as for replay, it says when the device dies.

    \b
    Examples:
      heapscope leaks T.hst
      heapscope leaks T.hst --begin start --end middle
      heapscope leaks T.hst --chip esp32 --idf 5.5
      heapscope leaks T.hst --suppress known.txt --json leaks.json
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.leaks import leaks as answer

    with progress_bar() as progress:
        result = answer(trace, begin=begin, end=end, suppress=suppress, progress=progress, **memory)
    give(result, json, inputs=[trace, *([suppress] if suppress else []), *named_files(memory)])
