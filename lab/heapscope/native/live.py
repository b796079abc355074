"""Live blocks at chosen moments: hs_lab_reader_watch and what it kept."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check

__all__ = [
    "HOLDER",
    "LIFE",
    "LIVE",
    "MOMENT",
    "MOMENTS_MAX",
    "ended_lives",
    "live_blocks",
    "moments",
    "watch",
]

#: HS_LAB_MOMENTS_MAX
MOMENTS_MAX = 1024

#: hs_lab_moment_row_t
MOMENT = np.dtype(
    [
        ("event", np.uint64),
        ("time", np.uint64),
        ("bytes", np.uint64),
        ("blocks", np.uint64),
        ("holders", np.uint64),
    ]
)

#: hs_lab_holder_row_t
HOLDER = np.dtype(
    [("bytes", np.uint64), ("blocks", np.uint64), ("task", np.uint32), ("site", np.uint32)]
)

#: hs_lab_live_row_t
LIVE = np.dtype(
    [
        ("key", np.uint64),
        ("size", np.uint64),
        ("birth", np.uint64),
        ("task", np.uint32),
        ("site", np.uint32),
    ]
)

#: hs_lab_life_row_t
LIFE = np.dtype(
    [
        ("blocks", np.uint64),
        ("bytes", np.uint64),
        ("task", np.uint32),
        ("site", np.uint32),
        ("born", np.uint32),
        ("freed", np.uint32),
    ]
)

Rows = NDArray[np.void]


def watch(reader: NativeReader, events: Sequence[int], *, stop: int) -> None:
    """Before the first push of a census: looks before each of these heap events (ascending), and
    takes no event from `stop` on."""
    rows = np.array(events, dtype=np.uint64)
    pointer = ffi.from_buffer("uint64_t[]", rows)
    call = load().hs_lab_reader_watch
    check(call(reader.handle, pointer, len(rows), stop), "watching the live blocks")


def moments(reader: NativeReader) -> list[tuple[np.void, Rows]]:
    """Each moment with its holders, by task and site."""
    lib, handle = load(), reader.handle
    count = lib.hs_lab_moments(handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=MOMENT)
    lib.hs_lab_moments(handle, ffi.from_buffer("hs_lab_moment_row_t[]", rows), count)
    return [(row, _holders(reader, index, int(row["holders"]))) for index, row in enumerate(rows)]


def _holders(reader: NativeReader, moment: int, count: int) -> Rows:
    rows = np.zeros(count, dtype=HOLDER)
    pointer = ffi.from_buffer("hs_lab_holder_row_t[]", rows)
    load().hs_lab_moment_holders(reader.handle, moment, pointer, count)
    return rows


def ended_lives(reader: NativeReader) -> Rows:
    """The blocks that were freed, by task, site and the moments that they lived between."""
    call = load().hs_lab_lives
    count = call(reader.handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=LIFE)
    call(reader.handle, ffi.from_buffer("hs_lab_life_row_t[]", rows), count)
    return rows


def live_blocks(reader: NativeReader) -> Rows:
    """The blocks that are live as things stand, oldest first."""
    call = load().hs_lab_live
    count = call(reader.handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=LIVE)
    call(reader.handle, ffi.from_buffer("hs_lab_live_row_t[]", rows), count)
    return rows
