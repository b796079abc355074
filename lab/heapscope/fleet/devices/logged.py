"""Devices from their logs."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack
from dataclasses import dataclass

import numpy as np

from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.fleet.devices.device import FleetDevice
from heapscope.fleet.devices.files import DeviceFiles
from heapscope.logs.answer.heap_series import course_of, main_figure
from heapscope.logs.answer.newest_first import is_newest_first, oldest_first
from heapscope.logs.answer.trend import Trend, trend_of, trends
from heapscope.logs.heaps.memory_fit import memories_of
from heapscope.logs.reader.figures import LoggedFigures
from heapscope.logs.reader.reading import LogReading
from heapscope.trace.source import open_blocks

#: Reads the pieces of a log into a reading, with what the user says of its lines; how many it has.
ReadLog = Callable[[Iterator[bytes], LogReading], int]


@dataclass(frozen=True, kw_only=True)
class LoggedDevice:
    """`device`: None where its lines tell no figure of a heap."""

    lines: int
    device: FleetDevice | None


def logged_device(held: DeviceFiles, needs: Sequence[Request], read: ReadLog) -> LoggedDevice:
    """InputError: a file cannot be read."""
    reading = LogReading()
    lines = read(joined(held), reading)
    if is_newest_first(reading.figures):
        reading = LogReading()
        read(oldest_first(joined(held)), reading)
    return LoggedDevice(lines=lines, device=device_of_reading(held, reading, needs))


def joined(held: DeviceFiles) -> Iterator[bytes]:
    """The bytes of its files one after the other, each ending with a whole line."""
    for file in held.files:
        with ExitStack() as stack:
            last = b"\n"
            for piece in stack.enter_context(open_blocks(file)):
                yield piece
                last = piece[-1:] or last
            if last != b"\n":
                yield b"\n"


def device_of_reading(
    held: DeviceFiles, reading: LogReading, needs: Sequence[Request]
) -> FleetDevice | None:
    figures = reading.figures
    memory = _memory(figures, needs)
    if not memory:
        return None
    name = main_figure(figures, memory)
    course = course_of(figures, memory, name)
    judged = trends(figures, reading.failures.by_start)
    failures, fits = _needs(reading, judged, needs)
    usual = {
        one: float(np.median([point.value for point in figures.series[memory, one].points]))
        for one in ("free", "largest")
        if (memory, one) in figures.series
    }
    last = figures.last(memory, "largest" if "largest" in usual else name) or 0
    mine = next((one for one in judged if one.memory == memory), None)
    project = reading.boots.reported("project")
    app = reading.boots.reported("app")
    return FleetDevice(
        name=printable(held.name),
        build=printable(" ".join(filter(None, (project, app)))),
        chip=reading.boots.reported("chip"),
        samples=figures.series[memory, name].count,
        seconds=float(course.seconds[-1]),
        has_time=course.has_time,
        free=usual.get("free"),
        largest=usual.get("largest"),
        last=float(last),
        failures=failures,
        fits=fits,
        judged=None if mine is None else mine.judged,
    )


def _memory(figures: LoggedFigures, needs: Sequence[Request]) -> str:
    """That which the first need asks for, of those that have figures."""
    known = [name for name in figures.memories() if main_figure(figures, name)]
    wanted = memories_of(needs[0]) if needs else ()
    return next((name for name in wanted if name in known), known[0] if known else "")


def _needs(
    reading: LogReading, judged: Sequence[Trend], needs: Sequence[Request]
) -> tuple[tuple[float | None, ...], tuple[bool, ...]]:
    """When each first did not fit, by the figures and by the requests that failed; and whether it
    fits at the end."""
    figures = reading.figures
    failed: list[float | None] = []
    fits: list[bool] = []
    for need in needs:
        trend = trend_of(judged, need)
        memory = _memory(figures, [need]) if trend is None else trend.memory
        name = "largest" if (memory, "largest") in figures.series else main_figure(figures, memory)
        course = course_of(figures, memory, name)
        short = np.flatnonzero(course.levels < need.size)
        refused = [
            one.first
            for one in reading.failures.listed()
            if one.memory and one.size and one.size <= need.size
        ]
        before = [int(np.searchsorted(course.lines, line)) for line in refused]
        first = min([*short[:1].tolist(), *before], default=None)
        at = None if first is None else float(course.seconds[min(first, len(course.lines) - 1)])
        failed.append(at)
        fits.append((figures.last(memory, name) or 0) >= need.size)
    return tuple(failed), tuple(fits)
