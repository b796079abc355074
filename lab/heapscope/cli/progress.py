"""A progress bar for what takes longer than a second, on a terminal only."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

__all__ = ["Bar", "progress_bar"]

DELAY = 1.0  # seconds before the bar shows


class Bar:
    """Called with bytes read, bytes in all (None: unknown) and, where they are counted, events.
    `parts`: with parts of the work instead of bytes."""

    def __init__(self, what: str, *, parts: bool = False) -> None:
        self._what = what
        self._parts = parts
        self._began = time.monotonic()
        self._progress: Any = None
        self._task: Any = None

    def __call__(self, done: int, total: int | None, events: int = 0) -> None:
        elapsed = time.monotonic() - self._began
        if elapsed < DELAY or not sys.stderr.isatty():
            return
        if self._progress is None:
            self._show()
        speed = f"{events / elapsed / 1e6:.1f} M events/s" if events else ""
        self._progress.update(self._task, completed=done, total=total, speed=speed)

    def close(self) -> None:
        if self._progress is not None:
            self._progress.stop()

    def _show(self) -> None:
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
            MofNCompleteColumn() if self._parts else DownloadColumn(),
            TextColumn("{task.fields[speed]}", markup=False),
            console=console(sys.stderr),
            transient=True,
        )
        self._progress.start()
        self._task = self._progress.add_task(self._what, total=None, speed="")


@contextmanager
def progress_bar(what: str, *, parts: bool = False) -> Iterator[Bar]:
    """`what` is a plain word of ours, never a name out of a trace."""
    bar = Bar(what, parts=parts)
    try:
        yield bar
    finally:
        bar.close()
