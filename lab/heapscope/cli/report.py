"""How `heapscope report` ends."""

from __future__ import annotations

import typer

from heapscope.base.printable import printable
from heapscope.cli.answer import print_answer, wants_tables, write_answer
from heapscope.cli.call import Call
from heapscope.cli.sides import sides_of
from heapscope.cli.verbs.options import Json, JsonBrief


def report(call: Call, *, json: Json = None, json_brief: JsonBrief = None) -> None:
    from heapscope.cli.verbs.report_page import check_page, write_page
    from heapscope.render.explorer.written import Explorer

    out, traces = call.given["out"], call.get("traces", ())
    check_page(out)
    call.sides = sides_of(call.memory, things=len(traces))
    built = call.answer(out=None if traces else out)
    inputs = [*traces, out]
    if isinstance(built, Explorer):
        write_answer(built, json, json_brief, inputs=inputs)
        if wants_tables(json, json_brief):
            for sentence in built.answer:
                typer.echo(printable(sentence, limit=600))
        return
    size = write_page(built, out, inputs=traces)
    write_answer(built, json, json_brief, inputs=inputs)
    if wants_tables(json, json_brief):
        print_answer(built)
        opens = "" if out.suffix.lower() == ".md" else "; open it in a browser"
        typer.echo(f"{printable(str(out), limit=400)}: {size:,} B{opens}")
