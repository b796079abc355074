"""The figures of a log as series: one for each start of the program, of one memory."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.series.envelope import Levels
from heapscope.answers.series.judge import LEAST
from heapscope.answers.series.samples import HeapSeries
from heapscope.logs.reader.figures import FigureSeries, LoggedFigure, LoggedFigures
from heapscope.memory.layout.uptimes import RECENT, LateLines, is_late

_MOSTLY = 0.8  # of all samples
_BESIDE = 12  # lines between two figures of one moment
_DAY, _WRAP = 86_400_000, 1 << 32  # ms
_EPOCH = 1_000_000_000_000  # ms: a time since 1970 is not less
_JUMP = 400 * _DAY  # ms: no log has such a gap
_NAMES = ("free", "largest", "used", "min")  #: that tell a series, the best first

Times = NDArray[np.int64]


def main_figure(figures: LoggedFigures, memory: str) -> str:
    """The figure whose series tells most of the memory; empty: none does."""
    known = (name for name in _NAMES if (memory, name) in figures.series)
    return next(known, "")


@dataclass(frozen=True, kw_only=True, eq=False)
class HeapCourse:
    """One figure over all starts: seconds since its first sample, or its samples where `has_time`
    is false; levels in bytes, as printed; and the lines that tell them (samples,)."""

    seconds: Levels
    levels: Levels
    lines: NDArray[np.int64]
    has_time: bool


def course_of(figures: LoggedFigures, memory: str, name: str) -> HeapCourse:
    """The figure, which the log has. From one start to the next a usual step passes."""
    series = figures.series[memory, name]
    starts = _starts(series.points)
    parts = [_seconds(start, series.step) for start in starts]
    has_time = all(known for seconds, known in parts if len(seconds) > 1)
    if not has_time:
        parts = [(np.arange(len(seconds), dtype=np.float64), False) for seconds, _ in parts]
    steps = np.concatenate([np.diff(seconds) for seconds, _ in parts])
    usual = float(np.median(steps)) if steps.size else 0.0
    whole: list[Levels] = []
    passed = 0.0
    for seconds, _ in parts:
        whole.append(seconds - seconds[0] + passed)
        passed = float(whole[-1][-1]) + usual
    points = [point for start in starts for point in start]
    levels = np.array([point.value for point in points], dtype=np.float64)
    return HeapCourse(
        seconds=np.concatenate(whole),
        levels=_free_of(figures, memory, name, levels),
        lines=np.array([point.line for point in points]),
        has_time=has_time,
    )


def starts_of(
    figures: LoggedFigures, memory: str, failed: Collection[int] = ()
) -> list[tuple[HeapSeries, list[LoggedFigure]]]:
    """The series of each start that has enough samples, in their order, with the points of the main
    figure. `failed`: the starts in which a request failed."""
    name = main_figure(figures, memory)
    if not name:
        return []
    series = figures.series[memory, name]
    results = []
    for start in _starts(series.points):
        points, phases = _in_phases(start)
        if len(points) < LEAST:
            continue
        seconds, has_time = _seconds(points, series.step)
        levels = _levels(figures, memory, name, points)
        largest = _beside(points, figures.series.get((memory, "largest")))
        if name == "free" and largest is not None:
            told = np.isfinite(largest)
            if told.all() or (told.mean() >= _MOSTLY and told.sum() >= LEAST):
                points = [point for point, is_told in zip(points, told, strict=True) if is_told]
                seconds, levels, largest = seconds[told], levels[told], largest[told]
                phases = None if phases is None else phases[told]
            else:
                largest = None
        whole = HeapSeries(
            seconds=seconds,
            free=levels,
            largest=largest if name == "free" else None,
            has_time=has_time,
            lows=name == "min",
            phases=phases,
            failed=points[0].boot in failed,
        )
        results.append((whole, points))
    return results


def _starts(points: Sequence[LoggedFigure]) -> list[list[LoggedFigure]]:
    """Cut where another start begins, by its lines or by a time that goes back; each in the order
    of its times, where some of its lines came late."""
    starts: list[list[LoggedFigure]] = []
    late = LateLines()
    dated: set[tuple[int, int]] = set()
    for point in points:
        if point.time is not None and point.time >= _EPOCH:
            moment = point.time, point.value
            if moment in dated:
                continue  # a part of the log that is there twice
            dated.add(moment)
        last = starts[-1][-1] if starts else None
        same = last is not None and last.boot == point.boot
        if point.time is not None and not (same and late.take(point.time)):
            same = same and not _begins(last.time if last else None, point.time)
            if not same:
                late.begin(point.time)
        if not same:
            starts.append([])
        starts[-1].append(point)
    return [_in_order(start) for start in starts]


def _begins(before: int | None, time: int | None) -> bool:
    """A time since a start that goes back, where no clock of 32 bits begins anew."""
    if before is None or time is None or time >= before or before >= _EPOCH:
        return False
    return before < _WRAP // 2 or time > _WRAP // 4


def _in_order(start: list[LoggedFigure]) -> list[LoggedFigure]:
    """Lines that came late stand where their times say."""
    clock = _clock_of(start)
    if not clock:
        return start
    ordered: list[LoggedFigure] = []
    times: list[int] = []  # of those
    for point in start:
        time = getattr(point, clock)
        at = len(ordered)
        if time is not None and times and time < times[-1] and is_late(times[-RECENT:], time):
            at = bisect_right(times, time, max(at - RECENT, 0))
        ordered.insert(at, point)
        times.insert(at, times[-1] if time is None and times else time or 0)
    return ordered


def _clock_of(points: Sequence[LoggedFigure]) -> str:
    """The line's own words, the device's clock or the monitor's, whichever nearly all points have;
    empty: none."""
    for clock in ("time", "uptime", "clock"):
        known = sum(getattr(point, clock) is not None for point in points)
        if known >= _MOSTLY * len(points):
            return clock
    return ""


def _in_phases(start: list[LoggedFigure]) -> tuple[list[LoggedFigure], Levels | None]:
    """The points by the words of their lines, where nearly all lines have words that come often and
    take turns: those points, and which of a round each is."""
    kinds: dict[str, int] = {}
    for point in start:
        kinds[point.words] = kinds.get(point.words, 0) + 1
    often = [words for words, count in kinds.items() if count >= LEAST]
    turns = sum(one.words != other.words for one, other in pairwise(start))
    whole = sum(kinds[words] for words in often) >= _MOSTLY * len(start)
    if len(often) < 2 or not whole or 2 * turns < len(start):
        return start, None
    number = {words: float(at) for at, words in enumerate(often)}
    points = [point for point in start if point.words in number]
    return points, np.array([number[point.words] for point in points])


def _seconds(points: Sequence[LoggedFigure], step: int) -> tuple[Levels, bool]:
    """The times; where no clock goes on, the numbers of their lines, and False."""
    clock = _clock_of(points)
    if clock:
        times = [getattr(point, clock) for point in points]
        places = np.array([at for at, time in enumerate(times) if time is not None])
        whole = _risen(np.array([times[at] for at in places], dtype=np.int64), clock)
        if whole[-1] > whole[0]:
            return np.interp(np.arange(len(points)), places, whole / 1000), True
    return np.arange(len(points), dtype=np.float64) * step, False


def _risen(times: Times, clock: str) -> Levels:
    """ms since the first one. A clock that begins anew at midnight, or after 32 bits, goes on; one
    that is set to another time goes on by a usual step."""
    steps = np.diff(times)
    back = steps < 0
    round_length = _DAY if clock == "clock" else _WRAP
    wraps = back & (steps < -round_length // 2) & (times[:-1] < round_length)
    steps = np.where(wraps, steps + round_length, steps)
    odd = (steps < 0) | (steps > _JUMP)
    usual = int(np.median(steps[~odd])) if (~odd).any() else 1
    return np.concatenate(([0.0], np.cumsum(np.where(odd, usual, steps)))).astype(np.float64)


def _levels(
    figures: LoggedFigures, memory: str, name: str, points: Sequence[LoggedFigure]
) -> Levels:
    """Bytes that are free; where only those in use are known, up to their total or half more than
    their most."""
    levels = np.array([point.value for point in points], dtype=np.float64)
    return _free_of(figures, memory, name, levels)


def _free_of(figures: LoggedFigures, memory: str, name: str, levels: Levels) -> Levels:
    if name != "used":
        return levels
    most = figures.series[memory, "used"].most.value
    total = figures.last(memory, "total") or 0
    return float(total if total >= most else 1.5 * most) - levels


def _beside(points: Sequence[LoggedFigure], other: FigureSeries | None) -> Levels | None:
    """The figure of the other series that stands beside each point; NaN: none does."""
    if other is None or not other.points:
        return None
    lines = np.array([point.line for point in points])
    beside = np.array([point.line for point in other.points])
    values = np.array([point.value for point in other.points], dtype=np.float64)
    after = np.minimum(np.searchsorted(beside, lines), len(beside) - 1)
    before = np.maximum(after - 1, 0)
    nearer = np.abs(beside[before] - lines) < np.abs(beside[after] - lines)
    ends = np.append(lines[1:], lines[-1] + _BESIDE)
    follows = (beside[after] >= lines) & ((beside[after] < ends) | (beside[after] == lines))
    at = np.where(follows, after, np.where(nearer, before, after))
    return np.where(np.abs(beside[at] - lines) <= _BESIDE, values[at], np.nan)
