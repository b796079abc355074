"""Write what happened as one HTML page, or the page that opens traces."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.memory import SidesOptions, report_sides, takes_sides
from heapscope.cli.shared import Fold, Json, Needs, Plan, output


@takes_sides()
def report(
    traces: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="[T.hst...]",
            help="Trace; several: they are compared; none: the explorer.",
            show_default=False,
        ),
    ] = None,
    *,
    out: Annotated[Path, output("FILE")],
    title: Annotated[
        str | None, typer.Option(metavar="TEXT", help="Heading of the page (the trace's name).")
    ] = None,
    memory: SidesOptions,
    need: Needs = None,
    plan: Plan = False,
    why: Annotated[
        bool | None,
        typer.Option(
            "--why/--no-why",
            help="Explain failures by replays with changes (of one trace up to 500 000 events).",
            show_default=False,
        ),
    ] = None,
    embed_limit: Annotated[
        int,
        typer.Option(
            metavar="BYTES",
            help="The compressed trace in the page, at most; 0: no trace and no replay in it.",
        ),
    ] = 8_000_000,
    fold: Fold = None,
    json: Json = None,
) -> None:
    """Write what happened as one HTML page: a file by itself that loads nothing.

    An option given once counts for all; given several times, or with several traces, it makes a
    page that compares them with the first. The memory is chosen as for replay. A name for -o that
    ends with .md makes it Markdown.

    Without a trace it is the explorer, a page that opens a trace by itself and replays it in the
    browser: a trace (.hst), the text form, heaptrack's data or a log of mtrace is dropped on it.
    It has the memories of all chips and needs neither an installation nor a network.

    \b
    Examples:
      heapscope report T.hst --chip esp32 --need 16717 -o report.html
      heapscope report T.hst --chip esp32 --idf 4.2 --idf 5.5 -o upgrade.html
      heapscope report T.hst --pool 64KB --allocator idf-5.5 --allocator tlsf -o allocators.html
      heapscope report -o explorer.html
      heapscope report before.hst after.hst --chip esp32 --title "Smaller buffers" -o change.html
    """
    from heapscope.base.printable import printable
    from heapscope.cli.answer import print_answer, wants_tables, write_json
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.report import check_page, write_page
    from heapscope.cli.verbs.report import report as answer
    from heapscope.render.explorer.written import Explorer

    check_page(out)
    shared, sides = report_sides(memory, traces=len(traces or ()))
    with progress_bar() as progress:
        built = answer(
            *(traces or ()),
            out=None if traces else out,
            title=title,
            sides=sides,
            need=need or (),
            why=why,
            plan=plan,
            embed_limit=embed_limit,
            progress=progress,
            **shared,
        )
    if isinstance(built, Explorer):
        write_json({} if json is None else built.to_json(), json, inputs=[out])
        if wants_tables(json):
            for sentence in built.answer:
                typer.echo(printable(sentence, limit=600))
        return
    size = write_page(built, out, inputs=traces or ())
    write_json({} if json is None else built.to_json(), json, inputs=[*(traces or ()), out])
    if wants_tables(json):
        print_answer(built)
        opens = "" if out.suffix.lower() == ".md" else "; open it in a browser"
        typer.echo(f"{printable(str(out), limit=400)}: {size:,} B{opens}")
