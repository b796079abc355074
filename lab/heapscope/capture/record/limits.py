"""The time and the size at which a recording ends, though its program runs on."""

from __future__ import annotations

import time

from heapscope.base.wording import size as in_bytes

SECONDS, SIZE = "seconds", "size"


class RecordLimits:
    """The time counts from when the first event can be in a trace."""

    def __init__(self, seconds: float | None, size: int | None) -> None:
        self._most_seconds = seconds
        self._most_size = size
        self._began: float | None = None
        self.reached = ""  # SECONDS or SIZE

    def wait(self, milliseconds: int) -> int:
        """The time until the next look, at most so much."""
        if self._most_seconds is None or self._began is None:
            return milliseconds
        left = self._began + self._most_seconds - time.monotonic()
        return max(0, min(milliseconds, int(left * 1000) + 1))

    def look(self, *, started: bool, size: int) -> bool:
        """Whether a limit is reached: events are in a trace, the files have so many bytes."""
        now = time.monotonic()
        if started and self._began is None:
            self._began = now
        if self._most_seconds is not None and self._began is not None:
            self.reached = SECONDS if now - self._began >= self._most_seconds else ""
        if not self.reached and self._most_size is not None and size >= self._most_size:
            self.reached = SIZE
        return bool(self.reached)

    @property
    def sentence(self) -> str:
        if self.reached == SIZE and self._most_size is not None:
            return f"the recording ended with {in_bytes(self._most_size)} (--until-size)"
        return f"the recording ended after {self._most_seconds:g} s (--seconds)"
