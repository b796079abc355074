"""Say what a device's log tells of its heap."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress
from heapscope.cli.verbs.options import (
    Chip,
    Elf,
    Idf,
    Needs,
    Poisoning,
)

if TYPE_CHECKING:
    from heapscope.fleet.devices.fleet_result import FleetResult
    from heapscope.logs.answer.log_result import LogResult
    from heapscope.logs.reader.facts import OnHappening


def _files_of(source: str | Path) -> Iterable[Path]:
    return [Path(source)] if Path(source).is_file() else []


def log(
    *sources: Annotated[
        str | Path,
        Option(
            "LOG|PORT|FOLDER|-",
            "A log (compressed too), a serial port (COM3, serial:/dev/ttyUSB0@921600; 115200 bits "
            "a second where none are given), or -: standard input. Several logs or a folder: those "
            "of one device are joined, those of many are held against each other.",
            reads=_files_of,
        ),
    ],
    need: Needs = (),
    figure: Annotated[
        Sequence[str],
        Option(
            "PATTERN",
            "Lines of the program's own: a regular expression whose groups are numbers, each "
            r"named by the words before it: 'free=(\d+) largest=(\d+)'. May be repeated.",
        ),
    ] = (),
    words: Annotated[
        str | Path | None,
        Option(
            "FILE",
            "Words of the program's own, one a line with its meaning: 'mfb = largest block', "
            "'fh_int = free internal', 'blk = 16 bytes'.",
        ),
    ] = None,
    requests: Annotated[
        str,
        Option(
            "LIST",
            "Make requests one after the other in the last state of the log, and say what "
            'they leave: "35000*7, 4096:DMA".',
        ),
    ] = "",
    boot: Annotated[
        int | None, Option("N", "Take the lines of this start of the program alone.", least=1)
    ] = None,
    chip: Chip = None,
    idf: Idf = None,
    poisoning: Poisoning = None,
    elf: Elf = None,
    on_happening: OnHappening | None = None,
    stop: Callable[[], bool] | None = None,
    progress: OnProgress | None = None,
) -> LogResult | FleetResult:
    """Say what a device's log tells of its heap: one sentence first, then what it rests on.

    It reads boot lines, heap summaries, figures in any words, failed requests, errors of TLS and
    Wi-Fi, overwritten heaps, heap traces, tables of tasks and dumps, of ESP-IDF, Arduino, ESPHome,
    Tasmota, MicroPython, NuttX, Zephyr and more, behind any prefix. A pipe or a port is followed:
    a failed request, a new start, a new minimum and damage are reported at once, and the answer
    comes at its end or with Ctrl-C.

    The logs of many devices, or a table (CSV, JSON lines, Parquet) with a device column, are
    answered by build and chip: until when each --need fitted, which build is worse than the
    others and by how much, and the ten devices to look at. Rotated files of one device are one log.

    --need is about the last state of the log. --chip, --idf and --poisoning say what it does not
    tell, and --elf names the functions behind addresses in code.

    Examples:
      heapscope log device.log
      heapscope log device.log --need 16717
      heapscope log device.log --requests "35000*7, 4096:DMA"
      idf.py monitor | heapscope log -
      heapscope log /dev/ttyUSB0
      heapscope log device.log.2.gz device.log.1 device.log
      heapscope log logs --need 16717
      heapscope log fleet.csv --need 16717
    """
    from heapscope.cli.verbs.logged import LogOptions, fleet_of, many_logs, one_log

    if not sources:
        raise InputError("no log", remedy="name a log, a port or a folder of logs")
    options = LogOptions(
        need=need,
        figure=figure,
        words=words,
        requests=requests,
        boot=boot,
        chip=chip,
        idf=idf,
        poisoning=poisoning,
        elf=elf,
    )
    fleet = fleet_of(sources)
    if fleet is not None and not (isinstance(fleet, list) and len(fleet) == 1):
        return many_logs(sources, fleet, options, progress=progress)
    one = sources[0] if fleet is None else fleet[0]
    if isinstance(fleet, list) and len(fleet[0].files) == 1:
        one = fleet[0].files[0]
    return one_log(one, options, on_happening=on_happening, stop=stop, progress=progress)
