"""The facts of a log, line by line, taken into a reading."""

from __future__ import annotations

from collections.abc import Iterable

from heapscope.log.reading import LogReading
from heapscope.native.log import NativeLog


def read_log(pieces: Iterable[bytes], reading: LogReading) -> int:
    """Reads a log that comes in pieces of any size; returns how many lines it has. An empty piece
    says that the input is quiet: a line without an end is then taken for whole."""
    with NativeLog() as log:
        for piece in pieces:
            for fact in log.push(piece) if piece else log.flush():
                reading.take(fact)
        for fact in log.flush():
            reading.take(fact)
        return log.lines()
