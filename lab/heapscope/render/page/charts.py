"""The charts as Bokeh models. assets/charts.js moves them under the pointer. It finds models by
name: "0/timeline", "0/map" and so on, by side."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from bokeh.models import (
    BasicTicker,
    ColumnDataSource,
    FixedTicker,
    NumeralTickFormatter,
    Range1d,
)
from bokeh.models.annotations import Span
from bokeh.models.labeling import NoOverlap

from heapscope.base.capabilities import MALLOC
from heapscope.render.page.colours import FAILED, PINS, TASKS
from heapscope.render.page.detail import spread
from heapscope.render.page.figure import Drawn, embedded, plain_figure
from heapscope.render.page.side import PageSide

#: Tasks with an area of their own; the rest is one.
STACKED = 10
#: More pins than this are drawn small.
CROWD = 40
#: Marks drawn; of more some that are spread over the run.
MARKS = 400
#: Moments that the axis of a trace with a clock can name.
TICKS = 200
#: Rows of the map between two regions.
GAP = 5


def draw(sides: Sequence[PageSide]) -> Drawn:
    """The document and where its charts go, as JSON for Bokeh's embed_items. Chart NAME of side N
    is in the element "chart-N-NAME"; what all sides share in "chart-all-NAME"."""
    ends = [_end(side) for side in sides]
    shared = Range1d(start=0, end=max(ends), bounds=(0, max(ends)), name="events", min_interval=4)
    charts: dict[str, Any] = {}
    if len(sides) > 1:
        charts["all-free"] = _free_of_all(sides, shared)
    for number, side in enumerate(sides):
        if len(sides) == 1:
            charts[f"{number}-timeline"] = _timeline(number, side, shared)
            charts[f"{number}-fragmentation"] = _fragmentation(number, side, shared)
            if side.result.failure_spans:
                charts[f"{number}-failures"] = _failures(number, side, shared)
        charts[f"{number}-map"] = _map(number, side, shared)
    alike = len({_begun(side) for side in sides}) == 1
    for name, chart in charts.items():
        whose = name.partition("-")[0]
        if whose != "all" or alike:
            _tell_seconds(chart, sides[0 if whose == "all" else int(whose)])
    return embedded(charts)


def _begun(side: PageSide) -> tuple[int, ...]:
    """When its columns began: sides that agree in it can share a chart in seconds."""
    clock = side.result.clock
    return () if clock is None else (clock.hz, *(one.first_time for one in side.survey.columns))


def _tell_seconds(chart: Any, side: PageSide) -> None:
    """Where a clock separates the events: seconds under the axis, which stays one of equal spans
    of events. Ticks are where columns begin, each text once; zooming in shows more of them."""
    clock = side.result.clock
    if clock is None:
        return
    columns = side.survey.columns
    first: dict[str, int] = {}  # the first column of each text
    for number in range(0, len(columns), max(1, len(columns) // TICKS)):
        first.setdefault(clock.text_of(columns[number].first_time), number * side.column_width)
    chart.xaxis.ticker = FixedTicker(ticks=list(first.values()))
    chart.xaxis.major_label_overrides = {place: text for text, place in first.items()}
    chart.xaxis.major_label_policy = NoOverlap(min_distance=24)
    chart.xaxis.major_tick_line_color = None
    chart.xaxis.axis_label = "seconds since the start, not to scale"


def stacked_tasks(side: PageSide) -> list[int]:
    """Positions of the tasks with areas of their own, the one that held most first."""
    peaks = side.survey.payload.max(axis=0, initial=0)
    return [int(task) for task in np.argsort(-peaks.astype(np.int64), kind="stable")[:STACKED]]


def _end(side: PageSide) -> int:
    return len(side.survey.columns) * side.column_width


def _edges(side: PageSide) -> list[int]:
    """Where the columns begin, and where the last one ends."""
    return [number * side.column_width for number in range(len(side.survey.columns) + 1)]


def _steps(values: list[int]) -> list[int]:
    """A value for each edge: the last one is held to the end."""
    return [*values, values[-1]]


def _figure(name: str, height: int, shared: Range1d, **options: Any) -> Any:
    chart = plain_figure(name, height, x_range=shared, min_border_left=86, **options)
    chart.xaxis.formatter = NumeralTickFormatter(format="0,0")
    chart.xaxis.axis_label = "heap events"
    chart.xaxis.ticker = _whole_numbers()
    chart.xaxis.major_label_policy = NoOverlap(min_distance=8)
    return chart


def _whole_numbers() -> BasicTicker:
    """No ticks between two events or bytes, which would repeat a number."""
    return BasicTicker(min_interval=1)


def _bytes_axis(chart: Any, most: int) -> None:
    chart.yaxis.ticker = _whole_numbers()
    chart.yaxis.formatter = NumeralTickFormatter(format="0,0")
    chart.yaxis.axis_label = "bytes"
    chart.y_range = Range1d(start=0, end=max(most, 1) * 1.04)


def _timeline(number: int, side: PageSide, shared: Range1d) -> Any:
    columns = side.survey.columns
    name = f"{number}/timeline"
    chart = _figure(name, 330, shared)
    _short(chart, side)
    _stack(chart, name, side)
    largest = _steps([column.least_largest for column in columns])
    free = _steps([column.least_free for column in columns])
    low = np.minimum.accumulate(np.array(free)).tolist()
    lines = ColumnDataSource(
        name=f"{name}/lines",
        data={"x": _edges(side), "largest": largest, "free": free, "low": low},
    )
    plain = {"source": lines, "mode": "after", "line_width": 1.8}
    chart.step("x", "free", name="line free", **plain)
    chart.step("x", "low", name="line low", line_dash="dashed", **plain)
    chart.step("x", "largest", name="line largest", **plain)
    _marks(chart, side)
    _pins(chart, name, side)
    peak = max(column.most_live for column in columns)
    results = [failure.size for failure in side.result.failures]
    _bytes_axis(chart, max([peak, max(free), *[size for size in results if size < 2 * peak]]))
    return chart


def _stack(chart: Any, name: str, side: PageSide) -> None:
    """One area a task, zero high: charts.js stacks those that are switched on."""
    edges = _edges(side)
    for position in range(min(STACKED, len(side.survey.picture.tasks)) + 1):
        source = ColumnDataSource(
            name=f"{name}/area{position}",
            data={"x": edges, "low": [0] * len(edges), "high": [0] * len(edges)},
        )
        chart.varea_step(
            "x",
            "low",
            "high",
            source=source,
            step_mode="after",
            name=f"area {position}",
            fill_alpha=0.85,
        )


def _short(chart: Any, side: PageSide) -> None:
    """Spans in which a need could not have been served at some moment, and the size asked about."""
    for need in side.result.needs:
        chart.add_layout(
            Span(dimension="width", location=need.size, line_color=FAILED, line_dash="dotted")
        )
        if need.short_events and need.capabilities == MALLOC:
            columns = side.survey.columns
            short = [n for n, column in enumerate(columns) if column.least_largest < need.size]
            width = side.column_width
            chart.quad(
                left=[n * width for n in short],
                right=[(n + 1) * width for n in short],
                bottom=0,
                top=1 << 32,
                fill_color=FAILED,
                fill_alpha=0.16,
                line_color=None,
                name="short",
                level="underlay",
            )


def _marks(chart: Any, side: PageSide) -> None:
    marks = spread(side.result.marks, MARKS)
    source = ColumnDataSource(data={"x": side.positions([mark.event for mark in marks])})
    chart.vspan("x", source=source, line_alpha=0.28, line_dash="dotted", name="marks")


def _pins(chart: Any, name: str, side: PageSide, *, height: float | None = None) -> None:
    """At the size that was asked for; `height`: all at one height instead."""
    failed, close = side.result.failures, side.close
    for kind, rows, marker in (
        ("close", close, "diamond"),
        ("failed", failed, "inverted_triangle"),
    ):
        fill, edge = PINS[kind]
        heights = [row.size if height is None else height for row in rows]
        source = ColumnDataSource(
            name=f"{name}/{kind}",
            data={"x": side.positions([row.event for row in rows]), "y": heights},
        )
        chart.scatter(
            "x",
            "y",
            source=source,
            marker=marker,
            size=10 if len(rows) <= CROWD else 6,
            fill_color=fill,
            line_color=edge,
            line_width=1 if len(rows) <= CROWD else 0.4,
            name=f"pins {kind}",
        )


def _failures(number: int, side: PageSide, shared: Range1d) -> Any:
    """One bar a span, over the whole run: its failed requests."""
    spans = side.result.failure_spans
    chart = _figure(f"{number}/failures", 150, shared)
    ends = [span.first_event + span.events for span in spans]
    source = ColumnDataSource(
        name=f"{number}/failures/spans",
        data={
            "left": side.positions([span.first_event for span in spans]),
            "right": side.positions(ends),
            "failures": [span.failures for span in spans],
        },
    )
    chart.quad(
        left="left",
        right="right",
        top="failures",
        bottom=0,
        source=source,
        fill_color=FAILED,
        line_color=None,
        name="failures",
    )
    _bytes_axis(chart, max(span.failures for span in spans))
    chart.yaxis.axis_label = "failed requests"
    return chart


def _fragmentation(number: int, side: PageSide, shared: Range1d) -> Any:
    name = f"{number}/fragmentation"
    chart = _figure(name, 210, shared)
    moments = side.survey.moments
    source = ColumnDataSource(
        name=f"{name}/lines",
        data={
            "x": _edges(side),
            "zero": [0] * (len(moments) + 1),
            "free": _steps([moment.free for moment in moments]),
            "largest": _steps([moment.largest_free for moment in moments]),
        },
    )
    area = {"source": source, "step_mode": "after"}
    chart.varea_step("x", "zero", "largest", fill_color="#22c55e", fill_alpha=0.75, **area)
    chart.varea_step("x", "largest", "free", fill_color="#eab308", fill_alpha=0.55, **area)
    _bytes_axis(chart, max(moment.free for moment in moments))
    return chart


def _map(number: int, side: PageSide, shared: Range1d) -> Any:
    name = f"{number}/map"
    picture = side.survey.picture
    columns, rows = picture.owner.shape
    height = rows + GAP * (len(picture.strips) - 1)
    chart = _figure(name, 150 + round(1.3 * height), shared)
    chart.y_range = Range1d(start=-2, end=height + 8)
    centres: dict[float, str] = {}
    bottom = height + GAP
    for index, strip in enumerate(picture.strips):
        # The lowest address below, of the regions and in each.
        top = bottom - GAP
        bottom = top - strip.rows
        source = ColumnDataSource(
            name=f"{name}/strip{index}",
            data={"image": [np.zeros((strip.rows, columns), dtype=np.uint32)]},
        )
        chart.quad(
            left=0,
            right=_end(side),
            bottom=bottom,
            top=top,
            fill_alpha=0.09,
            line_alpha=0.35,
            name="strip",
        )
        chart.image_rgba(
            "image", source=source, x=0, y=bottom, dw=_end(side), dh=strip.rows, name="cells"
        )
        centres[(top + bottom) / 2] = f"{strip.kind}\n{strip.start:#010x}"
    chart.yaxis.ticker = FixedTicker(ticks=list(centres))
    chart.yaxis.major_label_overrides = dict(centres)
    chart.ygrid.visible = False
    _pins(chart, name, side, height=height + 4)
    # Read by charts.js; gzipped by Bokeh like all of its arrays.
    chart.tags = [
        ColumnDataSource(
            name=f"{name}/cells",
            data={
                key: getattr(picture, key).ravel()
                for key in ("owner", "used", "size", "age", "block")
            },
        )
    ]
    return chart


def _free_of_all(sides: Sequence[PageSide], shared: Range1d) -> Any:
    chart = _figure("all/free", 330, shared)
    most = 1
    for number, side in enumerate(sides):
        columns, colour = side.survey.columns, TASKS[number % len(TASKS)]
        free = _steps([column.least_free for column in columns])
        largest = _steps([column.least_largest for column in columns])
        source = ColumnDataSource(data={"x": _edges(side), "free": free, "largest": largest})
        plain = {"source": source, "mode": "after", "line_color": colour}
        chart.step("x", "free", line_width=2, name=f"side {number} free", **plain)
        chart.step(
            "x", "largest", line_width=1.4, line_dash=[5, 3], name=f"side {number} largest", **plain
        )
        most = max(most, *free, *largest)
    for need in sides[0].result.needs:
        chart.add_layout(
            Span(dimension="width", location=need.size, line_color=FAILED, line_dash="dotted")
        )
    _bytes_axis(chart, most)
    return chart
