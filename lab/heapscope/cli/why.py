"""Say why requests failed, and what would help."""

from __future__ import annotations

from typing import Annotated

import typer

from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import STRENGTH, Fold, Json, Needs, Plan, Runs, Seed, Strength, Trace
from heapscope.memory.options import MemoryOptions, named_files


@takes_memory
def why(
    trace: Trace,
    memory: MemoryOptions,
    need: Needs = None,
    failure: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Explain the N-th failed request alone."),
    ] = None,
    event: Annotated[
        int | None,
        typer.Option(metavar="N", min=0, help="Explain the failed request of this event alone."),
    ] = None,
    depth: Annotated[
        int,
        typer.Option(metavar="N", min=1, help="Groups of failures that are explained (3)."),
    ] = 3,
    plan: Plan = False,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Say why requests failed, who stands in their way, and what would have let them succeed.

    Failures that are alike are explained together, the first and the nearest miss of each group.
    Every change that is named was replayed with the whole trace; the cheapest comes first. The
    memory is chosen as for replay. --need explains the closest moments of a request that the trace
    does not make; a plan also keeps it possible at every moment. --jitter says how many perturbed
    runs test the plan (50; 0: none).

    \b
    Examples:
      heapscope why T.hst --pool 40KB
      heapscope why T.hst --chip esp32 --idf 5.5 --failure 1
      heapscope why T.hst --chip esp32 --idf 4.2 --need 100000
      heapscope why T.hst --chip esp32 --idf 5.5 --sdkconfig sdkconfig --plan --need 16717
      heapscope why T.hst --pool 40KB --allocator heap_4 --json why.json
    """
    from heapscope.cli.answer import give
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.why import why as answer

    with progress_bar() as progress:
        result = answer(
            trace,
            need=need or (),
            failure=failure,
            event=event,
            depth=depth,
            plan=plan,
            jitter=jitter,
            jitter_seed=jitter_seed,
            jitter_strength=jitter_strength,
            progress=progress,
            **memory,
        )
    give(result, json, inputs=(trace, *named_files(memory)))
