"""Say what pools hold, and which sizes hold least."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json


def pools(
    traces: Annotated[
        list[Path], typer.Argument(metavar="T.hst...", help="Traces with pool events.")
    ],
    sizes: Annotated[
        list[str] | None,
        typer.Option(
            "--set",
            metavar="NAME=INITIAL:INCREMENT",
            help='Also replay with these sizes, bytes; "all": of every pool that may change. May '
            "be repeated.",
        ),
    ] = None,
    calls: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=0,
            help="Heap calls that the advice may take, all traces together; as many as recorded "
            "unless told.",
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Say what a program's pools hold, and which sizes would hold least.

    Pools grow by blocks: an initial one and increments. The pool events of a trace are replayed
    with other sizes, exactly, and the sizes found that have least allocated at the peak within a
    number of heap calls. Advice from several traces holds for more: a single one fits its own run.

    \b
    Examples:
      heapscope pools call.hst
      heapscope pools call.hst other.hst --calls 400
      heapscope pools call.hst --set all=128:128 --set STUN_TDATA=512:304 --json -
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.pools import pools as answer

    with progress_bar() as progress:
        result = answer(*traces, sizes=sizes or (), calls=calls, progress=progress)
    give(result, json, inputs=traces)
