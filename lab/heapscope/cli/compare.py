"""The budgets of `heapscope compare`, and its tables as a file."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.cli.answer import write_text
from heapscope.cli.call import Call
from heapscope.cli.fail_on import FailOn, fail, needs_of, parsed
from heapscope.cli.sides import sides_of
from heapscope.cli.tables_file import tables_text
from heapscope.cli.verbs.options import EveryRow, Json, JsonBrief, output

if TYPE_CHECKING:
    from heapscope.simulation.result.result import ReplayResult


def compare(
    call: Call,
    *,
    fail_on: FailOn = (),
    out: Annotated[Path | None, output("FILE")] = None,
    json: Json = None,
    json_brief: JsonBrief = None,
    every_row: EveryRow = False,
) -> None:
    from heapscope.forecast.ladder.side import paths_of

    things = call.get("things", ())
    call.sides = sides_of(call.memory, things=len(things))
    budgets = parsed(fail_on, "compare")
    replays: list[tuple[ReplayResult, ReplayResult]] = []
    result = call.answer(
        need=[*call.get("need", ()), *needs_of(budgets)],
        on_replays=lambda *both: replays.append(both),
    )
    if budgets and not replays:
        raise InputError("--fail-on is for comparing replays", remedy="leave --fail-on out")
    named = [path for thing in things for path in (Path(thing), *paths_of(thing))]
    if out is not None:
        text = tables_text(result, out, " -> ".join(things or ("start",)))
        write_text(text, out, option="--output", inputs=[*call.inputs, *named])
    call.give(json, result, brief=json_brief, every_row=every_row, beside=named)
    if budgets:
        from heapscope.cli.verbs.fail_on import of_comparison

        fail([row for both in replays for row in of_comparison(budgets, *both)])
