"""Events themselves, for tools that make or transform traces: hs_lab_event_t as numpy rows."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeTrace
from heapscope.native.reader import NameTable, NativeReader
from heapscope.native.status import check
from heapscope.native.structs import Rows, dtype, read_array

Events = Rows  #: of hs_lab_event_t, whose fields device/include/heapscope/trace.h explains

_TAKE = 1 << 16


def event_dtype() -> np.dtype[np.void]:
    """The fields of an event."""
    return dtype("hs_lab_event_t")


def keep_events(reader: NativeReader) -> None:
    """From now on this census keeps its events; take_events() after each push and after finish."""
    check(load().hs_lab_reader_keep(reader.handle), "keeping events")


def take_events(reader: NativeReader) -> Iterator[Events]:
    """The kept events that were not taken yet, in arrays of at most 65536."""
    while len(rows := read_array(load().hs_lab_reader_take, reader.handle, most=_TAKE)):
        yield rows


class NativeWriter(NativeTrace):
    """Events in, a trace's bytes out by take(). Use as a context manager."""

    def __init__(self, *, features: int = 0, address_shift: int = 0) -> None:
        super().__init__("hs_lab_writer", features, address_shift, what="writer of the trace")

    def name(self, table: NameTable, index: int, name: bytes) -> None:
        call = self._lib.hs_lab_writer_name
        check(call(self.handle, int(table), index, name, len(name)), f"name {index}")

    def events(self, rows: Events) -> None:
        """StatusError names the first row that the format cannot take."""
        rows = np.ascontiguousarray(rows, dtype=event_dtype())
        written = ffi.new("size_t *")
        call = self._lib.hs_lab_writer_events
        status = call(self.handle, ffi.from_buffer("hs_lab_event_t[]", rows), len(rows), written)
        check(status, f"event {written[0]} of {len(rows)}")
