"""How far a verb is: a bar for what takes longer than a second, and the line of a recording."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from heapscope.base.progress import ProgressStep

DELAY = 1.0  # seconds before anything shows


class Bar:
    """Shows each step of a verb; what the verb does next begins a new bar."""

    def __init__(self) -> None:
        self._now = ""
        self._began = self._last = time.monotonic()
        self._progress: Any = None
        self._task: Any = None
        self._before = 0

    def __call__(self, step: ProgressStep) -> None:
        if step.what != self._now:
            self.close()
            self._now, self._began = step.what, self._last
            self._before = step.done
        self._last = time.monotonic()
        elapsed = self._last - self._began
        if elapsed < DELAY or not sys.stderr.isatty():
            return
        if self._progress is None:
            self._show(step)
        speed = f"{step.events / elapsed / 1e6:.1f} M events/s" if step.events else ""
        if step.each:
            speed = pace(step, step.done - self._before, elapsed)
        self._progress.update(self._task, completed=step.done, total=step.total, speed=speed)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()
            self._progress = None

    def _show(self, step: ProgressStep) -> None:
        from rich.progress import (
            BarColumn,
            DownloadColumn,
            MofNCompleteColumn,
            Progress,
            TextColumn,
        )

        from heapscope.render.text.console import console

        self._progress = Progress(
            TextColumn("{task.description}", markup=False),
            BarColumn(),
            MofNCompleteColumn() if step.parts else DownloadColumn(),
            TextColumn("{task.fields[speed]}", markup=False),
            console=console(sys.stderr),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task(step.what, total=None, speed="")


def pace(step: ProgressStep, done: int, elapsed: float) -> str:
    """ "86 cells/s, 2:05 left". `done`: in these seconds."""
    if done <= 0 or elapsed <= 0:
        return ""
    rate = done / elapsed
    text = f"{rate:,.0f} {step.each}/s" if rate >= 10 else f"{rate:.2g} {step.each}/s"
    if step.total is None:
        return text
    minutes, seconds = divmod(round((step.total - step.done) / rate), 60)
    hours, minutes = divmod(minutes, 60)
    left = f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"
    return f"{text}, {left} left"


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """A bar, for the functions of the interface to take as `progress`."""
    bar = Bar()
    try:
        yield bar
    finally:
        bar.close()


EVERY = 0.5  # seconds between two of its lines

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
