"""The native importer of other recorders' text."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.status import Status, StatusError, check
from heapscope.native.structs import Struct, read_struct

_TAKE = 1 << 18
_BAD_LINE = 256  # more than the library keeps


class NativeImport(NativeOwner):
    """Text in by push(), a trace's bytes out by take(). Use as a context manager."""

    def __init__(self, form: int) -> None:
        """`form`: hs_import_form_t."""
        lib = load()
        text = lib.hs_lab_import_new(form)
        if text == ffi.NULL:
            raise StatusError("the import cannot be set up", status=Status.MEMORY)
        super().__init__(text, lib.hs_lab_import_delete, what="importer")
        self._buffer = ffi.new("uint8_t[]", _TAKE)

    def metadata(self, key: str, value: str) -> None:
        """A fact about the origin; before the first push."""
        raw = value.replace("\0", " ").encode("utf-8", "replace")
        status = self._lib.hs_lab_import_metadata(self.handle, key.encode("ascii"), raw)
        check(status, f"metadata {key}")

    def push(self, data: bytes) -> None:
        pointer = ffi.from_buffer("uint8_t[]", data)
        check(self._lib.hs_lab_import_push(self.handle, pointer, len(data)), "importing text")

    def finish(self) -> None:
        check(self._lib.hs_lab_import_finish(self.handle), "importing text")

    def take(self) -> Iterator[bytes]:
        """The finished bytes of the trace that were not taken yet."""
        while count := self._lib.hs_lab_import_take(self.handle, self._buffer, _TAKE):
            yield bytes(ffi.buffer(self._buffer, count))

    def stats(self) -> Struct:
        return read_struct(self._lib.hs_lab_import_stats, "hs_lab_import_stats_t", self.handle)

    def bad_line(self) -> bytes:
        """The start of the first line that is neither event nor comment; untrusted."""
        out = ffi.new("uint8_t[]", _BAD_LINE)
        count = self._lib.hs_lab_import_bad_line(self.handle, out, _BAD_LINE)
        return bytes(ffi.buffer(out, min(count, _BAD_LINE)))
