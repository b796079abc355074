"""The rows of a report's drawings: hs_lab_reader_survey and hs_lab_reader_draw, as numpy arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import Rows, Struct, read_array, read_struct


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
    return read_array(load().hs_lab_columns, reader.handle)


def closest(reader: NativeReader) -> Rows:
    """One row a memory kind."""
    return read_array(load().hs_lab_closest, reader.handle)


def moments(reader: NativeReader) -> Rows:
    return read_array(load().hs_lab_picture_moments, reader.handle)


def blocks(reader: NativeReader) -> Rows:
    return read_array(load().hs_lab_picture_blocks, reader.handle)


def sites(reader: NativeReader) -> Rows:
    return read_array(load().hs_lab_sites, reader.handle)


def size_classes(reader: NativeReader) -> Rows:
    return read_array(load().hs_lab_size_classes, reader.handle)


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


def _head(reader: NativeReader) -> Struct:
    return read_struct(load().hs_lab_picture, reader.handle)
