"""The files of a plan: what is kept of a trace, and its bytes."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.errors import HeapscopeError, InputError
from heapscope.base.printable import printable
from heapscope.fleet.sweep.plan import PlannedTrace, content_hash
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace
from heapscope.trace.metadata import WORD_SIZE, texts
from heapscope.trace.provenance import is_wide
from heapscope.trace.whole import TRACE_MAX


def read_input(path: Path, what: str) -> bytes:
    """The bytes of the file, with its .zst. InputError: it cannot be read, or is too long."""
    shown = printable(str(path), limit=400)
    try:
        with path.open("rb") as file:
            content = file.read(TRACE_MAX + 1)
    except OSError as error:
        raise InputError(
            f"{shown}: {what} cannot be read: {error.strerror or type(error).__name__}",
            remedy="names are relative to the plan's folder",
        ) from None
    if len(content) > TRACE_MAX:
        raise InputError(
            f"{shown}: {what} has more than {TRACE_MAX >> 20:,} MiB", remedy="compress it with zstd"
        )
    return content


def planned_trace(name: str, path: Path) -> PlannedTrace:
    """A file that is not a trace stays in the plan: each of its cells fails and says why."""
    content = content_hash(read_input(path, "a trace of the plan"))
    try:
        with NativeReader() as reader:
            health = read_trace(path, reader)
            events = int(reader.census().events)
            known = WORD_SIZE not in health.unknown
            wide = is_wide(texts(reader.metadata())) if known else None
    except HeapscopeError:
        return PlannedTrace(name=name, content=content, events=0)
    return PlannedTrace(name=name, content=content, events=events, wide=wide)
