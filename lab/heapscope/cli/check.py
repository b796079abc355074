"""The files that `heapscope check` writes beside its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.option import Option
from heapscope.cli.answer import (
    dumps,
    print_answer,
    wants_tables,
    write_answer,
    write_text,
)
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief, Sarif


def check(
    call: Call,
    *,
    junit: Annotated[
        Path | None, Option("FILE", "Also write the budgets as JUnit XML.", writes=True)
    ] = None,
    sarif: Sarif = None,
    summary: Annotated[
        Path | None, Option("FILE", "Also write Markdown, for a job's summary.", writes=True)
    ] = None,
    badge: Annotated[Path | None, Option("FILE", "Also draw a badge (SVG).", writes=True)] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    result = call.answer()
    read = call.inputs
    write_answer(result, json, json_brief, inputs=read)
    if junit is not None:
        from heapscope.fleet.budgets.junit import junit as as_junit

        write_text(as_junit(result), junit, option="--junit", inputs=read)
    if sarif is not None:
        from heapscope.fleet.budgets.sarif import sarif as as_sarif

        write_text(dumps(as_sarif(result)), sarif, option="--sarif", inputs=read)
    if summary is not None:
        from heapscope.render.text.check import check_parts
        from heapscope.render.text.markdown import markdown

        write_text(markdown(check_parts(result)), summary, option="--summary", inputs=read)
    if badge is not None:
        from heapscope.fleet.budgets.badge import badge as as_badge

        write_text(as_badge(result), badge, option="--badge", inputs=read)
    if wants_tables(json, json_brief, junit, sarif, summary, badge):
        print_answer(result)
    if not result.passed:
        raise typer.Exit(1)
