"""A trace as the driver's events."""

from __future__ import annotations

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from heapscope.native.events import Events, keep_events, take_events
from heapscope.native.reader import NativeReader
from heapscope.trace.feed import read_trace

__all__ = ["ALIGNED", "CALLOC", "EVENT", "FREE", "MALLOC", "REALLOC", "Rows", "load", "to_rows"]

MALLOC, CALLOC, ALIGNED, REALLOC, FREE = range(1, 6)

#: driver_event_t
EVENT = np.dtype([("kind", "<u4"), ("slot", "<u4"), ("after", "<u4"), ("size", "<u4")])

Rows = NDArray[np.void]  #: of dtype EVENT


def load(path: Path, count: int | None = None) -> Rows:
    """The first `count` calls of a trace, whatever task or heap they are of."""
    with NativeReader() as reader:
        keep_events(reader)
        read_trace(path, reader)
        return to_rows(np.concatenate(list(take_events(reader))))[:count]


def to_rows(events: Events) -> Rows:
    """Blocks are numbered by their keys; what is not a call is left out."""
    calls = events[(events["kind"] >= MALLOC) & (events["kind"] <= FREE)]
    kind, key, new_key = (calls[name] for name in ("kind", "key", "new_key"))
    moves = kind == REALLOC
    _, slots = np.unique(np.concatenate([key, new_key[moves]]), return_inverse=True)
    rows = np.zeros(len(calls), EVENT)
    rows["kind"] = kind
    rows["slot"] = slots[: len(calls)]
    rows["after"][moves] = slots[len(calls) :]
    rows["after"][kind == ALIGNED] = calls["align_log2"][kind == ALIGNED]
    rows["size"] = np.minimum(calls["size"], 0xFFFF_FFFF)
    return rows
