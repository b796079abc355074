"""The page of a sweep: its answers, small pictures that are alike, and tables."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.wording import size
from heapscope.fleet.sweep.answer import SweepPanel, SweepResult
from heapscope.render.page.detail import Detail
from heapscope.render.page.frame import page
from heapscope.render.text.sweep import sentences, tables

WIDTH, HEIGHT = 240.0, 72.0  # of a picture, in its own units


@dataclass(frozen=True)
class SmallBar:
    """A value of a picture. `tone`: good, close or bad, as the share of safe cells is. `text`: what
    it says where the pointer rests on it."""

    x: float
    width: float
    y: float
    height: float
    tone: str
    text: str


@dataclass(frozen=True)
class SmallPicture:
    """`line`: points of the least bytes free, on the scale that all pictures share."""

    title: str
    axis: str
    first: str
    last: str
    bars: tuple[SmallBar, ...]
    line: str


def sweep_page(result: SweepResult, detail: Detail) -> str:
    """The whole page."""
    answer, *more = sentences(result)
    most = max((free or 0 for panel in result.panels for free in panel.min_free), default=0)
    return page(
        "sweep.html.j2",
        scripts=("ready.js",),
        data={},
        detail=detail,
        charts=False,
        title=f"Sweep {result.output}",
        answer=answer,
        more=more,
        pictures=[picture(panel, most) for panel in result.panels],
        most=most,
        tables=list(tables(result)),
        width=WIDTH,
        height=HEIGHT,
    )


def picture(panel: SweepPanel, most: int) -> SmallPicture:
    """A bar for each value: as high as the share of safe cells. `most`: bytes free at the top."""
    step = WIDTH / max(len(panel.labels), 1)
    bars = []
    points = []
    for at, (label, part, free) in enumerate(
        zip(panel.labels, panel.safe, panel.min_free, strict=True)
    ):
        if part is None:
            continue
        height = round(max(HEIGHT * part, 1.5), 2)
        text = f"{panel.axis} {label}: {100 * part:.1f} % safe"
        if free is not None:
            text += f", {size(free)} free at the worst moment"
            points.append(f"{step * (at + 0.5):.2f},{HEIGHT * (1 - free / max(most, 1)):.2f}")
        bars.append(
            SmallBar(
                x=round(step * at, 2),
                width=round(max(step * 0.86, 0.3), 2),
                y=round(HEIGHT - height, 2),
                height=height,
                tone="good" if part == 1 else "close" if part > 0 else "bad",
                text=text,
            )
        )
    return SmallPicture(
        title=panel.title,
        axis=panel.axis,
        first=panel.labels[0],
        last=panel.labels[-1],
        bars=tuple(bars),
        line=" ".join(points) if len(points) > 1 else "",
    )
