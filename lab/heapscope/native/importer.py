"""The native importer of other recorders' text."""

from __future__ import annotations

from heapscope.native.library import ffi
from heapscope.native.owner import NativeTrace
from heapscope.native.status import check
from heapscope.native.structs import struct_of

_BAD_LINE = 256  # more than the library keeps


class NativeImport(NativeTrace):
    """Text in by push(), a trace's bytes out by take(). Use as a context manager."""

    def __init__(self, form: int) -> None:
        """`form`: hs_import_form_t."""
        super().__init__("hs_lab_import", form, what="importer")

    def push(self, data: bytes) -> None:
        pointer = ffi.from_buffer("uint8_t[]", data)
        check(self._lib.hs_lab_import_push(self.handle, pointer, len(data)), "importing text")

    stats = struct_of("hs_lab_import_stats")

    def bad_line(self) -> bytes:
        """The start of the first line that is neither event nor comment; untrusted."""
        out = ffi.new("uint8_t[]", _BAD_LINE)
        count = self._lib.hs_lab_import_bad_line(self.handle, out, _BAD_LINE)
        return bytes(ffi.buffer(out, min(count, _BAD_LINE)))
