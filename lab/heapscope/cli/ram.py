"""The answer of `heapscope ram` as a file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import RenderableType

from heapscope.cli.answer import wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.tables_file import tables_text
from heapscope.cli.verbs.options import EveryRow, Json, JsonBrief, output

if TYPE_CHECKING:
    from heapscope.answers.ram.difference import RamDifference
    from heapscope.answers.ram.ram_result import RamResult


def ram(
    call: Call,
    *,
    out: Annotated[Path | None, output("FILE")] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
    every_row: EveryRow = False,
) -> None:
    result = call.answer()
    if out is not None:
        things = filter(None, (call.get("thing", ""), call.get("other", "")))
        text = tables_text(result, out, f"RAM of {' and '.join(things)}", partial(_page, result))
        write_text(text, out, option="--output", inputs=call.inputs)
    if wants_tables(out):
        call.give(json, result, brief=json_brief, every_row=every_row)
    else:
        write_answer(result, json, json_brief, inputs=call.inputs)


def _page(result: RamResult | RamDifference, title: str, parts: Iterable[RenderableType]) -> str:
    from heapscope.render.page.ram import ram_html

    return ram_html(result, title, parts)
