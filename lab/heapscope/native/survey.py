"""What a report is drawn from: hs_lab_reader_survey and hs_lab_reader_draw, as numpy rows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check

__all__ = [
    "BLOCK",
    "CLOSEST",
    "COLUMN",
    "HOLDING",
    "MOMENT",
    "OWNER_TASK",
    "Cells",
    "Rows",
    "begin_drawing",
    "begin_survey",
    "blocks",
    "cells",
    "closest",
    "columns",
    "moments",
    "payload",
    "sites",
    "size_classes",
]

#: HS_LAB_OWNER_TASK: the owner of a cell that is the task at position 0.
OWNER_TASK = 3

#: hs_lab_closest_row_t
CLOSEST = np.dtype(
    [
        ("event", np.uint64),
        ("time", np.uint64),
        ("size", np.uint32),
        ("largest", np.uint32),
        ("task", np.uint32),
        ("site", np.uint32),
        ("caps", np.uint32),
        ("region", np.uint32),
    ]
)

#: hs_lab_column_row_t
COLUMN = np.dtype(
    [
        ("first_event", np.uint64),
        ("first_time", np.uint64),
        ("events", np.uint64),
        ("least_live", np.uint64),
        ("most_live", np.uint64),
        ("most_live_event", np.uint64),
        ("least_free_event", np.uint64),
        ("least_largest_event", np.uint64),
        ("least_free", np.uint32),
        ("least_largest", np.uint32),
        ("closest", CLOSEST),
    ]
)

#: hs_lab_picture_moment_t
MOMENT = np.dtype(
    [
        ("event", np.uint64),
        ("time", np.uint64),
        ("live", np.uint64),
        ("live_blocks", np.uint64),
        ("free", np.uint32),
        ("largest_free", np.uint32),
        ("largest_allocatable", np.uint32),
        ("free_blocks", np.uint32),
    ]
)

#: hs_lab_block_row_t
BLOCK = np.dtype(
    [
        ("born", np.uint64),
        ("born_time", np.uint64),
        ("died", np.uint64),
        ("died_time", np.uint64),
        ("address", np.uint32),
        ("size", np.uint32),
        ("held", np.uint32),
        ("region", np.uint32),
        ("task", np.uint32),
        ("site", np.uint32),
        ("cells", np.uint32),
        ("padding", np.uint32),
    ]
)

#: hs_lab_holding_row_t
HOLDING = np.dtype(
    [
        ("index", np.uint32),
        ("others", np.uint32),
        ("payload", np.uint32),
        ("payload_peak", np.uint32),
        ("payload_at_peak", np.uint32),
        ("held", np.uint32),
        ("held_peak", np.uint32),
        ("blocks", np.uint32),
        ("blocks_peak", np.uint32),
        ("padding", np.uint32),
        ("payload_peak_event", np.uint64),
        ("allocations", np.uint64),
        ("failures", np.uint64),
    ]
)

Rows = NDArray[np.void]


@dataclass(frozen=True, kw_only=True, eq=False)
class Cells:
    """[column, row] each; what they hold stands in lab.h."""

    owner: NDArray[np.uint8]
    used: NDArray[np.uint8]
    size: NDArray[np.uint8]
    age: NDArray[np.uint8]
    block: NDArray[np.uint32]


def begin_survey(reader: NativeReader, count: int) -> None:
    """Before the first push of a replay: keeps at most `count` columns (even)."""
    check(load().hs_lab_reader_survey(reader.handle, count), "watching the replay")


def begin_drawing(
    reader: NativeReader, events: NDArray[np.uint64], rows: Sequence[int], peak: int
) -> None:
    """Before the first push of a replay: a column after each of these events, so many rows for each
    region."""
    lib = load()
    pointer = ffi.from_buffer("uint64_t[]", np.ascontiguousarray(events))
    strips = ffi.new("uint32_t[]", list(rows))
    check(lib.hs_lab_reader_draw(reader.handle, pointer, len(events), strips, peak), "drawing")


def columns(reader: NativeReader) -> Rows:
    return _rows(load().hs_lab_columns, reader, "hs_lab_column_row_t", COLUMN)


def closest(reader: NativeReader) -> Rows:
    """One row a memory kind."""
    return _rows(load().hs_lab_closest, reader, "hs_lab_closest_row_t", CLOSEST)


def moments(reader: NativeReader) -> Rows:
    return _rows(load().hs_lab_picture_moments, reader, "hs_lab_picture_moment_t", MOMENT)


def blocks(reader: NativeReader) -> Rows:
    return _rows(load().hs_lab_picture_blocks, reader, "hs_lab_block_row_t", BLOCK)


def sites(reader: NativeReader) -> Rows:
    return _rows(load().hs_lab_sites, reader, "hs_lab_holding_row_t", HOLDING)


def size_classes(reader: NativeReader) -> Rows:
    return _rows(load().hs_lab_size_classes, reader, "hs_lab_holding_row_t", HOLDING)


def cells(reader: NativeReader) -> Cells:
    head = _head(reader)
    shape = (head.columns, head.rows)
    small = [np.zeros(shape, dtype=np.uint8) for _ in range(4)]
    block = np.zeros(shape, dtype=np.uint32)
    pointers = [ffi.cast("uint8_t *", ffi.from_buffer(array)) for array in small]
    last = ffi.cast("uint32_t *", ffi.from_buffer(block))
    load().hs_lab_picture_cells(reader.handle, *pointers, last)
    owner, used, size, age = small
    return Cells(owner=owner, used=used, size=size, age=age, block=block)


def payload(reader: NativeReader) -> tuple[list[int], NDArray[np.uint32]]:
    """Task indices, and [column, task] the payload that each held."""
    lib, head = load(), _head(reader)
    tasks = [int(lib.hs_lab_picture_task(reader.handle, i)) for i in range(head.tasks)]
    values = np.zeros((head.columns, head.tasks), dtype=np.uint32)
    lib.hs_lab_picture_payload(reader.handle, ffi.cast("uint32_t *", ffi.from_buffer(values)))
    return tasks, values


def _head(reader: NativeReader) -> Any:
    head = ffi.new("hs_lab_picture_t *")
    load().hs_lab_picture(reader.handle, head)
    return head


def _rows(
    call: Callable[..., int], reader: NativeReader, struct: str, dtype: np.dtype[np.void]
) -> Rows:
    count = call(reader.handle, ffi.NULL, 0)
    rows = np.zeros(count, dtype=dtype)
    call(reader.handle, ffi.from_buffer(f"{struct}[]", rows), count)
    return rows
