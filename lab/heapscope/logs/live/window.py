"""Growth and rates over the last while, by the recording's clock, or where it has none, by ours."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, replace

from heapscope.logs.live.blocks import Owners

STEP = 1.0  #: seconds between two points
SPAN = 60.0  #: seconds that growth is measured over at most
RATE_SPAN = 5.0  #: seconds that a rate is taken over at most
_OWNERS_MAX = 4096  # of a point


@dataclass(frozen=True, kw_only=True)
class WindowPoint:
    """`live` None: not known then."""

    time: float
    events: int
    requested: int
    live: int | None
    owners: Owners


@dataclass(frozen=True, kw_only=True)
class Lately:
    """None: there is no earlier point to compare with."""

    rate: float | None = None
    churn: float | None = None
    window: float | None = None
    growth: int | None = None
    grown_from: WindowPoint | None = None


class TrendWindow:
    """Keeps a point a step."""

    def __init__(self) -> None:
        self._points: deque[WindowPoint] = deque(maxlen=int(SPAN / STEP) + 1)

    def lately(self, now: WindowPoint, *, silent: float = 0.0) -> Lately:
        """The changes up to a point, which it keeps. `silent`: seconds, by our clock, without a
        chunk. The recording's clock stands still then, and nothing is known of what is lately."""
        if self._points and now.time < self._points[-1].time:
            self._points.clear()  # a clock that goes back tells no time
        rated = next((one for one in self._points if self._before(one, now, RATE_SPAN)), None)
        grown = self._known_before(now) if silent <= SPAN else None
        result = Lately()
        if rated is not None and silent <= RATE_SPAN:
            passed = now.time - rated.time
            rate, churn = (
                (now.events - rated.events) / passed,
                (now.requested - rated.requested) / passed,
            )
            result = replace(result, rate=rate, churn=churn)
        if grown is not None and grown.live is not None and now.live is not None:
            result = replace(
                result, window=now.time - grown.time, growth=now.live - grown.live, grown_from=grown
            )
        self._keep(now)
        return result

    def _before(self, one: WindowPoint, now: WindowPoint, span: float) -> bool:
        return STEP <= now.time - one.time <= span

    def _known_before(self, now: WindowPoint) -> WindowPoint | None:
        """The oldest point since which the live blocks were known all along."""
        oldest = None
        for one in reversed(self._points):
            if one.live is None or now.time - one.time > SPAN:
                break
            oldest = one
        return oldest if oldest is not None and self._before(oldest, now, SPAN) else None

    def _keep(self, now: WindowPoint) -> None:
        if self._points and now.time - self._points[-1].time < STEP:
            return
        self._points.append(now if len(now.owners) <= _OWNERS_MAX else replace(now, owners={}))
