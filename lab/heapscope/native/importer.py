"""The native importer of other recorders' text."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeTrace
from heapscope.native.status import check
from heapscope.native.structs import struct_of

_LINES = 256  # taken at once
_ALL = 0xFFFF_FFFF_FFFF_FFFF


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """A line that was left out: its number from 1, why, and its first bytes (untrusted)."""

    number: int
    reason: str
    text: bytes


class NativeImport(NativeTrace):
    """Text in by push(), a trace's bytes out by take(). Use as a context manager."""

    def __init__(self, form: int, features: int = 0, *, keep_all: bool = False) -> None:
        """`form`: hs_import_form_t. `features`: of the trace, besides the form's own. `keep_all`:
        every line that is left out waits to be taken, and not only the first hundred."""
        super().__init__("hs_lab_import", form, features, what="importer")
        if keep_all:
            self._lib.hs_lab_import_keep(self.handle, _ALL)
        self._rows = ffi.new("hs_lab_left_out_t[]", _LINES)

    def push(self, data: bytes) -> None:
        """StatusError with Status.VERSION: a line needs the features in stats().wanted."""
        pointer = ffi.from_buffer("uint8_t[]", data)
        check(self._lib.hs_lab_import_push(self.handle, pointer, len(data)), "importing text")

    stats = struct_of("hs_lab_import_stats")

    def left_out(self) -> Iterator[LeftOut]:
        """The kept lines that were left out and not yet taken."""
        reasons = reason_names()
        while count := self._lib.hs_lab_import_left_out(self.handle, self._rows, _LINES):
            for row in self._rows[0:count]:
                text = bytes(ffi.buffer(row.text))[: row.length]
                yield LeftOut(number=row.line, reason=reasons[row.reason], text=text)

    def reasons(self) -> dict[str, int]:
        """Lines left out by reason, all of them counted."""
        count = self._lib.hs_lab_import_reason_count
        result = {name: count(self.handle, i) for i, name in enumerate(reason_names())}
        return {name: lines for name, lines in result.items() if lines}


def reason_names() -> list[str]:
    """The reasons for which a line is left out, by number."""
    lib = load()
    names: list[str] = []
    while (name := lib.hs_lab_import_reason_name(len(names))) != ffi.NULL:
        names.append(ffi.string(name).decode())
    return names
