"""How `heapscope THING...` ends."""

from __future__ import annotations

import typer

from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json


def thing(call: Call, *, json: Json = None) -> None:
    from heapscope.cli.things.answered import unknown_of

    result = call.answer()
    call.give(json, result)
    if any(unknown_of(result)):
        raise typer.Exit(1)
