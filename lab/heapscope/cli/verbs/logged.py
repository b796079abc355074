"""One log, read for its answer; or the logs of many devices."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.base.choices import known
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Needed, parse_requests
from heapscope.base.wording import plural

if TYPE_CHECKING:
    from heapscope.fleet.devices.device import FleetDevice
    from heapscope.fleet.devices.files import DeviceFiles
    from heapscope.fleet.devices.fleet_result import FleetResult
    from heapscope.fleet.devices.tabled import FleetTable
    from heapscope.logs.answer.log_result import LogResult
    from heapscope.logs.reader.facts import OnHappening
    from heapscope.logs.reader.figures import LoggedFigures
    from heapscope.logs.reader.reading import LogReading

_NEEDS_MAX = 1000  # each is tried by itself
#: Files whose first bytes no noise on a serial line has.
_OTHERS = ("an ELF program", "a zip archive")
#: Options that are about the last state of one log.
_OF_ONE = ("requests", "boot", "poisoning", "elf")


@dataclass(frozen=True, kw_only=True)
class LogOptions:
    """The options of `log`, as the user gives them."""

    need: Needed = ()
    figure: Sequence[str] = ()
    words: str | Path | None = None
    requests: str = ""
    boot: int | None = None
    chip: str | None = None
    idf: str | None = None
    poisoning: str | None = None
    elf: str | Path | None = None

    def read(
        self, pieces: Iterable[bytes], reading: LogReading, on: OnHappening | None = None
    ) -> int:
        """How many lines it has."""
        from heapscope.logs.reader.facts import read_log
        from heapscope.logs.reader.words_file import read_words

        return read_log(
            pieces,
            reading,
            patterns=self.figure,
            words=() if self.words is None else read_words(self.words),
            boot=self.boot,
            on_happening=on,
        )


def one_log(
    source: str | Path | DeviceFiles,
    options: LogOptions,
    *,
    on_happening: OnHappening | None = None,
    stop: Callable[[], bool] | None = None,
    progress: OnProgress | None = None,
) -> LogResult:
    """A file, the parts of one log in their order, a port or standard input. InputError as of
    `log`."""
    from heapscope.logs.answer.answered import answered
    from heapscope.logs.answer.newest_first import NOTE, is_newest_first, oldest_first
    from heapscope.logs.answer.unnamed import one_a_line, unnamed
    from heapscope.logs.heaps.held_heaps import is_image
    from heapscope.logs.heaps.image_log import read_image
    from heapscope.logs.heaps.state_allocators import POISONINGS
    from heapscope.logs.reader.addresses import Addresses
    from heapscope.logs.reader.form import form_of
    from heapscope.logs.reader.incoming import Incoming, is_stream
    from heapscope.logs.reader.reading import LogReading
    from heapscope.logs.reader.requests import parse_series

    if options.poisoning is not None:
        known(options.poisoning, POISONINGS, noun="poisoning")
    names = Addresses(options.elf)
    needs = parse_requests(options.need, most=_NEEDS_MAX)
    series = parse_series(options.requests) if options.requests else ()
    reading = LogReading()
    notes: tuple[str, ...] = ()
    begin = b""
    condition = ""
    devices: dict[str, LoggedFigures] = {}
    if not isinstance(source, str | Path):
        lines, name = options.read(_parts(source), reading), _name_of(source)
        notes = (_joined(source),)
    elif is_stream(source):
        with Incoming(source, stop=stop) as incoming:
            lines = options.read(incoming, reading, on_happening)
            name = incoming.name
    elif is_image(str(source)):
        name, lines = read_image(str(source), reading, idf=options.idf or "")
    else:
        lines, name, begin, notes = _from_file(source, options, reading, progress)
        bare = None if options.figure or form_of(reading) else unnamed(begin)
        if bare is not None:
            options = replace(options, figure=(bare.pattern,))
            reading, condition = LogReading(), bare.sentence
            _read_again(source, options, reading, one_a_line if bare.in_rows else iter)
        turned = is_newest_first(reading.figures)
        if turned:
            reading, notes = LogReading(), (*notes, NOTE)
            lines = _read_again(source, options, reading, oldest_first)
        devices = _divided(source, options, reading, turned=turned)
    return answered(
        reading,
        file=name,
        lines=lines,
        needs=needs,
        requests=series,
        chip=options.chip,
        idf=options.idf,
        poisoning=options.poisoning,
        notes=notes,
        names=names,
        head=begin,
        condition=condition,
        devices=devices,
    )


def _from_file(
    source: str | Path, options: LogOptions, reading: LogReading, progress: OnProgress | None
) -> tuple[int, str, bytes, tuple[str, ...]]:
    """Its lines, its name, its first bytes, and remarks."""
    from heapscope.trace.sniff import KeptHead
    from heapscope.trace.source import open_blocks

    with open_blocks(source, progress=phase(progress, "reading")) as blocks:
        head = KeptHead(blocks)
        lines = options.read(head, reading)
    _check_kind(head.kept, blocks.name)
    notes = () if blocks.loss is None else (blocks.loss.sentence(),)
    return lines, blocks.name, head.kept, notes


def _read_again(
    source: str | Path,
    options: LogOptions,
    reading: LogReading,
    changed: Callable[[Iterable[bytes]], Iterator[bytes]],
) -> int:
    """Its lines, as they are changed."""
    from heapscope.trace.source import open_blocks

    with open_blocks(source) as blocks:
        return options.read(changed(blocks), reading)


def _divided(
    source: str | Path, options: LogOptions, reading: LogReading, *, turned: bool
) -> dict[str, LoggedFigures]:
    """The figures of each of several devices, whose names the first pass found; empty: one device,
    or no names."""
    from heapscope.logs.answer.newest_first import oldest_first
    from heapscope.logs.reader.divided import DividedReading

    mixture = reading.mixture
    if mixture is None or not mixture.names:
        return {}
    divided = DividedReading(mixture.names)
    _read_again(source, options, divided, oldest_first if turned else iter)
    return divided.parts


def _parts(held: DeviceFiles) -> Iterator[bytes]:
    from heapscope.fleet.devices.logged import joined

    return joined(held)


def _name_of(held: DeviceFiles) -> str:
    return printable(" ".join(str(file) for file in held.files), limit=400)


def _joined(held: DeviceFiles) -> str:
    first, last = (printable(held.files[at].name, limit=100) for at in (0, -1))
    return f"{plural(len(held.files), 'file')} are read as one log, from {first} to {last}."


def _check_kind(head: bytes, name: str) -> None:
    """InputError for a file that is known to be something else than a log."""
    from heapscope.trace.sniff import check_no_trace, looks_like

    remedy = "give a device's log"
    check_no_trace(head, name=name, wanted="a log", remedy=remedy)
    what, use = looks_like(head)
    if what.removeprefix("looks like ") in _OTHERS:
        raise InputError(f"{name}: not a log: it {what}", remedy=f"{use.split(':')[0]}; {remedy}")


# ---- many devices --------------------------------------------------------------------------------


def fleet_of(sources: Sequence[str | Path]) -> list[DeviceFiles] | FleetTable | None:
    """The devices whose files the sources name, or the table that has them; None: one source that
    is a log. InputError: one of them names nothing."""
    from heapscope.fleet.devices.files import by_device, listed
    from heapscope.fleet.devices.tabled import fleet_table
    from heapscope.logs.reader.incoming import is_stream

    names = [str(source) for source in sources]
    streams = [name for name in names if is_stream(name)]
    if len(names) == 1 and (streams or not (Path(names[0]).is_dir() or "*" in names[0])):
        is_file = not streams and Path(names[0]).is_file()
        return fleet_table([Path(names[0])]) if is_file else None
    if streams:
        raise InputError(
            f"{printable(streams[0])}: comes over time, beside other logs",
            remedy="give it alone, or save it to a file first",
        )
    files = listed(names)
    return fleet_table(files) or by_device(files)


def many_logs(
    sources: Sequence[str | Path],
    fleet: Sequence[DeviceFiles] | FleetTable,
    options: LogOptions,
    *,
    progress: OnProgress | None = None,
) -> FleetResult:
    """InputError: an option is about one log alone, or no file tells a figure of a heap."""
    from heapscope.fleet.devices.answer import fleet_answer
    from heapscope.fleet.devices.tabled import FleetTable, tabled_devices

    given = [name for name in _OF_ONE if getattr(options, name) is not None]
    given = [name for name in given if getattr(options, name) != ""]
    if given:
        raise InputError(
            f"--{given[0]} is about one log, and these are of many devices",
            remedy="give the log of one device",
        )
    needs = parse_requests(options.need)
    source = printable(" ".join(map(str, sources)), limit=400)
    if isinstance(fleet, FleetTable):
        devices, lines, remark = tabled_devices(fleet, needs)
        notes = tuple(filter(None, (remark,)))
        return fleet_answer(devices, source=source, lines=lines, needs=needs, notes=notes)
    devices, lines, without = _read_all(fleet, options, progress)
    if not devices:
        raise InputError(
            f"{source}: no line of {plural(lines, 'line')} tells of a heap",
            remedy="heapscope log FILE says of one of them what its lines are",
        )
    return fleet_answer(devices, source=source, lines=lines, needs=needs, without=without)


def _read_all(
    fleet: Sequence[DeviceFiles], options: LogOptions, progress: OnProgress | None
) -> tuple[list[FleetDevice], int, list[str]]:
    """The devices, their lines, and the names of those without figures."""
    from heapscope.fleet.devices.logged import logged_device

    needs = parse_requests(options.need)
    step = phase(progress, "reading", parts=True)
    devices, without, lines = [], [], 0
    for at, held in enumerate(fleet):
        step(at, len(fleet))
        result = logged_device(held, needs, options.read)
        lines += result.lines
        if result.device is None:
            without.append(printable(held.name))
        else:
            devices.append(replace(result.device, chip=result.device.chip or options.chip or ""))
    if not any(one.build for one in devices):
        folders = dict(zip([printable(one.name) for one in fleet], fleet, strict=True))
        tops = [folders[one.name].folder.partition("/")[0] for one in devices]
        if 1 < len(set(tops)) < len(tops):
            devices = [
                replace(one, build=printable(top)) for one, top in zip(devices, tops, strict=True)
            ]
    return devices, lines, without
