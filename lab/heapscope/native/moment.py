"""The blocks that stand in a request's way in the heaps of a stopped replay: hs_lab_holes."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from heapscope.native.library import ffi, load
from heapscope.native.reader import NativeReader
from heapscope.native.status import check
from heapscope.native.structs import Rows, Struct, read_array, read_structs

NO_BLOCK = 0xFFFF_FFFF  #: NativeRequest.own: nothing is moved


@dataclass(frozen=True, kw_only=True)
class NativeRequest:
    """hs_lab_request_t."""

    size: int
    align: int = 0
    caps: int = 0
    own: int = NO_BLOCK
    regions: int = 0


def stop_before(reader: NativeReader, event: int) -> None:
    """Before the first push: takes no event from `event` on, so that all rows are as of then."""
    check(load().hs_lab_reader_stop(reader.handle, event), "stopping the replay")


def let_move(reader: NativeReader, sites: Sequence[int]) -> None:
    """Before the first push: where a request fails, blocks of these call sites are moved."""
    indices = ffi.new("uint32_t[]", list(sites))
    status = load().hs_lab_reader_movable(reader.handle, indices, len(sites))
    check(status, "letting blocks move")


def moved(reader: NativeReader) -> tuple[int, int]:
    """Blocks that were moved, each time, and requests that this made succeed."""
    counts = ffi.new("uint64_t[2]")
    load().hs_lab_moved(reader.handle, counts)
    return int(counts[0]), int(counts[1])


def holes(reader: NativeReader, request: NativeRequest) -> tuple[Struct, ...]:
    """One row a region, for the end of the replay or for the event that it stopped before."""
    requested = ffi.new("hs_lab_request_t *", asdict(request))
    return read_structs(load().hs_lab_holes, reader.handle, requested)


def pieces(reader: NativeReader, region: int, start: int, end: int) -> Rows:
    """The free and used pieces of a region between two addresses, in their order."""
    call = load().hs_lab_pieces
    return read_array(call, reader.handle, region, start, end)
