"""Turn a recording of a 64-bit program into sizes of a 32-bit chip."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Fold, Json, Trace, output


def translate(
    trace: Trace,
    out: Annotated[Path | None, output("T32.hst")] = None,
    lower: Annotated[
        Path | None,
        typer.Option(
            metavar="LOW.hst",
            help="Write the trace with the smallest sizes possible here.",
        ),
    ] = None,
    program: Annotated[
        list[Path] | None,
        typer.Option(
            "--program",
            metavar="PROGRAM",
            help="The recorded program, as it was then; the one that the trace names unless told. "
            "May be repeated, for libraries of it.",
        ),
    ] = None,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Turn a recording of a 64-bit program into sizes of a 32-bit chip.

    Where the debug information tells the type of the blocks of a call site, and the sources show
    that it is the same type on a chip, their size there is exact. Elsewhere it has two bounds:
    half of the recorded size, where all is pointers, and the recorded size. The program was built
    with -g and recorded with --stacks; its sources are where they were. -o
    has the largest sizes possible, --lower the smallest.

    \b
    Examples:
      heapscope translate T.hst -o T32.hst
      heapscope translate T.hst --program build/app -o T32.hst --lower low.hst
      heapscope translate T.hst --json -
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.translate import translate as answer

    with progress_bar() as progress:
        result = answer(trace, out, program=program or (), lower=lower, progress=progress)
    inputs = [trace, *(program or ()), *(each for each in (out, lower) if each is not None)]
    give(result, json, inputs=inputs)
