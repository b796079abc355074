"""The facts of a log, line by line, taken into a reading."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from heapscope.logs.reader.happenings import Happening, Watcher
from heapscope.logs.reader.reading import LogReading
from heapscope.native.log import NativeLog

OnHappening = Callable[[Happening], None]


def read_log(
    pieces: Iterable[bytes],
    reading: LogReading,
    *,
    patterns: Sequence[str] = (),
    on_happening: OnHappening | None = None,
) -> int:
    """Reads a log that comes in pieces of any size; returns how many lines it has. An empty piece
    says that the input is quiet: a line without an end is then taken for whole. `patterns`:
    regular expressions whose groups are figures. `on_happening` is called before the next piece is
    asked for. InputError: a pattern is invalid."""
    watcher = Watcher(reading)
    with NativeLog() as log:
        for pattern in patterns:
            log.add_pattern(pattern)
        for piece in pieces:
            for fact in log.push(piece) if piece else log.flush():
                if on_happening is None:
                    reading.take(fact)
                else:
                    for happening in watcher.take(fact):
                        on_happening(happening)
        for fact in log.flush():
            reading.take(fact)
        return log.lines()
