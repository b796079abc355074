"""Find where blocks should lie, with a bound that no rules go beyond."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import STRENGTH, Json, Needs, Runs, Seed, Strength, Trace, output
from heapscope.memory.options import MemoryOptions, named_files

#: The file where nothing is to be gained, so that nobody takes an empty one for a fault.
NO_RULES_LINE = "# No rules are better than none here. Leave --place out, or give --place none."


@takes_memory
def place(
    trace: Trace,
    memory: MemoryOptions,
    need: Needs = None,
    slow: Annotated[
        float,
        typer.Option(
            "--slow",
            metavar="PERCENT",
            help="Part of the bytes asked for that rules may send to slow memory (10).",
        ),
    ] = 10.0,
    time_limit: Annotated[
        float, typer.Option("--time-limit", metavar="SECONDS", help="Time for the search (60).")
    ] = 60.0,
    second: Annotated[
        Path | None,
        typer.Option(
            "--second",
            metavar="T2.hst",
            help="Another recording of the same program, which the rules are tried on. A heap "
            "with two ends gets rules for them only where they win there, too.",
        ),
    ] = None,
    fixed_blocks: Annotated[
        bool,
        typer.Option(
            "--fixed-blocks",
            help="Try pools of fixed blocks, too. Rules for them are given only where they win.",
        ),
    ] = False,
    jitter: Runs = None,
    jitter_seed: Seed = 0,
    jitter_strength: Strength = STRENGTH,
    out: Annotated[Path | None, output("FILE")] = None,
    write: Annotated[
        Path | None,
        typer.Option(
            "--code", metavar="FILE", help="Write C for the device's regions here (regions.h)."
        ),
    ] = None,
    json: Json = None,
) -> None:
    """Find the rules for --place that leave most internal memory free, or a block that must fit.

    A mixed-integer programme sends classes of requests, by task, call site and size, to regions
    and to slow memory. Its bound is what no such rules go beyond. Its solution and the best single
    rules are replayed with the whole trace, and the best of them is given. The memory is chosen
    as for replay; the rules of --place stay as they are, in front. The new rules go to the file of
    -o. --need names the request that has to succeed at every moment.

    With --jitter, perturbed runs of the trace also say in which share the placement holds.

    \b
    Examples:
      heapscope place T.hst --chip esp32 --psram 4MB --psram-threshold off
      heapscope place T.hst --chip esp32 --need 16717 -o rules.toml
      heapscope place T.hst --chip esp32s3 --psram 8MB --psram-threshold off --slow 5
      heapscope place T.hst --chip esp32 --psram 4MB --second T2.hst --json place.json
      heapscope place T.hst --chip esp32 --need 16717 --jitter 200
      heapscope place T.hst --pool 64KB --fixed-blocks -o rules.toml --code place.h
    """
    from heapscope.cli.answer import give, wants_tables, write_text
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.place import place as answer

    with progress_bar() as progress:
        result = answer(
            trace,
            need=need or (),
            slow=slow,
            time_limit=time_limit,
            second=second,
            fixed_blocks=fixed_blocks,
            jitter=jitter,
            jitter_seed=jitter_seed,
            jitter_strength=jitter_strength,
            progress=progress,
            **memory,
        )
    inputs = (trace, *([second] if second else []), *named_files(memory))
    if out is not None:
        lines = result.best.lines or (NO_RULES_LINE,)
        write_text("\n".join([*lines, ""]), out, option="--output", inputs=inputs)
    if write is not None:
        write_text("\n".join([*result.code, ""]), write, option="--code", inputs=inputs)
    if wants_tables(out, write):
        give(result, json, inputs=inputs)
    else:
        from heapscope.cli.answer import write_json

        write_json(result.to_json(), json, inputs=inputs)
