"""Say what a trace holds, or run it on a chip's memory."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.fail_on import FailOn, fail, parsed
from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import Fold, Json, Needs, Trace
from heapscope.memory.options import MemoryOptions, named_files


@takes_memory
def replay(
    trace: Trace,
    memory: MemoryOptions,
    need: Needs = None,
    explain: Annotated[
        int | None,
        typer.Option(metavar="EVENT", min=0, help="Say why this request went where it went."),
    ] = None,
    digest: Annotated[
        bool, typer.Option("--digest", help="Print one line: digest HEX16 results N failures N.")
    ] = False,
    state: Annotated[
        Path | None,
        typer.Option(
            metavar="LOG",
            help="Begin with the heaps as the end of this log tells them.",
        ),
    ] = None,
    fail_on: FailOn = None,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Run a trace on a chip's memory and say how close it came to running out. With the trace alone
    it says what that holds: events, tasks, marks, live peak, where it came from, damage.

    \b
    The memory is one of
      --chip C [--idf V] [--boot-log F] [--cores N] [--static-dram N] [--static-iram N]
               [--sdkconfig F] [--elf F or --map F]
               [--load wifi,tls=2]
               [--psram SIZE] [--rtc on/off] [--memprot on/off] [--iram-8bit on/off]
      --boot-log F       a real device's regions; its own chip and version count
      --layout F.toml    regions of your own
      --pool BYTES       a single pool
      --state LOG        a device's heaps as the end of its log tells them: by a heap dump, or by
                         a summary with one free block a heap
    and --allocator A puts another allocator on every region of it, --allocator REGION=A on one
    (a kind or an address). --place RULES.toml sends requests elsewhere than their capabilities do.

    \b
    Examples:
      heapscope replay T.hst
      heapscope replay T.hst --chip esp32 --idf 5.5 --need 16717
      heapscope replay T.hst --chip esp32s3 --idf 5.5 --psram 8MB --need 16717:INTERNAL
      heapscope replay T.hst --boot-log boot.txt --need 16717 --need 4KB:DMA
      heapscope replay T.hst --pool 256KB --allocator idf-4.2 --digest
      heapscope replay T.hst --chip esp32 --allocator idf-5.5 --allocator D/IRAM=tlsf
      heapscope replay T.hst --chip esp32 --place rules.toml
      heapscope replay T.hst --chip esp32 --explain 0
      heapscope replay T.hst --chip esp32 --elf firmware.elf
      heapscope replay T.hst --sdkconfig sdkconfig --idf 5.5 --load wifi,tls=2
      heapscope replay T.hst --state device.log --need 16717
      heapscope replay T.hst --chip esp32 --json replay.json
      heapscope replay T.hst --chip esp32 --fail-on min_free=20KB
    """
    from heapscope.cli.answer import give, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.replay import replay as answer
    from heapscope.cli.verbs.replay import replayed

    budgets = parsed(fail_on, "replay")
    requested = [*(need or ()), *(one.given for one in budgets if one.kind == "need")]
    inputs = (trace, *([] if state is None else [state]), *named_files(memory))
    if not digest and not budgets:
        with progress_bar() as progress:
            match = answer(
                trace, need=requested, explain=explain, state=state, progress=progress, **memory
            )
        give(match, json, inputs=inputs)
        return
    with progress_bar() as progress:
        result = replayed(
            trace, memory, need=requested, explain=explain, state=state, progress=progress
        )
    if digest:
        write_json(result.to_json(), json, inputs=inputs)
        typer.echo(result.summary.digest_line)
    else:
        give(result, json, inputs=inputs)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_replay

        fail(of_replay(budgets, result))
