"""Whether a figure only goes down, as a leak does: the verdict of `leaks`, from levels alone
(docs/design/leaks.md)."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.interval import Interval
from heapscope.answers.leaks.rates import Rate, RateBand, rate_of
from heapscope.answers.leaks.verdict import CACHE, LEAK, PLATEAU, UNKNOWN, judge_levels
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.logs.reader.figures import FigureSeries, LoggedFigure, LoggedFigures
from heapscope.native.leaks import STAYS
from heapscope.native.structs import Rows, dtype

Counts = NDArray[np.float64]

_STRETCHES = 64
_LEAST = 9  # points of one start, below which nothing is reported
_FEW = 5  # points that show a fall
_EACH = 4  # of a quarter
_PHASES_LEAST = 2
_PHASES_MOST = 12
_ALIKE = 4  # like points of a round differ so many times less than neighbours
_EDGES = (10, 50, 90)  # per cent
_FALLEN, _MOSTLY = 0.75, 0.8  # of the first one; of the steps

_REASONS = {
    LEAK: "what is lost does not come back",
    PLATEAU: "it went that way and then stopped",
    CACHE: "it returns to its level",
}
_OPEN = "it may be a leak, or stop"


class TrendRow(Row):
    """How a figure went from the start of the program on, or from its first line."""

    memory: str = figure("The memory that it is of.", heading="memory")
    name: str = figure("free or used.", heading="figure")
    start: int = figure("The number of the start of the program.", heading="start")
    points: int = figure("Lines that tell it since then, as far as they are kept.", heading="lines")
    first: int = figure("The first one.", "B", heading="first")
    last: int = figure("The last one.", "B", heading="last")
    seconds: float | None = figure("Time between them; null: the lines tell none.")
    slope: float | None = figure(
        "Bytes a second of the straight line through all of them; null: no time is reported.",
        least=None,
    )
    verdict: str = figure(
        "leak: what is in use grows on and on; plateau: it grew and stopped; cache: it returns to "
        "its level; unknown: too few lines to tell.",
        choices=("leak", "plateau", "cache", "unknown"),
        heading="verdict",
    )
    reason: str = figure("Why, for people.", heading="why")
    longer: float | None = figure(
        "A log this many times as long would settle an unknown one; null: not known.", least=None
    )
    per_line: RateBand | None = figure("Bytes lost from one line to the next; null: no leak.")
    per_second: RateBand | None = figure("Bytes lost a second; null: no leak, or no time.")
    death: RateBand | None = figure("Seconds until nothing is left; null: not known.")


def trends(figures: LoggedFigures) -> Iterator[TrendRow]:
    """One of each figure that is reported often enough since one start."""
    for (memory, name), series in figures.series.items():
        points = _of_one_start(series) if name in ("free", "used") else ()
        if len(points) >= _LEAST:
            yield _trend(memory, name, points)


def falls(figures: LoggedFigures, trends: Sequence[TrendRow]) -> Iterator[str]:
    """Figures that go down with nearly each line, and is not judged a leak."""
    judged = {(row.memory, row.name) for row in trends if row.verdict in (LEAK, PLATEAU, CACHE)}
    for (memory, name), series in figures.series.items():
        points = [one.value for one in series.points if one.boot == series.last.boot]
        if name != "free" or len(points) < _FEW or (memory, name) in judged:
            continue
        steps = len(points) - 1
        down = sum(after < before for before, after in pairwise(points))
        never_up = sum(after <= before for before, after in pairwise(points)) >= _MOSTLY * steps
        steady = (never_up and down >= max(3, steps / 2)) or _sinks(points)
        if points[-1] > _FALLEN * points[0] or not steady:
            continue
        of = "" if memory == "any" else f" ({memory})"
        each = (points[0] - points[-1]) / (len(points) - 1)
        yield (
            f"Free bytes{of} went down over {len(points):,} lines, from {size(points[0])} to "
            f"{size(points[-1])}, which does not prove a leak yet; if it goes on, nothing is left "
            f"after {max(int(points[-1] / each), 1):,} more lines."
        )


def _sinks(points: Sequence[int]) -> bool:
    """The mean of each quarter is below that of the one before."""
    quarters = np.array_split(np.array(points, dtype=np.float64), 4)
    means = [float(quarter.mean()) for quarter in quarters]
    return len(points) >= _EACH * 4 and all(after < before for before, after in pairwise(means))


def _of_one_start(series: FigureSeries) -> Sequence[LoggedFigure]:
    """The last start that has enough of them, or else the one that has most."""
    counts = Counter(point.boot for point in series.points)
    enough = [boot for boot, count in counts.items() if count >= _LEAST]
    return [point for point in series.points if enough and point.boot == enough[-1]]


def _trend(memory: str, name: str, points: Sequence[LoggedFigure]) -> TrendRow:
    """Where lines of several points of a round tell the figure, each point is judged by itself:
    what is in use during a request and after it are not one series."""
    phases = _phases(points)
    if len(phases) < _PHASES_LEAST:
        return _judged(memory, name, points)
    rows = [_judged(memory, name, phase) for phase in phases]
    leaking = [row for row in rows if row.verdict == LEAK]
    if 2 * len(leaking) >= len(rows):
        part = leaking[-1].points / len(points)
        lost = leaking[-1].per_line
        return replace(
            leaking[-1],
            points=len(points),
            reason=f"{_REASONS[LEAK]}, at {len(leaking)} of {len(rows)} points of a round",
            per_line=None if lost is None else lost.times(part),
        )
    (verdict,) = alike if len(alike := {row.verdict for row in rows}) == 1 else (UNKNOWN,)
    reason = _REASONS.get(verdict, _OPEN)
    if leaking:
        reason = f"{len(leaking)} of {len(rows)} points of a round go down, the others do not"
    return replace(
        _judged(memory, name, points),
        verdict=verdict,
        reason=reason,
        per_line=None,
        per_second=None,
        death=None,
    )


def _phases(points: Sequence[LoggedFigure]) -> list[list[LoggedFigure]]:
    """The points by the words of their lines, where nearly all lines have words that come often
    and take turns, or else by their places in rounds of equal length, since a program may print
    the point in a line of its own; empty: they are one series."""
    kinds: dict[str, list[LoggedFigure]] = {}
    for point in points:
        kinds.setdefault(point.words, []).append(point)
    often = [kind for kind in kinds.values() if len(kind) >= _LEAST]
    turns = sum(one.words != other.words for one, other in pairwise(points))
    whole = sum(map(len, often)) >= _MOSTLY * len(points)
    if whole and 2 * turns >= len(points):
        return often
    length = _round_length(np.array([point.value for point in points], dtype=np.float64))
    return [list(points[place::length]) for place in range(length)] if length > 1 else []


def _round_length(levels: Counts) -> int:
    """Points of a round: the least number after which the level is nearly the same again, though
    neighbours differ; 1: no such number."""
    apart = float(np.abs(np.diff(levels)).mean())
    for length in range(_PHASES_LEAST, min(_PHASES_MOST, len(levels) // _LEAST) + 1):
        if _ALIKE * float(np.abs(levels[length:] - levels[:-length]).mean()) <= apart:
            return length
    return 1


def _judged(memory: str, name: str, points: Sequence[LoggedFigure]) -> TrendRow:
    times, sign = _times(points), -1 if name == "free" else 1
    levels = np.array([sign * point.value for point in points], dtype=np.float64)
    looks = _looks(levels, times)
    unit = _unit(looks)
    judged = judge_levels(_lives(looks, unit), stretches=len(looks) - 1)
    if judged.verdict == CACHE and _stays_away(levels):
        judged = replace(judged, verdict=UNKNOWN)
    rate = None
    seconds = None if times is None else float(times[-1] - times[0])
    if judged.verdict == LEAK:
        span = Interval(first=0, last=len(points) - 1, start="", end="")
        free = points[-1].value if name == "free" else None
        rate = rate_of(judged.row, span, seconds=seconds, free=free, unit=unit)
    return TrendRow(
        memory=memory,
        name=name,
        start=points[0].boot,
        points=len(points),
        first=points[0].value,
        last=points[-1].value,
        seconds=seconds,
        slope=None if times is None else float(np.polyfit(times, sign * levels, 1)[0]),
        verdict=judged.verdict,
        reason=_REASONS.get(judged.verdict, _OPEN),
        longer=judged.longer,
        per_line=_per_line(rate),
        per_second=None if rate is None else rate.bytes_per_second,
        death=None if rate is None else rate.seconds_to_death,
    )


def _stays_away(levels: Counts) -> bool:
    """In its last quarter it never comes back to a level of its first one, or each quarter is
    above the one before, in its lows, its highs and between."""
    quarters = np.array_split(levels, 4)
    edges = np.array([np.percentile(quarter, _EDGES) for quarter in quarters])
    climbs = bool((np.diff(edges, axis=0) > 0).all())
    return climbs or bool(quarters[-1].min() > quarters[0].max())


def _per_line(rate: Rate | None) -> RateBand | None:
    if rate is None:
        return None
    per = rate.bytes_per_1000_events
    return RateBand(value=per.value / 1000, low=per.low / 1000, high=per.high / 1000)


def _times(points: Sequence[LoggedFigure]) -> Counts | None:
    """Seconds, by the device's clock or the monitor's; None: not all tell it, or it goes back."""
    for clock in ("uptime", "clock"):
        results = [getattr(point, clock) for point in points]
        if all(time is not None for time in results):
            times = np.array(results, dtype=np.float64) / 1000
            if times[-1] > times[0] and bool((np.diff(times) >= 0).all()):
                return times
    return None


def _looks(levels: Counts, times: Counts | None) -> Counts:
    """The level at moments that are equally far apart."""
    count = min(_STRETCHES, len(levels) - 1) + 1
    if times is None:
        even: Counts = levels[np.linspace(0, len(levels) - 1, count).astype(int)]
        return even
    moments = np.linspace(times[0], times[-1], count)
    counts: Counts = levels[np.searchsorted(times, moments, side="right") - 1]
    return counts


def _unit(looks: Counts) -> float:
    """Bytes that one block stands for: the usual change."""
    changes = np.abs(np.diff(looks))
    return float(max(1.0, np.median(changes[changes > 0]))) if changes.any() else 1.0


def _lives(looks: Counts, unit: float) -> Rows:
    """Blocks of that size which make these levels, the last that came being the first to go. Each
    has one byte here."""
    levels = np.rint((looks - looks.min()) / unit).astype(int)
    alive = np.diff(levels, prepend=0).clip(0)
    ended: Counter[tuple[int, int]] = Counter()
    for stretch in range(1, len(levels)):
        left, born = max(int(levels[stretch - 1] - levels[stretch]), 0), stretch
        while left:
            gone = int(min(left, alive[born]))
            alive[born] -= gone
            ended[born, stretch] += gone
            left, born = left - gone, born - 1
    results = [*ended.items(), *(((born, STAYS), int(blocks)) for born, blocks in enumerate(alive))]
    rows = np.zeros(len(results), dtype=dtype("hs_lab_life_row_t"))
    for row, ((born, freed), blocks) in zip(rows, results, strict=True):
        row["born"], row["freed"], row["blocks"], row["bytes"] = born, freed, blocks, blocks
    return rows
