"""The clock's ticks at chosen heap events: hs_lab_reader_times and what it kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check


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
