"""What stands in the way of a request as the heaps of a stopped replay stand: hs_lab_holes."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check

__all__ = ["NO_BLOCK", "PIECE", "HoleRow", "Pieces", "RequestRow", "holes", "pieces", "stop_before"]

NO_BLOCK = 0xFFFF_FFFF  #: RequestRow.own: nothing is moved

#: hs_lab_piece_row_t
PIECE = np.dtype(
    [
        ("key", np.uint64),
        ("address", np.uint32),
        ("size", np.uint32),
        ("state", np.uint32),
        ("requested", np.uint32),
        ("task", np.uint32),
    ],
    align=True,
)

Pieces = NDArray[np.void]  #: of dtype PIECE


@dataclass(frozen=True, kw_only=True)
class RequestRow:
    """hs_lab_request_t."""

    size: int
    align: int = 0
    caps: int = 0
    own: int = NO_BLOCK
    regions: int = 0


@dataclass(frozen=True, kw_only=True)
class HoleRow:
    """hs_lab_hole_row_t."""

    eligible: int
    has_heap: int
    fits: int
    capacity: int
    free: int
    largest_free: int
    largest_allocatable: int
    used_blocks: int
    free_blocks: int
    hole_start: int
    hole_size: int
    hole_free: int
    hole_live: int
    hole_blocks: int


def stop_before(reader: NativeReader, event: int) -> None:
    """Before the first push: takes no event from `event` on, so that all rows are as of then."""
    check(load().hs_lab_reader_stop(reader.handle, event), "stopping the replay")


def holes(reader: NativeReader, request: RequestRow) -> tuple[HoleRow, ...]:
    """One row a region. Of a finished replay: as of its end, or of the event it stopped before."""
    asked = ffi.new(
        "hs_lab_request_t *",
        {
            "size": request.size,
            "align": request.align,
            "caps": request.caps,
            "own": request.own,
            "regions": request.regions,
        },
    )
    call = load().hs_lab_holes
    count = call(reader.handle, asked, ffi.NULL, 0)
    rows = ffi.new("hs_lab_hole_row_t[]", count)
    call(reader.handle, asked, rows, count)
    names = HoleRow.__dataclass_fields__
    return tuple(HoleRow(**{name: getattr(row, name) for name in names}) for row in rows)


def pieces(reader: NativeReader, region: int, start: int, end: int) -> Pieces:
    """The free and used pieces of a region between two addresses, in their order."""
    call = load().hs_lab_pieces
    count = call(reader.handle, region, start, end, ffi.NULL, 0)
    rows = np.zeros(count, dtype=PIECE)
    pointer = ffi.from_buffer("hs_lab_piece_row_t[]", rows)
    call(reader.handle, region, start, end, pointer, count)
    return rows
