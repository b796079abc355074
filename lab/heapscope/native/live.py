"""Facts that are chosen before a reader reads: the blocks of an interval, and the clock at
chosen events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import Rows, Struct, read_array, read_struct


def watch(
    reader: NativeReader, first: int, stop: int, *, before: NativeReader | None = None
) -> None:
    """Before the first push of a census: watches the heap events from `first` on, and takes none
    from `stop` on. `before`: the finished first reading; None: this is it."""
    handle = ffi.NULL if before is None else before.handle
    check(
        load().hs_lab_reader_watch(reader.handle, first, stop, handle), "watching the live blocks"
    )


def watched(reader: NativeReader) -> Struct:
    """hs_lab_interval_t"""
    return read_struct(load().hs_lab_reader_interval, reader.handle)


def holders(reader: NativeReader) -> Rows:
    """hs_lab_holder_row_t, by task and site: who allocated in the interval."""
    return read_array(load().hs_lab_holders, reader.handle)


def ended_lives(reader: NativeReader) -> Rows:
    """The blocks that were freed, by task, site and the stretches that they lived in; known to the
    second reading."""
    return read_array(load().hs_lab_lives, reader.handle)


def live_blocks(reader: NativeReader) -> Rows:
    """The blocks that are live as things stand, oldest first."""
    return read_array(load().hs_lab_live, reader.handle)


def ask_times(reader: NativeReader, events: Sequence[int]) -> None:
    """Before the first push of a census: takes only the ticks at these events (ascending, each
    once) from the trace."""
    rows = np.array(events, dtype=np.uint64)
    pointer = ffi.from_buffer("uint64_t[]", rows)
    check(load().hs_lab_reader_times(reader.handle, pointer, len(rows)), "looking up times")


def times(reader: NativeReader) -> list[int]:
    """One value an event; NEVER: it is not in the trace, or was lost."""
    count = load().hs_lab_times(reader.handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=np.uint64)
    load().hs_lab_times(reader.handle, ffi.from_buffer("uint64_t[]", rows), count)
    return [int(time) for time in rows]
