"""How `heapscope log` follows a stream, and its answer as a file."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from rich.console import RenderableType

from heapscope.cli.answer import wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.happenings import report_at_once
from heapscope.cli.tables_file import tables_text
from heapscope.cli.verbs.options import Json, JsonBrief, output

if TYPE_CHECKING:
    from heapscope.fleet.devices.fleet_result import FleetResult
    from heapscope.logs.answer.log_result import LogResult


def log(
    call: Call,
    *,
    out: Annotated[Path | None, output("FILE")] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
) -> None:
    sources = call.given["sources"]
    with report_at_once(sources[0], json) as follow:
        result = call.answer(on_happening=follow.say, stop=follow.stop)
    if out is not None:
        title = " ".join(map(str, sources[:3])) + (" and others" if len(sources) > 3 else "")
        text = tables_text(result, out, title, partial(_page, result))
        write_text(text, out, option="--output", inputs=call.inputs)
    if wants_tables(out):
        call.give(json, result, brief=json_brief)
    else:
        write_answer(result, json, json_brief, inputs=call.inputs)


def _page(result: LogResult | FleetResult, title: str, parts: Iterable[RenderableType]) -> str:
    from heapscope.render.page.courses import courses_html

    return courses_html(result, title, parts)
