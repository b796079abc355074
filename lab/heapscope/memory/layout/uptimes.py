"""The times that a device's lines tell since its start: they go back where it starts anew, to and
fro where the lines of two devices alternate, and by a few lines where some came late."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import pairwise
from statistics import median_low

_AGAIN = 100  # ms that starts which take as long differ by, where the log shows none of them
_BACK = 1000  # ms that lines of two cores may be out of order
#: Times that go to and fro so often without a start are those of two devices.
_SWITCHES = 3
RECENT = 16  #: lines among which a late one has its place
_LATE = 3  # lines that one may be too late, and late ones in a row
_FAR = 8  # usual steps that one may be too late
_HOLE = 1.5  # usual steps between the lines before and after it
_SELDOM = 3  # of so many lines one may be late


def is_late(recent: Iterable[float], time: float, *, least: float = 0) -> bool:
    """Whether a time that goes back has its place among the recent ones: a few lines came before
    it that are later, and the line fills a gap, is there twice, or many lines are earlier. Another
    start begins with a line that is earlier than those of the start before. `least`: shorter steps
    do not count."""
    known = sorted(set(recent))
    later = [one for one in known if one > time]
    earlier = [one for one in known if one < time]
    steps = [after - before for before, after in pairwise(known) if after - before > least]
    if not earlier or not 0 < len(later) <= _LATE or not steps:
        return False
    usual = median_low(steps)
    if later[-1] - time > _FAR * usual:
        return False
    fills = later[0] - earlier[-1] >= _HOLE * usual
    return fills or len(earlier) > _LATE or time in known


class LateLines:
    """Takes the times in order, and tells which of them come late. Where every second line does,
    they are those of two devices."""

    def __init__(self, *, least: float = 0) -> None:
        self._least = least
        self._recent: deque[float] = deque(maxlen=RECENT)
        self._last = float("-inf")
        self._seen = self._late = self._row = 0

    def take(self, time: float) -> bool:
        self._seen += 1
        if time + self._least >= self._last:
            self._last, self._row = max(time, self._last), 0
            self._recent.append(time)
            return False
        late = (
            self._row < _LATE
            and self._late * _SELDOM <= self._seen
            and is_late(self._recent, time, least=self._least)
        )
        if late:
            self._late += 1
            self._row += 1
            self._recent.append(time)
        return late

    def begin(self, time: float) -> None:
        """Another start, or another device: what came before counts no more."""
        self._recent.clear()
        self._recent.append(time)
        self._last, self._row = time, 0


class Uptimes:
    """Takes the times in order, in ms."""

    def __init__(self) -> None:
        self.two_devices = False
        self._lasts: list[int] = []  # of one device, or of two
        self._current = 0
        self._switches = 0
        self._late = LateLines(least=_BACK)

    def restarts(self, uptime: int) -> bool:
        """Whether this is a start that the log need not show: it is before all that came."""
        if self._late.take(uptime):
            return False
        if len(self._lasts) == 1 and uptime + _BACK >= self._lasts[0]:
            self._lasts[0] = uptime
            return False
        later = [
            (uptime - last, index)
            for index, last in enumerate(self._lasts)
            if uptime + _BACK >= last
        ]
        if not later:
            self._late.begin(uptime)
            self._lasts = [*self._lasts[-1:], uptime]
            self._current, self._switches = len(self._lasts) - 1, 0
            return len(self._lasts) > 1
        index = min(later)[1]
        goes_on = uptime >= self._lasts[index] + _AGAIN
        self._switches += index != self._current and goes_on
        self._current, self._lasts[index] = index, uptime
        self.two_devices |= self._switches >= _SWITCHES
        return False
