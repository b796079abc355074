"""The digest and the budgets of `heapscope replay`."""

from __future__ import annotations

from typing import Annotated

import typer

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.cli.answer import write_answer
from heapscope.cli.call import Call
from heapscope.cli.fail_on import FailOn, fail, needs_of, parsed
from heapscope.cli.verbs.options import Json, JsonBrief


def replay(
    call: Call,
    *,
    digest: Annotated[
        bool, Option("", "Print one line: digest HEX16 results N failures N.")
    ] = False,
    fail_on: FailOn = (),
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    budgets = parsed(fail_on, "replay")
    if call.get("repeat") is not None and (digest or budgets):
        raise InputError(
            "--repeat plays many runs, and --digest and --fail-on are of one",
            remedy="leave them out, or leave --repeat out",
        )
    need = [*call.get("need", ()), *needs_of(budgets)]
    if not digest and not budgets:
        call.give(json, brief=json_brief)
        return
    result = call.answer(need=need, contents=False)
    if digest:
        write_answer(result, json, json_brief, inputs=call.inputs)
        typer.echo(result.summary.digest_line)
    else:
        call.give(json, result, brief=json_brief)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_replay

        fail(of_replay(budgets, result))
