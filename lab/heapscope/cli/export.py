"""Write a trace in another program's format."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.errors import InputError
from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import Fold, Json, Trace, output
from heapscope.memory.options import MemoryOptions, named_files


@takes_memory
def export(
    trace: Trace,
    to: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="perfetto, speedscope, collapsed, dhat, csv, json or parquet.",
        ),
    ],
    out: Annotated[Path, output("FILE")] = Path("-"),
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="FIGURE",
            help="Bytes in collapsed stacks: at the peak (peak), allocated in all (total), or not "
            "freed at the end (leaked).",
        ),
    ] = None,
    *,
    memory: MemoryOptions,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Write a trace in the format of another program.

    \b
      perfetto     counters over time, failures and marks, for ui.perfetto.dev
      speedscope   bytes by task and call site, for speedscope.app
      collapsed    the same as lines for flame graph programs (--weight peak, total, leaked)
      dhat         the same for Valgrind's dh_view.html, with lifetimes
      csv, json, parquet   every heap event

    With a memory, chosen as for replay, it is what the replay did: addresses, free bytes of each
    region, failures. Without one it is what the recorded program itself asked and held.

    \b
    Examples:
      heapscope export T.hst --to perfetto -o T.pftrace
      heapscope export T.hst --to perfetto --chip esp32 --idf 5.5 -o T.pftrace
      heapscope export T.hst --to csv --pool 64KB -o T.csv
      heapscope export T.hst --to collapsed --weight total
      heapscope export T.hst --to dhat -o dhat.json
    """
    from heapscope.cli.answer import STDOUT, print_answer, wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.export import export as answer
    from heapscope.cli.verbs.export import format_named

    if str(out) == STDOUT and format_named(to).binary and sys.stdout.isatty():
        raise InputError(
            f"{to} is binary, and standard output is a terminal",
            remedy="name a file with -o, or send the output to one",
        )
    with progress_bar() as progress:
        done = answer(trace, to=to, out=out, weight=weight, progress=progress, **memory)
    write_json(done.to_json(), json, inputs=(trace, out, *named_files(memory)))
    if wants_tables(out, json):
        print_answer(done)
    elif str(out) == STDOUT:
        for message in done.messages:
            typer.echo(message, err=True)
