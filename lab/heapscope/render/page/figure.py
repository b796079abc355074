"""A Bokeh figure in the looks of the pages, and how its charts get into one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from bokeh.document import Document
from bokeh.models import BoxZoomTool, WheelZoomTool
from bokeh.models.annotations import Span
from bokeh.plotting import figure

DOCUMENT = "charts"
#: Pixels beside the frame: half of the longest number under its right end.
BORDER_RIGHT = 30

Drawn = tuple[dict[str, Any], dict[str, Any]]


def plain_figure(name: str, height: int, **options: Any) -> Any:
    """Without colours of its own, which assets/axes.js gives it, and with a cursor that the page's
    scripts move."""
    chart = figure(
        name=name,
        height=height,
        sizing_mode="stretch_width",
        tools=[
            BoxZoomTool(dimensions="width"),
            WheelZoomTool(dimensions="width", modifiers="ctrl"),
        ],
        toolbar_location=None,
        output_backend="canvas",
        background_fill_alpha=0,
        border_fill_alpha=0,
        outline_line_color=None,
        min_border_right=BORDER_RIGHT,
        **options,
    )
    chart.xgrid.visible = False
    chart.axis.axis_line_alpha = 0.4
    chart.axis.minor_tick_line_color = None
    chart.axis.major_tick_line_alpha = 0.4
    chart.axis.axis_label_text_font_style = "normal"
    for text in ("axis_label_text_font", "major_label_text_font"):
        setattr(chart.axis, text, "system-ui, sans-serif")
    cursor = Span(dimension="height", location=0, line_alpha=0.7, visible=False)
    cursor.name = f"{name}/cursor"
    chart.add_layout(cursor)
    return chart


def embedded(charts: Mapping[str, Any]) -> Drawn:
    """The document and where its charts go, as JSON for Bokeh's embed_items: a chart is in the
    element "chart-KEY"."""
    document = Document()
    for chart in charts.values():
        document.add_root(chart)
    roots = {chart.id: f"chart-{key}" for key, chart in charts.items()}
    item = {"docid": DOCUMENT, "roots": roots, "root_ids": list(roots)}
    return {DOCUMENT: dict(document.to_json(deferred=False))}, item
