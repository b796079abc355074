"""Facts that a reader is asked for before it reads: live blocks at chosen moments, and the clock at
chosen events."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import Rows, read_array

#: HS_LAB_MOMENTS_MAX
MOMENTS_MAX = 1024


def watch(reader: NativeReader, events: Sequence[int] | NDArray[np.uint64], *, stop: int) -> None:
    """Before the first push of a census: looks before each of these heap events (ascending), and
    takes no event from `stop` on."""
    rows = np.array(events, dtype=np.uint64)
    pointer = ffi.from_buffer("uint64_t[]", rows)
    call = load().hs_lab_reader_watch
    check(call(reader.handle, pointer, len(rows), stop), "watching the live blocks")


def moments(reader: NativeReader) -> list[tuple[np.void, Rows]]:
    """Each moment with its holders, by task and site."""
    rows, holders = read_array(load().hs_lab_moments, reader.handle), load().hs_lab_moment_holders
    return [(row, read_array(holders, reader.handle, i)) for i, row in enumerate(rows)]


def ended_lives(reader: NativeReader) -> Rows:
    """The blocks that were freed, by task, site and the moments that they lived between."""
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
