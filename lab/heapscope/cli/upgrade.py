"""Say what a new SDK cost, and what buys it back."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.memory import SidesOptions, takes_sides, two_sides
from heapscope.cli.shared import Json
from heapscope.memory.options import named_files


@takes_sides(without=("idf", "place"))
def upgrade(
    trace: Annotated[
        Path | None,
        typer.Argument(metavar="T.hst", help="Trace; none: the start of both versions alone."),
    ] = None,
    old: Annotated[
        str | None,
        typer.Option("--from", metavar="V", help="ESP-IDF version before (4.2)."),
    ] = None,
    new: Annotated[
        str | None, typer.Option("--to", metavar="V", help="ESP-IDF version after (5.5).")
    ] = None,
    *,
    memory: SidesOptions,
    caps: Annotated[
        str,
        typer.Option(
            metavar="CAPS",
            help="Count the memory with these capabilities (INTERNAL, DMA); else malloc's.",
            show_default=False,
        ),
    ] = "",
    reported_free: Annotated[
        list[str] | None,
        typer.Option(
            metavar="BYTES",
            help="Free heap that the device reported at its start, before and after: start-up's "
            "use is found from the first, what is not explained from the second.",
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Say what an upgrade of the SDK cost, part by part, and what buys it back.

    \b
    An option given twice is for the version before and after, one given once for both.
    The differences in free memory and in the largest block are divided into control tables,
    headers, rounding, checks, regions, static growth and accounting. The rest is "not
    explained". Without a trace only the start is compared, for example of two boot logs.

    \b
    Examples:
      heapscope upgrade T.hst --chip esp32 --from 4.2 --to 5.5
      heapscope upgrade T.hst --chip esp32 --from 4.2 --to 5.5 --json upgrade.json
      heapscope upgrade --chip esp32 --boot-log boot.txt --from 4.2 --to 4.3 --caps INTERNAL
      heapscope upgrade T.hst --layout F.toml --from 4.2 --to 5.5
    """
    from heapscope.answers.upgrade.sides import EXAMPLE
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.upgrade import upgrade as answer

    shared, sides = two_sides(memory, example=EXAMPLE)
    with progress_bar() as progress:
        result = answer(
            trace,
            old=old,
            new=new,
            sides=sides,
            caps=caps,
            reported_free=reported_free or (),
            progress=progress,
            **shared,
        )
    give(result, json, inputs=[*named_files(shared, *sides), *([trace] if trace else [])])
