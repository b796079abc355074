"""The curves of experiments as Bokeh models. All that moves under the pointer is done
by assets/plots.js, which finds models by name: "0/2" is the third plot of the first experiment."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt
from bokeh.models import (
    ColumnDataSource,
    FixedTicker,
    NumeralTickFormatter,
    PlainText,
    PrintfTickFormatter,
    Range1d,
    TickFormatter,
)
from bokeh.models.labeling import NoOverlap

from heapscope.render.page.colours import TASKS
from heapscope.render.page.detail import Detail
from heapscope.render.page.figure import Drawn, embedded, plain_figure
from heapscope_studies.result import Experiment, Plot, Series

Numbers = npt.NDArray[np.float64]

HEIGHT, HEIGHT_UPRIGHT = 340, 420
#: Curves of so many points or fewer show each of them.
DOTTED = 60
#: Characters of a name on the axis, before it goes on in the next line.
LABEL = 15
#: More names than this stand upright, each on one line if it is not very long.
UPRIGHT = 12
LABEL_UPRIGHT = 30
#: Numbers below this are written with as many places as it takes.
SMALL = 0.005
#: By CSS's names.
DASHES: dict[str, list[int]] = {"solid": [], "dashed": [6, 4], "dotted": [2, 3]}
#: An axis that begins above this share of its largest figure need not begin at 0.
FAR_FROM_ZERO = 0.5


def draw_plots(experiments: Sequence[Experiment], detail: Detail) -> Drawn:
    """Plot P of experiment N is in the element "chart-N-P"."""
    charts = {
        f"{number}-{position}": _chart(f"{number}/{position}", plot, detail)
        for number, experiment in enumerate(experiments)
        for position, plot in enumerate(experiment.plots)
    }
    return embedded(charts)


def plot_data(experiments: Sequence[Experiment]) -> list[dict[str, Any]]:
    """The data of plots.js besides the models. Names are text, never markup."""
    return [
        {
            "name": f"{number}/{position}",
            "x": {"heading": plot.x_heading, "unit": plot.x_unit, "labels": list(plot.x_labels)},
            "unit": plot.y_unit,
            "logarithmic": plot.logarithmic,
            "upright": len(plot.x_labels) > UPRIGHT,
            "series": [
                {
                    "name": curve.name,
                    "colour": look.colour,
                    "dash": look.dash,
                    "points": curve.points,
                    "beside": names.index(curve.beside) if curve.beside else None,
                }
                for curve, look in zip(plot.series, _looks(plot), strict=True)
            ],
        }
        for number, experiment in enumerate(experiments)
        for position, plot in enumerate(experiment.plots)
        for names in [[each.name for each in plot.series]]
    ]


def kept(y: Numbers, limit: int) -> npt.NDArray[np.intp]:
    """Which points of a curve are drawn, `limit` at most: of each of equal spans the first, the
    lowest, the highest and the first gap, so that no extreme is lost; and the last one."""
    if len(y) <= limit:
        return np.arange(len(y), dtype=np.intp)
    places = [len(y) - 1]
    edges = np.linspace(0, len(y), max(1, (limit - 1) // 4) + 1).astype(int)
    for start, end in pairwise(edges.tolist()):
        span = y[start:end]
        gaps = np.isnan(span)
        places.append(start)
        if gaps.any():
            places.append(start + int(np.argmax(gaps)))
        if not gaps.all():
            places += [start + int(np.nanargmin(span)), start + int(np.nanargmax(span))]
    return np.unique(np.array(places, dtype=np.intp))


@dataclass(frozen=True, kw_only=True)
class _Look:
    """`dash`: as CSS names it."""

    colour: str
    dash: str


def _looks(plot: Plot) -> list[_Look]:
    """Each its own colour, but that of the one that it is put beside; where there are more curves
    than colours, the later ones are dotted."""
    own = {c.name: number for number, c in enumerate(c for c in plot.series if not c.beside)}
    looks = []
    for curve in plot.series:
        number = own.get(curve.beside or curve.name, 0)
        dash = "dashed" if curve.beside else "dotted" if number >= len(TASKS) else "solid"
        looks.append(_Look(colour=TASKS[number % len(TASKS)], dash=dash))
    return looks


def _chart(name: str, plot: Plot, detail: Detail) -> Any:
    chart = plain_figure(
        name,
        HEIGHT_UPRIGHT if len(plot.x_labels) > UPRIGHT else HEIGHT,
        x_range=_x_range(plot),
        y_range=_y_range(plot),
        y_axis_type="log" if plot.logarithmic else "linear",
        min_border_left=64,
    )
    # Plain text: what looks like mathematics in a name is not set as such.
    chart.xaxis.axis_label = PlainText(text=_label(plot.x_heading, plot.x_unit))
    chart.yaxis.axis_label = PlainText(text=_label(plot.y_heading, plot.y_unit))
    for axis, numbers in (
        (chart.xaxis, [x for curve in plot.series for x in curve.x]),
        (chart.yaxis, [y for curve in plot.series for y in curve.y]),
    ):
        axis.formatter = _formatter(numbers)
    if plot.x_labels:
        _name_ticks(chart, plot.x_labels)
    for number, (curve, look) in enumerate(zip(plot.series, _looks(plot), strict=True)):
        _curve(chart, f"{name}/{number}", curve, look, detail)
    return chart


def _curve(chart: Any, name: str, curve: Series, look: _Look, detail: Detail) -> None:
    x, y = _floats(curve.x), _floats(curve.y)
    places = kept(y, detail.points)
    x, y = x[places], y[places]
    source = ColumnDataSource(name=name, data={"x": x, "y": y})
    chart.tags = [*chart.tags, source]  # for plots.js, also where no line refers to it
    if not curve.points:
        chart.line(
            "x",
            "y",
            source=source,
            line_color=look.colour,
            line_width=1.8 if curve.beside else 2.4,
            line_dash=DASHES[look.dash],
            line_alpha=0.9,
            name=f"{name}/line",
        )
    dots = np.isfinite(y) if curve.points or len(y) <= DOTTED else _alone(y)
    if dots.any():
        chart.scatter(
            "x",
            "y",
            source=ColumnDataSource(data={"x": x[dots], "y": y[dots]}),
            size=8 if curve.points else 6,
            line_color=look.colour,
            line_width=1.6,
            fill_color=look.colour,
            fill_alpha=0 if curve.beside else 0.85,
            name=f"{name}/dots",
        )


def _floats(values: Sequence[float | None]) -> Numbers:
    return np.array([np.nan if v is None else v for v in values], dtype=np.float64)


def _alone(y: Numbers) -> npt.NDArray[np.bool_]:
    """Points between gaps, which a line does not show."""
    there = np.concatenate(([False], np.isfinite(y), [False]))
    result: npt.NDArray[np.bool_] = there[1:-1] & ~there[:-2] & ~there[2:]
    return result


def _formatter(numbers: Sequence[float | None]) -> TickFormatter:
    """With thousands apart, where the numbers are not so small that none of them would show."""
    least = min((abs(number) for number in numbers if number), default=1.0)
    if least < SMALL:
        return PrintfTickFormatter(format="%g")
    return NumeralTickFormatter(format="0,0.[000]")


def _label(heading: str, unit: str) -> str:
    return f"{heading} ({unit})" if unit and unit != heading else heading


def _name_ticks(chart: Any, labels: Sequence[str]) -> None:
    chart.xaxis.ticker = FixedTicker(ticks=list(range(len(labels))))
    wide = LABEL if len(labels) <= UPRIGHT else LABEL_UPRIGHT
    chart.xaxis.major_label_overrides = {
        at: PlainText(text="\n".join(textwrap.wrap(label, wide)) or " ")
        for at, label in enumerate(labels)
    }
    chart.xaxis.major_label_policy = NoOverlap(min_distance=2)


def _x_range(plot: Plot) -> Range1d:
    if plot.x_labels:
        return _range(-0.4, len(plot.x_labels) - 0.6)
    results = [x for curve in plot.series for x in curve.x]
    least, most = min(results, default=0.0), max(results, default=1.0)
    room = 0.02 * (most - least) or 0.5
    return _range(least - room, most + room)


def _y_range(plot: Plot) -> Range1d:
    results = [y for curve in plot.series for y in curve.y if y is not None]
    least, most = min(results, default=0.0), max(results, default=1.0)
    if plot.logarithmic:
        return _range(least / 1.4, most * 1.4)
    room = 0.07 * (most - least) or max(abs(most) * 0.1, 0.5)
    if 0 <= least <= FAR_FROM_ZERO * most:
        return _range(0, most + room)
    if least < 0 < most and -least < room:
        return _range(least - room / 2, most + room)
    return _range(least - room, most + room)


def _range(start: float, end: float) -> Range1d:
    return Range1d(start=float(start), end=float(end), bounds=(float(start), float(end)))
