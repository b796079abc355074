"""Growth and rates over the last while, by the recording's clock, or where it has none, by ours."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

from heapscope.live.blocks import Owners

STEP = 1.0  #: seconds between two points
SPAN = 60.0  #: seconds that it looks back at most
_OWNERS_MAX = 4096  # of a point


@dataclass(frozen=True, kw_only=True)
class Point:
    """`live` None: not known then; `owners` are then none."""

    time: float
    events: int
    asked: int
    live: int | None
    owners: Owners


class Window:
    """Keeps a point a step."""

    def __init__(self) -> None:
        self._points: deque[Point] = deque(maxlen=int(SPAN / STEP) + 1)

    def add(self, point: Point) -> None:
        if self._points and point.time < self._points[-1].time:
            self._points.clear()  # a clock that goes back tells no time
        if not self._points or point.time - self._points[-1].time >= STEP:
            kept = point.owners if len(point.owners) <= _OWNERS_MAX else {}
            self._points.append(
                Point(
                    time=point.time,
                    events=point.events,
                    asked=point.asked,
                    live=point.live,
                    owners=kept,
                )
            )

    def before(self, time: float, span: float) -> Point | None:
        """The oldest point that is not longer ago than `span`, and at least a step."""
        fitting = (point for point in self._points if STEP <= time - point.time <= span)
        return next(fitting, None)

    def known_before(self, time: float) -> Point | None:
        """The oldest point of a time since which the live blocks were known all along."""
        oldest = None
        for point in reversed(self._points):
            if point.live is None or time - point.time > SPAN:
                break
            oldest = point
        return oldest if oldest is not None and time - oldest.time >= STEP else None
