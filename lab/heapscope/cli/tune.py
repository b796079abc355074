"""The files that `heapscope tune` writes, and its question about published ranks."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.base.errors import HeapscopeError
from heapscope.base.option import Option
from heapscope.cli.answer import print_answer, wants_tables, write_answer, write_text
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import EveryRow, Json, JsonBrief


def tune(
    call: Call,
    *,
    plot: Annotated[
        Path | None, Option("FILE", "Write the front as a picture (SVG).", writes=True)
    ] = None,
    fragment: Annotated[
        Path | None, Option("FILE", "Write the lines for sdkconfig.defaults.", writes=True)
    ] = None,
    ranks: Annotated[
        bool, Option("", "Each published rank (of --chip) against the best one.")
    ] = False,
    json: Json = None,
    json_brief: JsonBrief = None,
    every_row: EveryRow = False,
) -> None:
    if ranks:
        others = {name for name, value in call.given.items() if value} - {"chip"}
        if others or plot is not None or fragment is not None:
            raise HeapscopeError(
                "--ranks is a question of its own", remedy="give it with --chip and --json alone"
            )
        from heapscope.cli.progress import progress_bar
        from heapscope.cli.verbs.tune import tune_ranks

        with progress_bar() as progress:
            match = tune_ranks(call.get("chip"), progress=progress)
        call.give(json, match, brief=json_brief, every_row=every_row)
        return
    front = call.get("front", "tcp_rx" if plot is not None else None)
    result = call.answer(front=front)
    write_answer(result, json, json_brief, inputs=call.inputs)
    if plot is not None and result.front:
        from heapscope.forecast.tune.plot import front_svg

        write_text(front_svg(result), plot, option="--plot", inputs=call.inputs)
    if fragment is not None and result.best is not None:
        from heapscope.forecast.tune.fragment import fragment as as_fragment

        write_text(as_fragment(result), fragment, option="--fragment", inputs=call.inputs)
    if wants_tables(json, json_brief, plot, fragment):
        print_answer(result, every_row=every_row)
    if result.best is None:
        raise typer.Exit(1)
