"""Say what a thing is, and answer it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Chip, Idf, Json


def thing(
    things: Annotated[
        list[Path],
        typer.Argument(
            metavar="THING...",
            help="A log, an sdkconfig, a trace or another tool's, an ELF, a linker map, a folder, "
            "a port, a program, or -: standard input.",
            show_default=False,
        ),
    ],
    need: Annotated[
        list[str] | None,
        typer.Option(
            "--need",
            metavar="BYTES[:CAPS]",
            help="Ask a log or a trace whether one block of this size would have fitted (16717, "
            "4KB:DMA). May be repeated.",
        ),
    ] = None,
    chip: Chip = None,
    idf: Idf = None,
    json: Json = None,
) -> None:
    """Say what a thing is, and answer it: one sentence, three figures, the next two commands.

    Its bytes tell what it is, and not its name. Two configurations, traces or results are
    compared. A word that is a verb is the verb: ./log is a file. Exit code 1 when a thing is not
    understood; the list of what is understood is printed.

    \b
    Examples:
      heapscope crash.log --need 16717
      heapscope sdkconfig
      heapscope T.hst --chip esp32
      heapscope build
      heapscope sdkconfig.old sdkconfig
      zcat device.log.gz | heapscope -
    """
    from heapscope.cli.answer import give
    from heapscope.cli.things.answered import unknown_of
    from heapscope.cli.things.thing import thing as answer

    result = answer(*things, need=need or (), chip=chip, idf=idf)
    give(result, json, inputs=[path for path in things if path.is_file()])
    if any(unknown_of(result)):
        raise typer.Exit(1)
