"""A log as the facts that its lines tell."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.native.log import Fact, NativeLog

__all__ = ["Fact", "read_facts"]


def read_facts(pieces: Iterable[bytes]) -> Iterator[Fact]:
    """The facts of a log that comes in pieces of any size, each as soon as its line has ended. An
    empty piece says that the input is quiet: a line without an end is then taken for whole."""
    with NativeLog() as log:
        for piece in pieces:
            yield from log.push(piece) if piece else log.flush()
        yield from log.flush()
