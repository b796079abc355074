"""The files that `heapscope place` writes beside its answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from heapscope.base.option import Option
from heapscope.cli.answer import wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json, JsonBrief, output

#: The file where nothing is to be gained, so that nobody takes an empty one for a fault.
NO_RULES_LINE = "# No rules are better than none here. Leave --place out, or give --place none."


def place(
    call: Call,
    *,
    out: Annotated[Path | None, output("FILE")] = None,
    code: Annotated[
        Path | None,
        Option("FILE", "Write C for the device's regions here (regions.h).", writes=True),
    ] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    result = call.answer()
    if out is not None:
        lines = result.best.lines or (NO_RULES_LINE,)
        write_text("\n".join([*lines, ""]), out, option="--output", inputs=call.inputs)
    if code is not None:
        text = "\n".join([*result.code, ""])
        write_text(text, code, option="--code", inputs=call.inputs)
    if wants_tables(out, code):
        call.give(json, result, brief=json_brief)
    else:
        write_answer(result, json, json_brief, inputs=call.inputs)
