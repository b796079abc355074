"""The names of a table of a trace as columns: there may be a million, of which a few are shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from heapscope.native.library import ffi, load
from heapscope.native.structs import Rows, read_array

_INDEX_MAX = 0xFFFF_FFFF
_NO_NAME = ffi.integer_const("HS_LAB_NO_NAME")


class NameColumns(Mapping[int, bytes | None]):
    """None: the index is used and has no name. `rows`: hs_lab_name_row_t by index, ascending;
    `text`: their bytes."""

    def __init__(self, rows: Rows, text: bytes | bytearray) -> None:
        self._rows = rows
        self._indices = rows["index"].copy()
        self._text = text

    def __getitem__(self, index: int) -> bytes | None:
        at = len(self)
        if 0 <= index <= _INDEX_MAX:
            at = int(np.searchsorted(self._indices, np.uint32(index)))
        if at == len(self) or self._indices[at] != index:
            raise KeyError(index)
        return self._name(at)

    def __iter__(self) -> Iterator[int]:
        return iter(self._indices.tolist())

    def __len__(self) -> int:
        return len(self._rows)

    def suspects(self) -> Iterator[bytes]:
        """The names that several indices may have: those that have one all by themselves are not
        among them."""
        _, where, counts = np.unique(self._rows["hash"], return_inverse=True, return_counts=True)
        named = self._rows["length"] != _NO_NAME
        for at in np.flatnonzero((counts[where] > 1) & named).tolist():
            yield self._name(at) or b""

    def _name(self, at: int) -> bytes | None:
        row = self._rows[at]
        length, begin = int(row["length"]), int(row["begin"])
        return None if length == _NO_NAME else bytes(self._text[begin : begin + length])


def name_columns(reader: Any, table: int) -> NameColumns:
    """All names of a table of a native reader."""
    call = load().hs_lab_reader_names
    rows = read_array(call, reader, table, ffi.NULL)
    if len(rows) == 0:
        return NameColumns(rows, b"")
    last = rows[-1]
    length = int(last["length"])
    text = bytearray(int(last["begin"]) + (0 if length == _NO_NAME else length))
    if text:
        call(reader, table, ffi.from_buffer("uint8_t[]", text), *_room(rows))
    return NameColumns(rows, text)


def _room(rows: Rows) -> tuple[Any, int]:
    return ffi.from_buffer("hs_lab_name_row_t[]", rows), len(rows)
