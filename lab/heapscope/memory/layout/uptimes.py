"""The times that a device's lines tell since its start: they go back where it starts anew, and to
and fro where the lines of two devices alternate."""

from __future__ import annotations

_AGAIN = 100  # ms that starts which take as long differ by, where the log shows none of them
_BACK = 1000  # ms that lines of two cores may be out of order
#: Times that go to and fro so often without a start are those of two devices.
_SWITCHES = 3


class Uptimes:
    """Takes the times in order, in ms."""

    def __init__(self) -> None:
        self.two_devices = False
        self._lasts: list[int] = []  # of one device, or of two
        self._current = 0
        self._switches = 0

    def restarts(self, uptime: int) -> bool:
        """Whether this is a start that the log need not show: it is before all that came."""
        if len(self._lasts) == 1 and uptime + _BACK >= self._lasts[0]:
            self._lasts[0] = uptime
            return False
        later = [
            (uptime - last, index)
            for index, last in enumerate(self._lasts)
            if uptime + _BACK >= last
        ]
        if not later:
            self._lasts = [*self._lasts[-1:], uptime]
            self._current, self._switches = len(self._lasts) - 1, 0
            return len(self._lasts) > 1
        index = min(later)[1]
        goes_on = uptime >= self._lasts[index] + _AGAIN
        self._switches += index != self._current and goes_on
        self._current, self._lasts[index] = index, uptime
        self.two_devices |= self._switches >= _SWITCHES
        return False
