"""Series and lives as pictures: levels over time with the date of each need, and the share of
devices on which a need still fits."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass

from rich.console import RenderableType

from heapscope.base.request import parse_request, request_text
from heapscope.base.wording import digits, long_time, size
from heapscope.fleet.devices.fleet_result import FleetResult, SurvivalRow
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.answer.series_sentences import NAMES
from heapscope.logs.answer.trend import CourseRow
from heapscope.logs.heaps.memory_fit import memories_of
from heapscope.logs.heaps.request_fit import RequestFit, UntilRow
from heapscope.render.page.colours import OTHERS, TASKS, LegendLook
from heapscope.render.page.parts import sentences_and_tables, tables_page

WIDTH, HEIGHT = 960.0, 300.0  # of a picture, in its own units
_AHEAD = 1.2  # times the length of the series that is drawn behind its end, at most
_TICKS = 5
_STEPS = (1, 2, 2.5, 5, 10, 20)


@dataclass(frozen=True)
class CourseTick:
    """A mark of an axis: where, and its text."""

    at: float
    text: str


@dataclass(frozen=True)
class CourseDate:
    """When a need stops fitting: its level, the ends of its interval, its likeliest moment, the
    line that leads there, and what it says. `beyond`: the interval ends behind the picture."""

    y: float
    low: float
    high: float
    value: float | None
    line: str
    text: str
    beyond: bool


@dataclass(frozen=True)
class CourseLine:
    """Points of a line, and its colour; empty: the ink."""

    points: str
    colour: str = ""


@dataclass(frozen=True)
class CoursePicture:
    """`now`: where the series ends; None: it has no such end."""

    title: str
    text: str
    lines: tuple[CourseLine, ...]
    fitted: str
    dates: tuple[CourseDate, ...]
    now: float | None
    across: tuple[CourseTick, ...]
    up: tuple[CourseTick, ...]
    legend: tuple[LegendLook, ...] = ()


def courses_html(
    result: LogResult | FleetResult, title: str, parts: Iterable[RenderableType]
) -> str:
    """`parts`: what the command prints; the first sentence is the answer."""
    answer, *rest = sentences_and_tables(parts)
    pictures = list(_of_fleet(result) if isinstance(result, FleetResult) else _of_log(result))
    return tables_page(
        "courses.html.j2",
        title=title,
        answer=answer[0],
        parts=rest,
        pictures=pictures,
        width=WIDTH,
        height=HEIGHT,
    )


def _of_log(result: LogResult) -> Iterator[CoursePicture]:
    for course in result.courses:
        if len(course.points) > 1:
            needs = [fit for fit in result.needs if course.memory in _memories(fit)]
            yield _course(course, needs)


def _memories(fit: RequestFit) -> tuple[str, ...]:
    return memories_of(parse_request(request_text(fit.size, fit.capabilities)))


@dataclass(frozen=True)
class _Scale:
    """Moments and levels in the units of the picture."""

    begin: float
    end: float
    top: float

    def x(self, moment: float) -> float:
        return round(WIDTH * (moment - self.begin) / max(self.end - self.begin, 1e-9), 1)

    def y(self, level: float) -> float:
        return round(HEIGHT * (1 - level / self.top), 1)

    def line(self, points: Iterable[tuple[float, float]]) -> str:
        return " ".join(f"{self.x(moment)},{self.y(level)}" for moment, level in points)

    def up(self, text: Callable[[float], str]) -> tuple[CourseTick, ...]:
        power = 10.0 ** math.floor(math.log10(self.top / _TICKS))
        step = next(power * by for by in _STEPS if power * by * (_TICKS + 1) > self.top)
        levels = [step * at for at in range(int(self.top / step) + 1)]
        return tuple(CourseTick(self.y(level), text(level)) for level in levels)

    def across(self, text: Callable[[float], str]) -> tuple[CourseTick, ...]:
        moments = [self.begin + (self.end - self.begin) * at / _TICKS for at in range(_TICKS + 1)]
        return tuple(CourseTick(self.x(one), text(one - self.begin)) for one in moments)


def _course(course: CourseRow, needs: Sequence[RequestFit]) -> CoursePicture:
    bands = [(fit, fit.until if course.has_time else fit.until_lines) for fit in needs]
    begin, last = course.points[0][0], course.points[-1][0]
    ahead = max((band.high for _, band in bands if band is not None), default=0.0)
    scale = _Scale(
        begin,
        last + min(ahead * 1.05, _AHEAD * (last - begin)),
        1.05 * max(1.0, *(level for _, level in (*course.points, *course.free))),
    )
    start = course.points[-1] if course.line is None else course.line[1]
    text = _moment if course.has_time else _lines
    dates = [_date(fit, band, start, scale, text) for fit, band in bands if fit.size < scale.top]
    what = NAMES.get(course.name, course.name)
    of = "" if course.memory == "any" else f" ({course.memory})"
    named = f"{what[0].upper()}{what[1:]}{of}"
    return CoursePicture(
        title=named,
        text="; ".join([f"{named} over {text(last - begin)}", *(date.text for date in dates)]),
        lines=(
            *([CourseLine(scale.line(course.free), OTHERS)] if course.free else []),
            CourseLine(scale.line(course.points)),
        ),
        legend=(LegendLook("free memory", OTHERS),) if course.free else (),
        fitted="" if course.line is None else scale.line(course.line),
        dates=tuple(dates),
        now=scale.x(last) if ahead else None,
        across=scale.across(text),
        up=scale.up(lambda level: size(round(level))),
    )


def _date(
    fit: RequestFit,
    band: UntilRow | None,
    start: tuple[float, float],
    scale: _Scale,
    text: Callable[[float], str],
) -> CourseDate:
    """`start`: the end of the line, from which the date is reached."""
    y, name = scale.y(fit.size), size(fit.size)
    if band is None:
        fits = {True: "fits", False: "does not fit", None: "may fit"}[fit.fits]
        return CourseDate(y, 0.0, 0.0, None, "", f"{name}: {fits}, no date", beyond=False)
    last = start[0]
    low, high = min(last + band.low, scale.end), min(last + band.high, scale.end)
    inside = last + band.value <= scale.end
    return CourseDate(
        y=y,
        low=scale.x(low),
        high=scale.x(high),
        value=scale.x(last + band.value) if inside else None,
        line=scale.line([start, (last + band.value, float(fit.size))]) if inside else "",
        text=f"{name} stop fitting in {text(band.low)} to {text(band.high)}",
        beyond=last + band.high > scale.end,
    )


def _moment(seconds: float) -> str:
    return long_time(seconds) if seconds else "0"


def _lines(lines: float) -> str:
    return f"{lines:,.0f} lines"


# ---- many devices --------------------------------------------------------------------------------


def _of_fleet(result: FleetResult) -> Iterator[CoursePicture]:
    for need in result.needs:
        rows = [row for row in result.survival if row.size == need]
        builds = [row for row in rows if row.build] or rows
        if builds and any(row.failed for row in builds):
            yield _lives(need, builds)


def _lives(need: int, rows: Sequence[SurvivalRow]) -> CoursePicture:
    """Steps, the builds with the lowest share first; those beyond the colours are left out."""
    shown = sorted(rows, key=lambda row: row.alive)[: len(TASKS)]
    scale = _Scale(0.0, max(row.seconds for row in shown), 1.0)
    lines, legend = [], []
    for row, colour in zip(shown, TASKS, strict=False):
        points, alive = [(0.0, 1.0)], 1.0
        for moment, share in row.curve:
            points += [(moment, alive), (moment, share)]
            alive = share
        points.append((row.seconds, alive))
        name = row.build or "all devices"
        lines.append(CourseLine(scale.line(points), colour))
        legend.append(LegendLook(f"{name}: {100 * row.alive:.1f} %", colour))
    title = f"Devices on which {size(need)} still fit"
    return CoursePicture(
        title=title,
        text=f"{title}, by build",
        lines=tuple(lines),
        fitted="",
        dates=(),
        now=None,
        across=scale.across(_moment),
        up=scale.up(lambda level: f"{digits(100 * level)} %"),
        legend=tuple(legend),
    )
