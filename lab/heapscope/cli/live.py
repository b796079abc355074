"""Show a device's heap while it runs."""

from __future__ import annotations

import sys
from contextlib import ExitStack
from pathlib import Path
from typing import Annotated, Any

import typer

from heapscope.cli.memory import takes_memory
from heapscope.cli.shared import Json, Needs, Seconds, output
from heapscope.memory.options import MemoryOptions


@takes_memory
def live(
    port: Annotated[
        str,
        typer.Argument(
            metavar="PORT",
            help="serial:/dev/ttyUSB0@921600, tcp:HOST:PORT, tcp:PORT or udp:PORT (these two "
            "listen), a file, a pipe, or -: standard input.",
        ),
    ],
    memory: MemoryOptions,
    need: Needs = None,
    prefix: Annotated[str, output("PREFIX")] = "live",
    files: Annotated[
        int,
        typer.Option(
            "--files",
            metavar="N",
            min=0,
            help="Write at most so many traces, the first ones: a board in a reset loop goes on "
            "making them.",
        ),
    ] = 1000,  # as heapscope.logs.live.hearing has it
    no_files: Annotated[bool, typer.Option("--no-files", help="Write no traces.")] = False,
    headless: Annotated[
        bool,
        typer.Option(
            "--headless", help="Lines and no view; so it is where there is no terminal, too."
        ),
    ] = False,
    json: Json = None,
    every: Annotated[
        float,
        typer.Option(metavar="SECONDS", min=0.1, help="How often lines say how the heap stands."),
    ] = 5.0,
    seconds: Seconds = None,
    until: Annotated[
        list[str] | None,
        typer.Option(
            "--until",
            metavar="EVENT",
            help="End at the first need, failed, lost, restart, gone, stray or mark. May be "
            "repeated.",
        ),
    ] = None,
    alarm: Annotated[
        list[str] | None,
        typer.Option(
            "--alarm",
            metavar="EVENT",
            help="Exit code 1 where it happened (need, unless told otherwise; none: nothing does).",
        ),
    ] = None,
    listen_on: Annotated[
        str,
        typer.Option(
            metavar="ADDRESS",
            help="Where tcp:PORT and udp:PORT listen. Other machines reach 0.0.0.0, and whoever "
            "reaches it is heard.",
        ),
    ] = "127.0.0.1",
) -> None:
    """Show a device's heap while it runs: free and largest by memory, who holds it, what grows.

    The device sends the chunks of its recorder (heapscope/recorder.h), which may stand between
    lines of its log. Each boot becomes a trace that every verb reads. A port that goes away is
    opened again when it is back. Losses are counted, and nothing is guessed: after a loss
    the live blocks are not known until a whole snapshot has arrived.

    The free memory is what the device's heap says at each snapshot. With the options of replay that
    name its memory, the recording is replayed as it comes, and it is known after every event. Then
    `why` is asked, too, when a --need stops fitting; the listening does not wait for its answer.
    --elf alone names the functions behind addresses.

    Each boot's trace is called PREFIX-boot-7.hst by the PREFIX of -o (live). A --need rings when it
    stops fitting, and names who stands in the way. --json has moments, one a line, and the
    answer as the last line; with "-" there is no view.

    \b
    Exit codes: 0 it ended well (end of the input, --seconds, --until, Ctrl-C or q); 1 an event of
    --alarm happened; 2 it could not be heard.

    \b
    Examples:
      heapscope live serial:/dev/ttyUSB0@921600
      heapscope live serial:/dev/ttyUSB0 --chip esp32c3 --idf 5.5 --elf app.elf --need 16717
      heapscope live udp:3333 --listen-on 0.0.0.0 --need 16717:DMA
      heapscope live tcp:3333 --headless --seconds 60 --alarm failed --alarm lost
      heapscope live T.hst --headless --no-files
      heapscope live T.hst --no-files --json -
    """
    from heapscope.base.choices import known
    from heapscope.cli.keyboard import keyboard
    from heapscope.logs.live.live_result import EVENTS

    failing = ["need"] if alarm is None else [one for one in alarm if one != "none"]
    for event in failing:
        known(event, (*EVENTS, "none"), noun="event")
    options: dict[str, Any] = {
        "out": None if no_files or not files else prefix,
        "files": files,
        "need": need or (),
        "listen_on": listen_on,
        "seconds": seconds,
        "until": until or (),
        **memory,
    }
    to_output = str(json) == "-"

    from heapscope.base.languages import json_text

    with ExitStack() as stack:
        lines = None
        if json is not None:
            lines = sys.stdout if to_output else stack.enter_context(_opened(json))
        headless = headless or to_output or not sys.stdout.isatty()
        if headless or not stack.enter_context(keyboard(data=port == "-")):
            result = _lines(port, options, every=every, lines=lines, text=not to_output)
        else:
            result = _view(port, options, every=every, lines=lines)
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


def _lines(port: str, options: dict[str, Any], *, every: float, lines: Any, text: bool) -> Any:
    from heapscope.base.interrupt import ends_the_input
    from heapscope.cli.live_lines import LiveLines
    from heapscope.cli.verbs.live import live as answer

    shown = LiveLines(every=every, text=sys.stdout if text else None, lines=lines)

    def opened(where: str) -> None:
        print(f"heapscope: listening on {where}", file=sys.stderr, flush=True)

    with ends_the_input() as stop:
        return answer(port, **options, on_moment=shown.show, on_open=opened, stop=stop)


def _view(port: str, options: dict[str, Any], *, every: float, lines: Any) -> Any:
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
    from heapscope.cli.verbs.live import live as answer

    kept = LiveLines(every=every, text=None, lines=lines)

    def listen(show: Any, stop: Any) -> Any:
        def each(moment: Any) -> None:
            kept.show(moment)
            show(moment)

        return answer(port, **options, on_moment=each, stop=stop)

    view = LiveView(listen)
    result = view.run()
    if view.failure is not None:
        raise view.failure
    return result
