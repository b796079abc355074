"""Looks up when events of a trace happened."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from pathlib import Path
from typing import Any

from heapscope.native.live import ask_times, times
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.clock import Clock, events_named
from heapscope.trace.feed import read_trace
from heapscope.trace.metadata import CLOCK_HZ, number

_CLOCK = 1 << 1  # HS_TRACE_CLOCK


def clock_rate(reader: NativeReader) -> int | None:
    """Ticks a second, of a finished reader; None: the trace has no clock that separates its
    events, or does not tell."""
    if not reader.health().features & _CLOCK or not reader.census().by_time:
        return None
    return number(reader.metadata(), CLOCK_HZ) or None


def read_clock(
    path: str | Path, events: Iterable[int], *, hz: int, first_time: int, last_time: int
) -> Clock | None:
    """Decodes the trace once more. None: the file can be read only once, as a pipe."""
    if not Path(path).is_file():
        return None
    wanted = sorted(set(events))
    with NativeReader() as reader:
        ask_times(reader, wanted)
        read_trace(path, reader)
        pairs = [pair for pair in zip(wanted, times(reader), strict=True) if pair[1] != NEVER]
    return Clock(
        hz=hz,
        first_time=first_time,
        last_time=last_time,
        events=tuple(event for event, _ in pairs),
        times=tuple(time for _, time in pairs),
    )


def clocked(
    result: ReplayResult, path: str | Path, hz: int | None, *more: tuple[Any, ...]
) -> ReplayResult:
    """The result with the times of all events that its rows, and `more` rows, name. Marks carry
    their own times. `hz`: clock_rate()."""
    if hz is None:
        return result
    census = result.census
    clock = read_clock(
        path,
        events_named((replace(result, marks=()), *more)),
        hz=hz,
        first_time=census.first_time,
        last_time=census.last_time,
    )
    return replace(result, clock=clock)
