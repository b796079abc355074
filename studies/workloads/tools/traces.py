"""Traces as files: from a recorder, from numpy rows, compressed, and compared."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from heapscope.base.zstd import ZstdCompressor
from heapscope.native.events import Events, NativeWriter, event_dtype, keep_events, take_events
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["LEVEL", "Kind", "compress", "is_allocation", "read_events", "write_trace"]

CLOCK = 2  # HS_TRACE_CLOCK
LEVEL = 19  #: of zstd: made once, read often


@dataclass(frozen=True)
class Kind:
    """hs_event_kind_t"""

    MALLOC = 1
    CALLOC = 2
    ALIGNED = 3
    REALLOC = 4
    FREE = 5
    MARK = 7


def is_allocation(events: Events) -> np.ndarray:
    return np.isin(events["kind"], (Kind.MALLOC, Kind.CALLOC, Kind.ALIGNED))


def read_events(path: Path) -> Events:
    """All of a trace's events."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        rows = list(take_events(reader))
        return np.concatenate(rows) if rows else np.zeros(0, dtype=event_dtype())


def compress(trace: Path, out: Path) -> None:
    """Puts a recorder's file where `out` says; compressed if that ends in .zst."""
    save(trace.read_bytes(), out)


def save(trace: bytes, out: Path) -> None:
    out.parent.mkdir(parents=True, exist_ok=True)
    if out.suffix == ".zst":
        packer = ZstdCompressor(level=LEVEL)
        packer.set_pledged_input_size(len(trace))
        trace = packer.compress(trace, ZstdCompressor.FLUSH_FRAME)
    out.write_bytes(trace)


def write_trace(
    out: Path,
    events: Events,
    *,
    metadata: Mapping[str, str],
    tasks: Sequence[str],
    marks: Sequence[str],
) -> None:
    """`tasks` and `marks` are the names of the indices in the events; with `clock_hz` in the
    metadata the events' times are written too."""
    features = CLOCK if "clock_hz" in metadata else 0
    with NativeWriter(features=features) as writer:
        writer.metadata("word_size", "4")
        for key, value in metadata.items():
            writer.metadata(key, value)
        for index, name in enumerate(tasks):
            writer.name(NameTable.TASK, index, name.encode())
        for index, name in enumerate(marks):
            writer.name(NameTable.MARK, index, name.encode())
        writer.events(events)
        writer.finish()
        save(b"".join(writer.take()), out)
