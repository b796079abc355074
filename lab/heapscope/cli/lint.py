"""The files that `heapscope lint` writes beside its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.option import Option
from heapscope.cli.answer import dumps, print_answer, wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief, Sarif


def lint(
    call: Call,
    *,
    fix: Annotated[
        Path | None, Option("FILE", "Write lines that mend what was found.", writes=True)
    ] = None,
    sarif: Sarif = None,
    github: Annotated[
        bool, Option("", "Print annotations of GitHub Actions in place of text.")
    ] = False,
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    result = call.answer()
    write_answer(result, json, json_brief, inputs=call.inputs)
    if sarif is not None:
        from heapscope.config.lint.sarif import sarif as as_sarif

        write_text(dumps(as_sarif(result)), sarif, option="--sarif", inputs=call.inputs)
    if fix is not None:
        from heapscope.cli.verbs.lint import fixed

        write_text(call.answer(fixed), fix, option="--fix", inputs=call.inputs)
    if github:
        from heapscope.config.lint.sarif import annotation_lines

        for line in annotation_lines(result):
            typer.echo(line.encode())  # as bytes: these lines are commands
    elif wants_tables(json, json_brief, sarif, fix):
        print_answer(result)
    if result.failed:
        raise typer.Exit(1)
