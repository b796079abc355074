"""Put two replays side by side."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.fail_on import FailOn, fail, parsed
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
    fail_on: FailOn = None,
    json: Json = None,
) -> None:
    """Put two replays side by side: two traces, two memories, or two results.

    \b
    An option given twice is for the left and the right side, one given once for both.
    A and B are traces, or files that "replay --json" wrote.
    --fail-on worse=5% or worse:FIGURES=5% limits how much worse B may be; other budgets are B's.

    \b
    Examples:
      heapscope compare T.hst --chip esp32 --idf 4.2 --idf 5.5 --need 16717
      heapscope compare T.hst --pool 256KB --allocator idf-4.2 --allocator idf-5.5
      heapscope compare T.hst --pool 256KB --place none --place rules.toml
      heapscope compare before.hst after.hst --chip esp32
      heapscope compare before.json after.json
      heapscope compare before.hst after.hst --chip esp32 --fail-on worse:tasks*=5%
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.compare import EXAMPLE, both
    from heapscope.simulation.result.comparison import compare as compared

    shared, sides = two_sides(memory, example=EXAMPLE)
    budgets = parsed(fail_on, "compare")
    asked = [*(need or ()), *(one.said for one in budgets if one.kind == "need")]
    with progress_bar() as progress:
        results = both(left, right, sides=sides, need=asked, progress=progress, **shared)
    comparison = compared(*results)
    read = [*named_files(shared, *sides), left, *([right] if right else [])]
    give(comparison, json, inputs=read)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_comparison

        fail(of_comparison(budgets, comparison, results[1]))
