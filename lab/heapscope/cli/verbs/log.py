"""Say what a device's log tells of its heap."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.option import Option
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests
from heapscope.cli.verbs.options import (
    Chip,
    Elf,
    Idf,
    Needs,
    Poisoning,
)

if TYPE_CHECKING:
    from heapscope.logs.answer.log_result import LogResult
    from heapscope.logs.reader.facts import OnHappening


_NEEDS_MAX = 1000  # each is tried by itself
#: Files whose first bytes no noise on a serial line has.
_OTHERS = ("an ELF program", "a zip archive")


def log(
    source: Annotated[
        str | Path,
        Option(
            "LOG|PORT|-",
            "A log (compressed too), a serial port (COM3, serial:/dev/ttyUSB0@921600; 115200 bits "
            "a second where none are given), or -: standard input.",
        ),
    ],
    *,
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
) -> LogResult:
    """Say what a device's log tells of its heap: one sentence first, then what it rests on.

    It reads boot lines, heap summaries, figures in any words, failed requests, errors of TLS and
    Wi-Fi, overwritten heaps, heap traces, tables of tasks and dumps, of ESP-IDF, Arduino, ESPHome,
    Tasmota, MicroPython, NuttX, Zephyr and more, behind any prefix. A pipe or a port is followed:
    a failed request, a new start, a new minimum and damage are reported at once, and the answer
    comes at its end or with Ctrl-C.

    --need is about the last state of the log. --chip, --idf and --poisoning say what it does not
    tell, and --elf names the functions behind addresses in code.

    Examples:
      heapscope log device.log
      heapscope log device.log --need 16717
      heapscope log device.log --requests "35000*7, 4096:DMA"
      idf.py monitor | heapscope log -
      heapscope log /dev/ttyUSB0
    """
    from heapscope.logs.answer.answered import answered
    from heapscope.logs.heaps.held_heaps import is_image
    from heapscope.logs.heaps.image_log import read_image
    from heapscope.logs.heaps.state_allocators import POISONINGS
    from heapscope.logs.reader.addresses import Addresses
    from heapscope.logs.reader.facts import read_log
    from heapscope.logs.reader.incoming import Incoming, is_stream
    from heapscope.logs.reader.reading import LogReading
    from heapscope.logs.reader.requests import parse_series
    from heapscope.logs.reader.words_file import read_words
    from heapscope.trace.sniff import KeptHead
    from heapscope.trace.source import open_blocks

    if poisoning is not None:
        known(poisoning, POISONINGS, noun="poisoning")
    names = Addresses(elf)
    needs = parse_requests(need, most=_NEEDS_MAX)
    series = parse_series(requests) if requests else ()
    own = () if words is None else read_words(words)
    reading = LogReading()
    notes: tuple[str, ...] = ()
    begin = b""
    if is_stream(source):
        with Incoming(source, stop=stop) as incoming:
            lines = read_log(
                incoming,
                reading,
                patterns=figure,
                words=own,
                boot=boot,
                on_happening=on_happening,
            )
            name = incoming.name
    elif is_image(str(source)):
        name, lines = read_image(str(source), reading, idf=idf or "")
    else:
        with open_blocks(source, progress=phase(progress, "reading")) as blocks:
            head = KeptHead(blocks)
            lines = read_log(head, reading, patterns=figure, words=own, boot=boot)
            name = blocks.name
        begin = head.kept
        _check_kind(begin, name)
        notes = () if blocks.loss is None else (blocks.loss.sentence(),)
    return answered(
        reading,
        file=name,
        lines=lines,
        needs=needs,
        requests=series,
        chip=chip,
        idf=idf,
        poisoning=poisoning,
        notes=notes,
        names=names,
        head=begin,
    )


def _check_kind(head: bytes, name: str) -> None:
    """InputError for a file that is known to be something else than a log."""
    from heapscope.trace.sniff import check_no_trace, looks_like

    remedy = "give a device's log"
    check_no_trace(head, name=name, wanted="a log", remedy=remedy)
    what, use = looks_like(head)
    if what.removeprefix("looks like ") in _OTHERS:
        raise InputError(f"{name}: not a log: it {what}", remedy=f"{use.split(':')[0]}; {remedy}")
