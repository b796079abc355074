"""Say what a device's log tells of its heap."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Json


def log(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="LOG|PORT|-",
            help="A log (.zst too), a serial port (COM3, /dev/ttyUSB0), or -: standard input.",
        ),
    ],
    need: Annotated[
        list[str] | None,
        typer.Option(
            "--need",
            metavar="BYTES[:CAPS]",
            help="Ask whether one block of this size would have fitted in the last state of the "
            "log, from malloc or with capabilities (16717, 4KB:DMA). May be repeated.",
        ),
    ] = None,
    figure: Annotated[
        list[str] | None,
        typer.Option(
            "--figure",
            metavar="PATTERN",
            help="Lines of the program's own: a regular expression whose groups are numbers, each "
            r"named by the words before it: 'free=(\d+) largest=(\d+)'. May be repeated.",
        ),
    ] = None,
    requests: Annotated[
        str,
        typer.Option(
            metavar="LIST",
            help="Make requests one after the other in the last state of the log, and say what "
            'they leave: "35000*7, 4096:DMA".',
        ),
    ] = "",
    chip: Annotated[
        str | None, typer.Option(metavar="NAME", help="The chip, where the log does not tell it.")
    ] = None,
    idf: Annotated[
        str | None,
        typer.Option(metavar="VERSION", help="The version of ESP-IDF, where it does not tell it."),
    ] = None,
    poisoning: Annotated[
        str | None,
        typer.Option(
            metavar="P", help="The heap's poisoning, where it is known: none, light, comprehensive."
        ),
    ] = None,
    baud: Annotated[
        int, typer.Option(metavar="N", min=1, help="Bits a second of a serial port.")
    ] = 115_200,  # as ESP-IDF's console has it
    json: Json = None,
) -> None:
    """Say what a device's log tells of its heap: one sentence first, then what it rests on.

    It reads boot lines, heap summaries, figures in any words, failed requests, errors of TLS and
    Wi-Fi, overwritten heaps, heap traces, tables of tasks and dumps, of ESP-IDF, Arduino, ESPHome,
    Tasmota, MicroPython, NuttX, Zephyr and more, behind any prefix. A pipe or a port is followed:
    a failed request, a new start, a new minimum and damage are reported at once, and the answer
    comes at its end or with Ctrl-C.

    \b
    Examples:
      heapscope log device.log
      heapscope log device.log --need 16717
      heapscope log device.log --requests "35000*7, 4096:DMA"
      idf.py monitor | heapscope log -
      heapscope log /dev/ttyUSB0
    """
    from heapscope.cli.answer import give
    from heapscope.cli.happenings import told_at_once
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.log import log as answer

    with told_at_once(source, json) as follow, progress_bar() as progress:
        found = answer(
            source,
            need=need or (),
            figure=figure or (),
            requests=requests,
            chip=chip,
            idf=idf,
            poisoning=poisoning,
            baud=baud,
            on_happening=follow.say,
            stop=follow.stop,
            progress=progress,
        )
    give(found, json, inputs=(source,))
