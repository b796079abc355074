"""Record a Linux program."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json

SETTINGS = {"allow_interspersed_args": False}


def record(
    command: Annotated[
        list[str], typer.Argument(metavar="PROGRAM...", help="The program and its arguments.")
    ],
    out: Annotated[
        str,
        typer.Option(
            "--out",
            "-o",
            metavar="T.hst",
            help='The trace to write (.hst, or .hst.zst); "-": standard output, where the '
            "program's own output then goes to standard error.",
        ),
    ] = "record.hst",
    stacks: Annotated[
        int,
        typer.Option(
            "--stacks",
            metavar="N",
            min=0,
            max=64,
            help="Record who asked: call stacks of at most N callers.",
        ),
    ] = 0,
    drop: Annotated[
        bool,
        typer.Option(
            "--drop",
            help="Lose events, and count them, where the program would have to wait.",
        ),
    ] = False,
    children: Annotated[
        bool,
        typer.Option(
            "--children/--no-children", help="Write a trace of each process that it starts, too."
        ),
    ] = True,
    addresses: Annotated[
        bool,
        typer.Option(
            "--addresses", help="Know blocks by their addresses; the trace is larger by half."
        ),
    ] = False,
    json: Json = None,
) -> None:
    """Run a Linux program and record what it asks of its heap. No rebuild, nothing lost.

    Dynamically linked programs of 32 and 64 bit, glibc and musl, and all that they start: a
    process that they fork goes on in T.PID.hst, what that runs after an exec in T.PID.2.hst. T.hst
    is what the command itself became; what it ran before an exec is T.PID.1.hst.
    The exit code is the program's (128 and the signal's number where a signal ended it).
    Ctrl-C ends the program; its trace is whole.

    \b
    Examples:
      heapscope record -o T.hst -- true
      heapscope record --stacks 16 -o T.hst.zst -- ls -l
      heapscope record -o T.hst --json - -- sh -c true
    """
    from heapscope.cli.answer import wants_tables, write_json
    from heapscope.cli.progress import record_progress
    from heapscope.verbs.record import record as answer

    with record_progress() as progress:
        result = answer(
            command,
            out=out,
            stacks=stacks,
            drop=drop,
            children=children,
            addresses=addresses,
            progress=progress,
        )
    write_json(result.to_json(), json, inputs=(Path(out),))
    if wants_tables(json):
        from heapscope.report.console import console
        from heapscope.verbs.shown import show

        show(result, console(sys.stderr))
    raise typer.Exit(result.exit_code)
