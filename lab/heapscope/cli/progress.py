"""A progress bar for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from heapscope.progress import ProgressStep

DELAY = 1.0  # seconds before the bar shows


class Bar:
    """Shows each step of a verb; what the verb does next begins a new bar."""

    def __init__(self) -> None:
        self._now = ""
        self._began = self._last = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def __call__(self, step: ProgressStep) -> None:
        if step.what != self._now:
            self.close()
            self._now, self._began = step.what, self._last
        self._last = time.monotonic()
        elapsed = self._last - self._began
        if elapsed < DELAY or not sys.stderr.isatty():
            return
        if self._progress is None:
            self._show(step)
        speed = f"{step.events / elapsed / 1e6:.1f} M events/s" if step.events else ""
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

        from heapscope.report.console import console

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


@contextmanager
def progress_bar() -> Iterator[Bar]:
    """A bar, for the functions of the interface to take as `progress`."""
    bar = Bar()
    try:
        yield bar
    finally:
        bar.close()
