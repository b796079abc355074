"""Put two replays side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.memory import SidesOptions, takes_sides, two_sides
from heapscope.cli.shared import Json, Needs
from heapscope.memory.options import named_files


@takes_sides()
def compare(
    left: Annotated[Path, typer.Argument(metavar="A", help="Trace, or result of replay --json.")],
    right: Annotated[
        Path | None, typer.Argument(metavar="B", help="The other side; none: the same trace.")
    ] = None,
    *,
    memory: SidesOptions,
    need: Needs = None,
    json: Json = None,
) -> None:
    """Put two replays side by side: two traces, two memories, or two results.

    \b
    An option given twice is for the left and the right side, one given once for both.
    A and B are traces, or files that "replay --json" wrote.

    \b
    Examples:
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --need 16717
      heapscope compare T.hst --pool 256KB --allocator idf-4.2 --allocator idf-5.5
      heapscope compare T.hst --pool 256KB --place none --place rules.toml
      heapscope compare before.hst after.hst --chip esp32
      heapscope compare before.json after.json
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.verbs.compare import EXAMPLE
    from heapscope.verbs.compare import compare as answer

    shared, sides = two_sides(memory, example=EXAMPLE)
    with progress_bar() as progress:
        comparison = answer(left, right, sides=sides, need=need or (), progress=progress, **shared)
    read = [*named_files(shared, *sides), left, *([right] if right else [])]
    give(comparison, json, inputs=read)
