"""How a recording goes, in one line of a terminal that is written anew."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager

DELAY = 1.0  # seconds before the line shows
EVERY = 0.5

_ERASE = "\r\x1b[K"


class RecordLine:
    """Called with the events so far, live bytes, and processes that run."""

    def __init__(self) -> None:
        self._began = self._last = time.monotonic()
        self._events = 0
        self._shown = False

    def __call__(self, events: int, live: int, processes: int) -> None:
        now = time.monotonic()
        if now - self._began < DELAY or now - self._last < EVERY:
            return
        rate = (events - self._events) / (now - self._last)
        more = f", {processes} processes" if processes > 1 else ""
        text = f"recording: {events:,} events, {rate:,.0f} a second, {live:,} B live{more}"
        sys.stderr.write(_ERASE + text)
        sys.stderr.flush()
        self._shown, self._last, self._events = True, now, events

    def close(self) -> None:
        if self._shown:
            sys.stderr.write(_ERASE)
            sys.stderr.flush()


@contextmanager
def record_progress() -> Iterator[RecordLine | None]:
    """None where standard error is not a terminal."""
    if not sys.stderr.isatty():
        yield None
        return
    line = RecordLine()
    try:
        yield line
    finally:
        line.close()
