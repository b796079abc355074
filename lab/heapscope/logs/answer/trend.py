"""The course of each memory's figures over time, and when a request stops fitting
(docs/design/series.md)."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from heapscope.answers.leaks.verdict import CACHE, LEAK, PLATEAU, UNKNOWN
from heapscope.answers.series.dates import SeriesBand, fall_line
from heapscope.answers.series.judge import (
    DYING,
    FRAGMENTATION,
    NOTHING,
    STEP,
    VERDICTS,
    SeriesVerdict,
    judge_series,
)
from heapscope.base.request import Request
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural, size
from heapscope.logs.answer.heap_series import main_figure, starts_of
from heapscope.logs.heaps.memory_fit import memories_of
from heapscope.logs.heaps.request_fit import UntilRow
from heapscope.logs.reader.figures import LoggedFigure, LoggedFigures

_FEW = 5  # points that show a fall
_EACH = 4  # of a quarter
_DRAWN = 400  # points of a series
_FALLEN, _MOSTLY = 0.75, 0.8  # of the first one; of the steps

_REASONS = {
    LEAK: "what is lost does not come back",
    FRAGMENTATION: "the largest block shrinks for good, and what is free does not",
    PLATEAU: "it went that way and then stopped",
    CACHE: "it returns to its level",
    STEP: "it changed at once and stayed there",
    NOTHING: "it stays at its level",
    UNKNOWN: "it may be a leak, or stop",
}


class TrendRow(Row):
    """How a figure went from the start of the program on, or from its first line."""

    memory: str = figure("The memory that it is of.", heading="memory")
    name: str = figure("free, largest, used or min.", heading="figure")
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
        "leak: what is in use grows on and on; fragmentation: the largest block shrinks for good, "
        "and what is free does not; plateau: it grew and stopped; cache: it returns to its level; "
        "step: it changed at once; nothing; unknown: it cannot be told yet.",
        choices=VERDICTS,
        heading="verdict",
    )
    risk: float = figure("The probability that the verdict is wrong.", digits=2)
    reason: str = figure("Why, for people.", heading="why")
    per_line: UntilRow | None = figure("Bytes lost from one line to the next; null: no fall.")
    per_second: UntilRow | None = figure("Bytes lost a second; null: no fall, or no time.")
    death: UntilRow | None = figure("Seconds until nothing is left; null: not known.")


class CourseRow(Row):
    """A series as it is drawn: of one figure since the last start."""

    memory: str = figure("The memory that it is of.")
    name: str = figure("free, largest or min.")
    has_time: bool = figure("Seconds; false: lines that tell it.")
    points: tuple[tuple[float, float], ...] = figure("Seconds and bytes, some hundred of them.")
    free: tuple[tuple[float, float], ...] = figure("The free bytes beside a largest block.")
    line: tuple[tuple[float, float], tuple[float, float]] | None = figure(
        "The ends of the line that its date follows; null: it does not fall for good."
    )


@dataclass(frozen=True, kw_only=True)
class Trend:
    """One memory of the last start that has a series."""

    memory: str
    judged: SeriesVerdict
    points: Sequence[LoggedFigure]
    rows: tuple[TrendRow, ...]

    @property
    def decisive(self) -> TrendRow:
        """The row of the figure that decides."""
        decides = (row for row in self.rows if row.name == self.judged.figure)
        return next(decides, self.rows[0])

    def course(self) -> CourseRow:
        """The series of the figure that dates follow."""
        series = self.judged.series
        levels = series.free if series.largest is None else series.largest
        shown = np.unique(np.linspace(0, len(levels) - 1, _DRAWN).astype(np.int64))
        seconds = series.seconds[shown].tolist()
        beside = () if series.largest is None else zip(seconds, series.free[shown], strict=True)
        return CourseRow(
            memory=self.memory,
            name=self.rows[0].name if series.largest is None else "largest",
            has_time=series.has_time,
            points=tuple(
                (at, float(level)) for at, level in zip(seconds, levels[shown], strict=True)
            ),
            free=tuple((at, float(level)) for at, level in beside),
            line=fall_line(series, levels) if self.judged.speed is not None else None,
        )

    def until(self, request: Request) -> tuple[UntilRow | None, UntilRow | None]:
        """When it fits no more: in seconds, or in lines where the lines tell no time."""
        band = _row(self.judged.until(request.size))
        return (band, None) if self.judged.series.has_time else (None, band)


def trends(figures: LoggedFigures, failed: Collection[int] = ()) -> list[Trend]:
    """One of each memory whose figures are reported often enough since one start. `failed`: the
    starts in which a request failed."""
    results = []
    for memory in figures.memories():
        starts = starts_of(figures, memory, failed)
        if starts:
            *earlier, (series, points) = starts
            judged = judge_series(series, [one for one, _ in earlier])
            name = main_figure(figures, memory)
            rows = tuple(_rows(memory, name, judged, points))
            results.append(Trend(memory=memory, judged=judged, points=points, rows=rows))
    return results


def trend_of(trends: Sequence[Trend], request: Request) -> Trend | None:
    """That of the memory which the request would be served from."""
    known = {one.memory: one for one in trends}
    return next((known[name] for name in memories_of(request) if name in known), None)


def falls(figures: LoggedFigures, trends: Sequence[Trend]) -> Iterator[str]:
    """Figures that go down with nearly each line, and of which no other sentence tells."""
    judged = {one.memory for one in trends if one.judged.verdict != UNKNOWN or one.judged.speed}
    for (memory, name), series in figures.series.items():
        points = [one.value for one in series.points if one.boot == series.last.boot]
        if name != "free" or len(points) < _FEW or memory in judged:
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
            f"after {plural(max(int(points[-1] / each), 1), 'more line')}."
        )


def _sinks(points: Sequence[int]) -> bool:
    """The mean of each quarter is below that of the one before."""
    quarters = np.array_split(np.array(points, dtype=np.float64), 4)
    means = [float(quarter.mean()) for quarter in quarters]
    return len(points) >= _EACH * 4 and all(after < before for before, after in pairwise(means))


def _rows(
    memory: str, name: str, judged: SeriesVerdict, points: Sequence[LoggedFigure]
) -> Iterator[TrendRow]:
    """Those of the figure itself, and of the largest block beside it."""
    verdict = judged.verdict
    values = np.array([point.value for point in points], dtype=np.float64)
    own = NOTHING if verdict == FRAGMENTATION else verdict
    yield _one(memory, name, judged, points[0].boot, values, own)
    if judged.series.largest is not None:
        stays = bool(judged.series.largest[-1] >= judged.series.largest[0])
        verdict = NOTHING if verdict == LEAK and stays else verdict
        yield _one(memory, "largest", judged, points[0].boot, judged.series.largest, verdict)


def _one(
    memory: str, name: str, judged: SeriesVerdict, start: int, values: np.ndarray, verdict: str
) -> TrendRow:
    series = judged.series
    span = float(series.seconds[-1] - series.seconds[0])
    decides = (name == "largest") == (judged.figure == "largest")
    speed = _row(judged.speed) if decides and verdict in DYING else None
    each = None if speed is None else speed.times(span / (len(values) - 1))
    line = float(np.polyfit(series.seconds, values, 1)[0]) if series.has_time else None
    death = judged.until(0) if verdict == LEAK and name != "largest" and series.has_time else None
    reason = _REASONS[verdict]
    if judged.points is not None and verdict == LEAK:
        reason = f"{reason}, at {judged.points[0]} of {judged.points[1]} points of a round"
    return TrendRow(
        memory=memory,
        name=name,
        start=start,
        points=len(values),
        first=int(values[0]),
        last=int(values[-1]),
        seconds=span if series.has_time else None,
        slope=line,
        verdict=verdict,
        risk=judged.risk,
        reason=reason,
        per_line=each,
        per_second=speed if series.has_time else None,
        death=_row(death),
    )


def _row(band: SeriesBand | None) -> UntilRow | None:
    return None if band is None else UntilRow(value=band.value, low=band.low, high=band.high)
