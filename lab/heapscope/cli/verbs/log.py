"""A device's log, answered."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import parse_requests
from heapscope.logs.answer.answered import answered
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.heaps.state_allocators import POISONINGS
from heapscope.logs.reader.addresses import Addresses
from heapscope.logs.reader.facts import OnHappening, read_log
from heapscope.logs.reader.incoming import Incoming, is_stream
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.requests import parse_series
from heapscope.trace.sniff import KeptHead, check_no_trace, looks_like
from heapscope.trace.source import open_blocks

#: Files whose first bytes no noise on a serial line has.
_OTHERS = ("an ELF program", "a gzip file", "an xz file", "a zip archive")


def log(
    source: str | Path,
    *,
    need: Sequence[int | str] = (),
    figure: Sequence[str] = (),
    requests: str = "",
    boot: int | None = None,
    chip: str | None = None,
    idf: str | None = None,
    poisoning: str | None = None,
    elf: str | Path | None = None,
    on_happening: OnHappening | None = None,
    stop: Callable[[], bool] | None = None,
    progress: OnProgress | None = None,
) -> LogResult:
    r"""Says what a device's log tells of its heap.

    `source`: a file (.zst too), a pipe, a serial port ("COM3", "serial:/dev/ttyUSB0@921600"),
    or "-" for standard input. `need`: requests to ask about, each by itself, in bytes, perhaps with
    capabilities ("16717", "4KB:DMA"). `requests`: such that follow each other: "35000*7, 4096:DMA".
    `figure`: regular expressions for lines of the program's own, each group a number that is named
    by the words before it ("free=(\d+) largest=(\d+)"). `boot`: the start of the program that is
    asked about, from 1, instead of the whole log. `chip`, `idf`, `poisoning` ("none",
    "light", "comprehensive"): what the log does not tell. `elf`: the
    program, which names the functions behind addresses.
    A stream is followed to its end, or until `stop` says True; `on_happening` hears at once what
    happens in it. InputError: it cannot be read, or it tells no state for `requests`.
    """
    if poisoning is not None:
        known(poisoning, POISONINGS, noun="poisoning")
    names = Addresses(elf)
    needs = parse_requests(need)
    series = parse_series(requests) if requests else ()
    reading = LogReading()
    notes: tuple[str, ...] = ()
    if is_stream(source):
        with Incoming(source, stop=stop) as incoming:
            lines = read_log(
                incoming, reading, patterns=figure, boot=boot, on_happening=on_happening
            )
            name = incoming.name
    else:
        with open_blocks(source, progress=phase(progress, "reading")) as blocks:
            head = KeptHead(blocks)
            lines = read_log(head, reading, patterns=figure, boot=boot)
            name = blocks.name
        _check_kind(head.kept, name)
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
    )


def _check_kind(head: bytes, name: str) -> None:
    """InputError for a file that is known to be something else than a log."""
    remedy = "give a device's log"
    check_no_trace(head, name=name, wanted="a log", remedy=remedy)
    what, use = looks_like(head)
    if what.removeprefix("looks like ") in _OTHERS:
        raise InputError(f"{name}: not a log: it {what}", remedy=f"{use.split(':')[0]}; {remedy}")
