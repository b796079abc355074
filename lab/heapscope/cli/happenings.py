"""Events of a log that still comes in, told at once."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.interrupt import ends_the_input
from heapscope.cli.answer import wants_tables
from heapscope.cli.held_output import release_output
from heapscope.logs.reader.happenings import Happening
from heapscope.logs.reader.incoming import is_stream

#: Seconds that a line waits: where the input ends within them, the answer says it all.
DELAY = 0.04


@dataclass(frozen=True, kw_only=True)
class Follow:
    """None where the input is a file."""

    say: Callable[[Happening], None] | None = None
    stop: Callable[[], bool] | None = None


class _Speaker:
    """Writes lines a moment after they are reported, from a thread of its own."""

    def __init__(self, *, to_errors: bool) -> None:
        self._target = sys.stderr if to_errors else sys.stdout
        self._lines: list[str] = []
        self._lock = threading.Lock()
        self._timer: threading.Timer | None = None
        self._spoke = False

    def say(self, happening: Happening) -> None:
        with self._lock:
            self._lines.append(happening.sentence())
            if self._timer is None:
                self._timer = threading.Timer(DELAY, self._speak)
                self._timer.daemon = True
                self._timer.start()

    def close(self) -> None:
        """The answer comes next. Lines that still wait are left out where none was written."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            if self._spoke:
                self._write()

    def _speak(self) -> None:
        with self._lock:
            self._timer = None
            if not self._spoke and self._target is sys.stdout:
                release_output()
            self._spoke = True
            self._write()

    def _write(self) -> None:
        lines, self._lines = self._lines, []
        try:
            self._target.write("".join(f"{line}\n" for line in lines))
            self._target.flush()
        except (BrokenPipeError, ValueError):
            self._lines = []


@contextmanager
def report_at_once(source: Path, json: Path | None) -> Iterator[Follow]:
    """On standard output, or where JSON goes there, on standard error."""
    if not is_stream(source):
        yield Follow()
        return
    speaker = _Speaker(to_errors=not wants_tables(json))
    with ends_the_input() as stop:
        try:
            yield Follow(say=speaker.say, stop=stop)
        finally:
            speaker.close()
