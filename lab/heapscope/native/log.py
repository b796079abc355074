"""The native reader of device logs: bytes in, facts out."""

from __future__ import annotations

import functools
from collections.abc import Iterator
from typing import Any, NamedTuple

from heapscope.errors import InputError
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.status import Status, StatusError
from heapscope.printable import printable

_TAKE = 256  # facts at a time: as many as can wait in the library


class Fact(NamedTuple):
    """hs_lab_log_fact_t, where lab/native/rows/log.h says what each kind has and in what unit. A
    number that the line does not tell is None."""

    kind: str  #: the name of hs_log_kind_t in lower case without its prefix, "boot_region"
    line: int  #: from 1
    offset: int  #: of the line's first byte in the input
    length: int  #: bytes of the line
    uptime: int | None  #: ms since the start of the program
    clock: int | None  #: ms since midnight
    address: int | None
    size: int | None
    caps: int | None
    free: int | None
    largest: int | None
    min: int | None
    total: int | None
    used: int | None
    peak: int | None
    count: int | None  # type: ignore[assignment]  # a tuple's method, which no fact needs
    free_count: int | None
    code: int | None
    memory: str  #: "any", "internal", "spiram": of which kind of memory a figure is
    unit: int  #: bytes that the printed sizes count: 1, or 1024 where they are rounded
    no_memory: bool  #: it means that memory was short
    weak: bool  #: the words would also fit something else than a heap
    cut: bool  #: the line ends within the form
    wrapped: bool  #: it was put together from rows of a terminal
    arduino: bool  #: its prefix is that of Arduino's log
    asked: bool  #: a pattern of the user found it
    name: str
    text: str
    quote: str  #: the line for people: without prefix, colours and secrets


class NativeLog(NativeOwner):
    """Bytes in pieces of any size in, facts out. Use as a context manager."""

    def __init__(self) -> None:
        lib = load()
        log = lib.hs_lab_log_new()
        if log == ffi.NULL:
            raise StatusError("the reader of logs cannot be set up", status=Status.MEMORY)
        super().__init__(log, lib.hs_lab_log_delete, what="reader of logs")
        self._rows = ffi.new("hs_lab_log_fact_t[]", _TAKE)

    def add_pattern(self, text: str) -> None:
        """Adds a regular expression whose groups are figures, before the first byte. InputError:
        it is none that is known here."""
        data, at = text.encode("utf-8"), ffi.new("size_t *")
        status = self._lib.hs_lab_log_pattern(self.handle, data, len(data), at)
        if status:
            where = len(data[: at[0]].decode("utf-8", "ignore"))
            raise InputError(
                f"'{printable(text, limit=100)}' is not a pattern: "
                f"{_FAULTS[status]}, at character {where}",
                remedy=r"write one like 'free=(\d+) largest=(\d+)': each group is a number",
            )

    def push(self, data: bytes) -> Iterator[Fact]:
        """The facts of the lines that end in these bytes. Exhaust it before the next call."""
        pointer = ffi.from_buffer("uint8_t[]", data)
        taken = 0
        while taken < len(data):
            taken += self._lib.hs_lab_log_push(self.handle, pointer + taken, len(data) - taken)
            yield from self._take()

    def flush(self) -> Iterator[Fact]:
        """The same of a line without an end: when the input is over, or has long been quiet."""
        self._lib.hs_lab_log_flush(self.handle)
        yield from self._take()

    def lines(self) -> int:
        """Lines that were begun so far."""
        return int(self._lib.hs_lab_log_lines(self.handle))

    def _take(self) -> Iterator[Fact]:
        while count := self._lib.hs_lab_log_take(self.handle, self._rows, _TAKE):
            for index in range(count):
                yield _fact(self._rows[index])


#: By hs_pattern_status_t of lab/native/log/pattern.h.
_FAULTS = (
    "",
    "a bracket has no partner",
    "there is nothing to repeat",
    "a range is the wrong way round",
    "this is not supported",
    "it is too long",
    "these are too many groups or patterns",
    "it has no group",
)


def fact_kinds() -> tuple[str, ...]:
    """Every kind, by its number."""
    return _names("hs_log_kind_t", "HS_LOG_")


@functools.cache
def _names(enum: str, prefix: str) -> tuple[str, ...]:
    load()
    elements = ffi.typeof(enum).elements
    return tuple(elements[number].removeprefix(prefix).lower() for number in sorted(elements))


_NUMBERS = (
    "address",
    "size",
    "caps",
    "free",
    "largest",
    "min",
    "total",
    "used",
    "peak",
    "count",
    "free_count",
    "code",
)  # in the order of HS_LOG_TOLD_*


def _fact(row: Any) -> Fact:
    told, flags = row.told, row.flags
    return Fact._make(
        (
            _names("hs_log_kind_t", "HS_LOG_")[row.kind],
            row.line,
            row.offset,
            row.length,
            None if row.uptime < 0 else row.uptime,
            None if row.clock < 0 else row.clock,
            *(getattr(row, name) if told >> bit & 1 else None for bit, name in enumerate(_NUMBERS)),
            _names("hs_log_memory_t", "HS_LOG_MEMORY_")[row.memory],
            row.unit,
            bool(flags & 1),
            bool(flags & 2),
            bool(flags & 4),
            bool(flags & 8),
            bool(flags & 16),
            bool(flags & 32),
            _text(row.name),
            _text(row.text),
            _text(row.quote),
        )
    )


def _text(field: Any) -> str:
    return str(ffi.string(field).decode("utf-8", "replace"))
