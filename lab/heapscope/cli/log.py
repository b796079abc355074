"""Say what a device's log tells of its heap."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from heapscope.cli.shared import Chip, Idf, Json, Needs, Poisoning


def log(
    source: Annotated[
        Path,
        typer.Argument(
            metavar="LOG|PORT|-",
            help="A log (.zst too), a serial port (COM3, serial:/dev/ttyUSB0@921600; 115200 bits a "
            "second where none are given), or -: standard input.",
        ),
    ],
    need: Needs = None,
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
    boot: Annotated[
        int | None,
        typer.Option(metavar="N", min=1, help="Take the lines of this start of the program alone."),
    ] = None,
    chip: Chip = None,
    idf: Idf = None,
    poisoning: Poisoning = None,
    elf: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Name the functions behind addresses in code by this ELF."
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

    --need is about the last state of the log. --chip, --idf and --poisoning say what it does not
    tell.

    \b
    Examples:
      heapscope log device.log
      heapscope log device.log --need 16717
      heapscope log device.log --requests "35000*7, 4096:DMA"
      idf.py monitor | heapscope log -
      heapscope log /dev/ttyUSB0
    """
    from heapscope.cli.answer import give
    from heapscope.cli.happenings import report_at_once
    from heapscope.cli.progress import progress_bar
    from heapscope.cli.verbs.log import log as answer

    with report_at_once(source, json) as follow, progress_bar() as progress:
        result = answer(
            source,
            need=need or (),
            figure=figure or (),
            requests=requests,
            boot=boot,
            chip=chip,
            idf=idf,
            poisoning=poisoning,
            elf=elf,
            on_happening=follow.say,
            stop=follow.stop,
            progress=progress,
        )
    give(result, json, inputs=(source,))
