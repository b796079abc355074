"""How `heapscope THING...` ends."""

from __future__ import annotations

import typer

from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief


def thing(call: Call, *, json: Json = None, json_brief: JsonBrief = None) -> None:
    from heapscope.cli.things.answered import unknown_of

    result = call.answer()
    call.give(json, result, brief=json_brief)
    if any(unknown_of(result)):
        raise typer.Exit(1)
