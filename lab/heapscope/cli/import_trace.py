"""Turn another form of a trace into a .hst file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.fail_on import FailOn, fail, parsed
from heapscope.cli.shared import Chip, Idf, Json, Needs, Poisoning, output


def _option(name: str, metavar: str, text: str) -> typer.models.OptionInfo:
    option_info: typer.models.OptionInfo = typer.Option(name, metavar=metavar, help=text)
    return option_info


def import_trace(
    form: Annotated[
        str,
        typer.Argument(
            metavar="FORMAT",
            help="The form of FILE: text, esp-idf, systemview, heaptrack, mtrace, pjsip.",
        ),
    ],
    file: Annotated[Path, typer.Argument(metavar="FILE", help='The file to import; "-": stdin.')],
    out: Annotated[Path | None, output("T.hst")] = None,
    idf: Idf = None,
    chip: Chip = None,
    poisoning: Poisoning = None,
    need: Needs = None,
    strict: Annotated[
        bool,
        typer.Option(
            "--strict",
            help="End the import at the first line that cannot be read, with exit code 2.",
        ),
    ] = False,
    left_out: Annotated[
        Path | None,
        _option("--left-out", "FILE", "Write every line that is left out, with number and reason."),
    ] = None,
    fail_on: FailOn = None,
    json: Json = None,
) -> None:
    """Turn another form of a trace into a .hst file, and say what a device's log tells.

    \b
    FORMAT text: lines "a ID SIZE" (malloc), "c ID SIZE" (calloc), "m ID ALIGN SIZE" (aligned),
    "r ID NEWSIZE [NEWID]" (realloc), "f ID" (free), "t NAME" (task of what follows), "! NAME"
    (mark), "o CORE" (core of the task), "#" comments. Numbers are decimal or hexadecimal (0x10);
    NULL for an ID is a request that failed. A request may end with capabilities (DMA|8BIT) and
    with "@CALLER;FUNCTION"; "[TIME]" may stand before any line. "% addresses" says that the IDs
    are addresses, "% clock_hz 1000000" what a time counts. Files compressed with zstd are read as
    they are; "-" is standard input.

    \b
    FORMAT esp-idf: a device's log, with anything around what it says of the heap: heap_init lines,
    heap summaries, task tables, standalone heap traces, failed allocations. A heap trace becomes
    the .hst file, where -o names one; the rest is answered at once. --chip, --idf and --poisoning
    say what the log does not tell, and --need asks about each heap summary.

    \b
    FORMAT systemview: what OpenOCD recorded with heap tracing to the host (.svdat), of one core or
    of both.

    \b
    FORMAT heaptrack: the file that `heaptrack PROGRAM` wrote, with its stacks. It does not tell
    which of several blocks of one size and stack is freed; that of `heaptrack --raw` does, but has
    no names of functions.

    \b
    FORMAT mtrace: what glibc's mtrace() logged to the file in MALLOC_TRACE.

    \b
    FORMAT pjsip: a log with dumps of PJLIB's caching pool ("dd" in pjsua), lines "cachpool NAME:
    USED of SIZE (P%) used". Each dump becomes a mark; what was between two is not known.

    \b
    Examples:
      heapscope import text events.txt -o T.hst
      heapscope import text events.txt.zst -o T.hst --json -
      heapscope import text events.txt -o T.hst --fail-on left_out=0
      heapscope import text events.txt -o T.hst --strict
      heapscope import text events.txt -o T.hst --left-out left_out.tsv
      heapscope import esp-idf boot.txt
      heapscope import esp-idf boot.txt -o T.hst --need 16717 --need 4KB:DMA
      heapscope import systemview heap.svdat -o T.hst
      heapscope import heaptrack heaptrack.firmware.4711.zst -o T.hst
      heapscope import mtrace mtrace.txt -o T.hst
      heapscope import pjsip pjsua.log -o T.hst
    """
    from heapscope.cli.answer import print_answer, wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.import_trace import import_

    budgets = parsed(fail_on, "import")
    requested = [*(need or ()), *(one.given for one in budgets if one.kind == "need")]
    with progress_bar() as progress:
        result = import_(
            form,
            file,
            out,
            idf=idf,
            chip=chip,
            poisoning=poisoning,
            need=requested,
            strict=strict,
            left_out=left_out,
            progress=progress,
        )
    write_json(result.to_json(), json, inputs=[file, *([out] if out else [])])
    if wants_tables(json, out, left_out):
        print_answer(result)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_import

        fail(of_import(budgets, result))
