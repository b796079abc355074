"""Rows of a numpy struct as text, written by native code: hs_lab_rows_text."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.native.library import ffi, load

_BUFFER = 1 << 20


@dataclass(frozen=True, kw_only=True)
class Cell:
    """A field of the row after a fixed text. Texts are written as they are: the caller quotes."""

    before: bytes = b""
    field: str = ""  # "": the text alone
    names: Sequence[bytes] = ()  # in place of the numbers below its length
    none: int | None = None  # a number that is written as `none_text`
    none_text: bytes = b""


class RowText:
    """Cells of rows of one dtype. A row may not be longer than 1 MB."""

    def __init__(self, dtype: np.dtype[np.void], cells: Sequence[Cell]) -> None:
        self._dtype = dtype
        self._kept: list[Any] = []  # what the cells point to
        self._cells = ffi.new("hs_lab_cell_t[]", len(cells))
        self._count = len(cells)
        self._buffer = ffi.new("uint8_t[]", _BUFFER)
        for out, cell in zip(self._cells, cells, strict=True):
            self._fill(out, cell)

    def _fill(self, out: Any, cell: Cell) -> None:
        out.before, out.before_size = self._bytes(cell.before), len(cell.before)
        if not cell.field:
            return
        kind, offset = self._dtype.fields[cell.field][:2]  # type: ignore[index]
        out.offset, out.width = offset, kind.itemsize
        if cell.none is not None:
            out.has_none, out.none = 1, cell.none
            out.none_text, out.none_size = self._bytes(cell.none_text), len(cell.none_text)
        if cell.names:
            ends = np.cumsum([len(name) for name in cell.names], dtype=np.uint64)
            out.name_text, out.names = self._bytes(b"".join(cell.names)), len(cell.names)
            out.name_ends = self._keep(ffi.from_buffer("uint64_t[]", ends))

    def _bytes(self, text: bytes) -> Any:
        return self._keep(ffi.from_buffer("uint8_t[]", text))

    def _keep(self, pointer: Any) -> Any:
        self._kept.append(pointer)
        return pointer

    def write(self, rows: NDArray[np.void]) -> Iterator[bytes]:
        """The text of the rows, in pieces of at most 1 MB."""
        rows = np.ascontiguousarray(rows, dtype=self._dtype)
        pointer = ffi.from_buffer("uint8_t[]", rows)
        size = self._dtype.itemsize
        written = ffi.new("size_t *")
        done = 0
        while done < len(rows):
            done += load().hs_lab_rows_text(
                self._cells,
                self._count,
                pointer + done * size,
                size,
                len(rows) - done,
                self._buffer,
                _BUFFER,
                written,
            )
            if not written[0]:
                raise ValueError("a row is longer than 1 MB")
            yield bytes(ffi.buffer(self._buffer, written[0]))
