"""Logs whose newest line is the first one, as a log server or a table sorts them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from heapscope.logs.answer.heap_series import main_figure
from heapscope.logs.reader.figures import LoggedFigure, LoggedFigures

_LEAST = 5  # steps back
_MOSTLY = 0.9  # of the steps
NOTE = (
    "The times of the lines fall, so the log is read from its last line to its first, and its "
    "lines are counted in that order."
)


def is_newest_first(figures: LoggedFigures) -> bool:
    """Whether the times of a figure fall at nearly every step, by each clock of its lines."""
    return any(
        _falls(figures.series[memory, name].points)
        for memory in figures.memories()
        if (name := main_figure(figures, memory))
    )


def _falls(points: list[LoggedFigure]) -> bool:
    falls = []
    for clock in ("time", "uptime", "clock"):
        times = [time for one in points if (time := getattr(one, clock)) is not None]
        steps = [after - before for before, after in pairwise(times) if after != before]
        down = sum(step < 0 for step in steps)
        if len(steps) >= _LEAST:
            falls.append(down >= _MOSTLY * len(steps))
    return bool(falls) and all(falls)


def oldest_first(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """The lines from the last to the first; a heading, which has no digit, stays the first."""
    first, *lines = b"".join(pieces).splitlines() or [b""]
    heading = not any(char in b"0123456789" for char in first)
    if heading:
        yield first + b"\n"
    for line in reversed(lines):
        yield line + b"\n"
    if not heading:
        yield first + b"\n"
