"""A device's log: the answer of `log`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from heapscope.base.interrupt import scratch_folder
from heapscope.base.wording import plural
from heapscope.cli.things.of_others import answer_of_rest
from heapscope.cli.things.pieces import ThingOptions, command, counted, in_bytes
from heapscope.cli.verbs.logged import LogOptions, fleet_of, many_logs, one_log
from heapscope.fleet.devices.fleet_result import FleetResult
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.answer.sentences import fit_sentence
from heapscope.trace.source import open_blocks
from heapscope.trace.things.answer import NextCommand, ThingAnswer, ThingFigure
from heapscope.trace.things.thing import Thing

#: The figures of a log, the weightiest first: the name in the answer, and the one for people.
_FIGURES = (
    ("free", "free"),
    ("largest", "largest free block"),
    ("min", "minimum free"),
    ("free_internal", "free internal"),
    ("psram_free", "free PSRAM"),
    ("gc_free", "free for Python"),
    ("used", "used"),
    ("total", "total"),
    ("leaked_bytes", "leaked by a heap trace"),
    ("boot_bytes", "heap at the start"),
    ("psram_bytes", "PSRAM at the start"),
)
_SHOWN = 3
_NOTHING = "No line of it tells a state of the heap."


def answer_of_log(thing: Thing, requested: ThingOptions) -> ThingAnswer:
    """InputError: it cannot be read."""
    fleet = fleet_of([thing.name]) if thing.path.is_file() else None
    if fleet is not None:
        return _of_fleet(thing, many_logs([thing.name], fleet, LogOptions(need=requested.need)))
    result = _matches(thing, requested)
    if thing.kind.doubtful and result.answer.declines is not None:
        return answer_of_rest(thing, requested)
    requests = [fit_sentence(fit) for fit in result.needs]
    return ThingAnswer(
        thing=thing.shown,
        kind="log",
        what=", ".join(_what(result)),
        answer=[*requests, *result.verdict, _NOTHING][0],
        figures=tuple(_figures(result))[:_SHOWN],
        next=tuple(_next(thing, result, requested))[:2],
        notes=(*requests[1:], *result.contradictions[:1], *result.assumed[:1]),
    )


def _of_fleet(thing: Thing, result: FleetResult) -> ThingAnswer:
    dying = sum(row.dying for row in result.groups)
    return ThingAnswer(
        thing=thing.shown,
        kind="log",
        what=f"figures of {plural(result.devices, 'device')}, {plural(result.lines, 'row')}",
        answer=result.verdict[0],
        figures=(
            counted("devices", result.devices),
            counted("devices that die", dying),
            counted("devices on which a need failed", sum(row.failed for row in result.groups)),
        ),
        next=(command("log", thing.name, why="by build and chip, and the devices to look at"),),
        notes=result.verdict[1:2],
    )


def _matches(thing: Thing, requested: ThingOptions) -> LogResult:
    """A pipe whose end was seen is answered by a copy: `log` would wait for more of it."""
    options = LogOptions(need=requested.need, chip=requested.chip, idf=requested.idf)
    if thing.path.is_file():
        return one_log(thing.name, options)
    with scratch_folder() as folder:
        copy = Path(folder) / "log"
        with open_blocks(thing.name) as blocks, copy.open("wb") as file:
            file.writelines(blocks)
        result = one_log(copy, options)
    named = (thing.name if word == str(copy) else word for word in result.next)
    return replace(result, next=tuple(named))


def _what(log_result: LogResult) -> Iterator[str]:
    yield f"a log of {log_result.chip}" if log_result.chip else "a device's log, chip unknown"
    if log_result.idf:
        yield f"ESP-IDF {log_result.idf}"
    if log_result.framework:
        yield log_result.framework
    yield plural(log_result.lines, "line")


def _figures(log_result: LogResult) -> Iterator[ThingFigure]:
    sizes = [one.size for one in log_result.answer.failed if one.size and one.memory]
    if sizes:
        yield in_bytes("largest failed request", max(sizes))
    elif log_result.answer.failed:
        yield counted("failed requests", sum(one.count for one in log_result.answer.failed))
    for name, shown in _FIGURES:
        value = getattr(log_result.answer, name)
        if value is not None:
            yield in_bytes(shown, value)


def _next(thing: Thing, log_result: LogResult, requested: ThingOptions) -> Iterator[NextCommand]:
    yield command(
        "log", thing.name, *requested.device, why="all that it tells, and the lines it rests on"
    )
    told = "core" in (kind.kind for kind in thing.kinds) and log_result.next[:1] == ("image",)
    if log_result.next and log_result.next != ("log", thing.name) and not told:
        yield command(*log_result.next, why=_WHY.get(log_result.next[0], "the next step"))


_WHY = {
    "log": "would a block of this size still fit?",
    "import": "the heap trace in it, as a trace",
    "image": "the tasks and the heap in its core dump",
    "replay": "a trace on the memory of this device",
}
