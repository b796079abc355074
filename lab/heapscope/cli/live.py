"""The view of `heapscope live`, its lines, and its alarms."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from heapscope.base.option import Option
from heapscope.cli.call import Call
from heapscope.cli.verbs.options import Json


def live(
    call: Call,
    *,
    no_files: Annotated[bool, Option("", "Write no traces.")] = False,
    headless: Annotated[
        bool, Option("", "Lines and no view; so it is where there is no terminal, too.")
    ] = False,
    json: Json = None,
    every: Annotated[
        float, Option("SECONDS", "How often lines say how the heap stands.", least=0.1)
    ] = 5.0,
    alarm: Annotated[
        Sequence[str],
        Option(
            "EVENT",
            "Exit code 1 where it happened (need, unless told otherwise; none: nothing does).",
        ),
    ] = (),
) -> None:
    from heapscope.base.choices import known
    from heapscope.base.languages import json_text
    from heapscope.cli.keyboard import keyboard
    from heapscope.logs.live.live_result import EVENTS

    failing = [one for one in alarm if one != "none"] if alarm else ["need"]
    for event in failing:
        known(event, (*EVENTS, "none"), noun="event")
    if no_files or not call.given["files"]:
        call.given["out"] = None
    to_output = str(json) == "-"

    with ExitStack() as stack:
        lines = None
        if json is not None:
            lines = sys.stdout if to_output else stack.enter_context(_opened(json))
        headless = headless or to_output or not sys.stdout.isatty()
        if headless or not stack.enter_context(keyboard(data=call.given["port"] == "-")):
            result = _lines(call, every=every, lines=lines, text=not to_output)
        else:
            result = _view(call, every=every, lines=lines)
        if lines is not None and result is not None:
            lines.write(f"{json_text(result.to_json())}\n")
    if result is not None and not to_output:
        from heapscope.cli.answer import print_answer

        print_answer(result)
    if result is not None and any(result.times(event) for event in failing):
        raise typer.Exit(1)


def _opened(file: Path) -> Any:
    from heapscope.base.errors import InputError
    from heapscope.base.printable import printable

    try:
        return file.open("w", encoding="ascii", newline="\n")
    except OSError as error:
        raise InputError(
            f"{printable(str(file), limit=400)}: cannot be written: {error.strerror or error}",
            remedy="give --json another place",
        ) from None


def _lines(call: Call, *, every: float, lines: Any, text: bool) -> Any:
    from heapscope.base.interrupt import ends_the_input
    from heapscope.cli.live_lines import LiveLines

    shown = LiveLines(every=every, text=sys.stdout if text else None, lines=lines)

    def opened(where: str) -> None:
        print(f"heapscope: listening on {where}", file=sys.stderr, flush=True)

    with ends_the_input() as stop:
        return call.answer(on_moment=shown.show, on_open=opened, stop=stop)


def _view(call: Call, *, every: float, lines: Any) -> Any:
    from heapscope.base.errors import InputError
    from heapscope.base.extras import command

    try:
        from heapscope.cli.live_view import LiveView
    except ModuleNotFoundError:
        raise InputError(
            "the view needs textual, which is not installed",
            remedy=f"{command('live')}, or give --headless",
        ) from None
    from heapscope.cli.live_lines import LiveLines

    kept = LiveLines(every=every, text=None, lines=lines)

    def listen(show: Any, stop: Any) -> Any:
        def each(moment: Any) -> None:
            kept.show(moment)
            show(moment)

        return call.answer(on_moment=each, stop=stop)

    view = LiveView(listen)
    result = view.run()
    if view.failure is not None:
        raise view.failure
    return result
