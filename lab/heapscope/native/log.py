"""The native reader of device logs: bytes in, facts out."""

from __future__ import annotations

import functools
import struct
from collections.abc import Iterator
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.structs import number_of

_TAKE = 256  # facts at a time: as many as can wait in the library


#: hs_lab_log_fact_t: line, offset, uptime, before, clock, twelve numbers, length, told, unit, kind,
#: memory, flags, name, text, quote. A static assertion of lab/native/log/log.h nails its size down.
_ROW = struct.Struct("=QQqqq12qIIIHBB64s64s192s")
_FIRST = 5  # index of the first number
_TOLD, _UNIT, _KIND, _MEMORY, _FLAGS, _NAME, _TEXT, _QUOTE = range(18, 26)


class _Number:
    """A number of a fact; None where the line does not tell it, or tells one below 0 of what
    cannot be below it."""

    def __init__(self, bit: int, *, signed: bool = False) -> None:
        self._bit = bit
        self._signed = signed

    def __get__(self, fact: Fact, _: object = None) -> int | None:
        row = fact._row
        if not row[_TOLD] >> self._bit & 1:
            return None
        number: int = row[_FIRST + self._bit]
        return number if number >= 0 or self._signed else None


class _Flag:
    """A flag of a fact."""

    def __init__(self, bit: int) -> None:
        self._bit = bit

    def __get__(self, fact: Fact, _: object = None) -> bool:
        return bool(fact._row[_FLAGS] >> self._bit & 1)


class Fact:
    """hs_lab_log_fact_t, where lab/native/rows/log.h says what each kind has and in what unit. A
    number that the line does not tell is None. Fields are taken out when they are asked for: most
    facts are asked for few."""

    __slots__ = ("_row", "kind", "line", "memory")

    def __init__(self, row: tuple[Any, ...], kind: str, memory: str) -> None:
        self._row = row
        self.kind = (
            kind  #: the name of hs_log_kind_t in lower case without its prefix, "boot_region"
        )
        self.line: int = row[0]  #: from 1
        self.memory = memory  #: "any", "internal", "spiram": of which kind of memory a figure is

    def of_memory(self, memory: str) -> Fact:
        """The same figures of another kind of memory."""
        return Fact(self._row, self.kind, memory)

    @property
    def offset(self) -> int:
        """The line's first byte in the input."""
        return int(self._row[1])

    @property
    def length(self) -> int:
        """Bytes of the line."""
        return int(self._row[17])

    @property
    def uptime(self) -> int | None:
        """ms since the start of the program."""
        return None if self._row[2] < 0 else int(self._row[2])

    @property
    def before(self) -> int | None:
        """The uptime of the last line that tells one."""
        return None if self._row[3] < 0 else int(self._row[3])

    @property
    def clock(self) -> int | None:
        """ms since midnight."""
        return None if self._row[4] < 0 else int(self._row[4])

    address = _Number(0)
    size = _Number(1)
    caps = _Number(2)
    free = _Number(3)
    largest = _Number(4)
    min = _Number(5)
    total = _Number(6)
    used = _Number(7, signed=True)
    peak = _Number(8)
    count = _Number(9)
    free_count = _Number(10)
    code = _Number(11, signed=True)

    @property
    def unit(self) -> int:
        """Bytes that the printed sizes count: 1, or 1024 where they are rounded."""
        return int(self._row[_UNIT])

    no_memory = _Flag(0)  #: It means that memory was short.
    weak = _Flag(1)  #: The words would also fit something else than a heap.
    cut = _Flag(2)  #: The line ends within the form.
    wrapped = _Flag(3)  #: It was put together from rows of a terminal.
    arduino = _Flag(4)  #: Its prefix is that of Arduino's log.
    asked = _Flag(5)  #: A pattern of the user found it.
    unended = _Flag(6)  #: Its line has no end yet: its last number may go on.

    @property
    def name(self) -> str:
        return _text(self._row[_NAME])

    @property
    def text(self) -> str:
        return _text(self._row[_TEXT])

    @property
    def quote(self) -> str:
        """The line for people: without prefix, colours and secrets."""
        return _text(self._row[_QUOTE])


class NativeLog(NativeOwner):
    """Bytes in pieces of any size in, facts out. Use as a context manager."""

    def __init__(self) -> None:
        lib = load()
        super().__init__(lib.hs_lab_log_new(), lib.hs_lab_log_delete, what="reader of logs")
        self._rows = ffi.new("hs_lab_log_fact_t[]", _TAKE)

    def add_pattern(self, text: str) -> None:
        """Adds a regular expression whose groups are figures, before the first byte. Raises
        InputError if the pattern is invalid or unsupported."""
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

    #: Lines that were begun so far.
    lines = number_of("hs_lab_log_lines")

    def _take(self) -> Iterator[Fact]:
        kinds, memories = enum_names(*KINDS), enum_names(*MEMORIES)
        while count := self._lib.hs_lab_log_take(self.handle, self._rows, _TAKE):
            for row in _ROW.iter_unpack(ffi.buffer(self._rows, count * _ROW.size)[:]):
                yield Fact(row, kinds[row[_KIND]], memories[row[_MEMORY]])


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


#: The types of the kinds of facts and of memories, and what stands before each name.
KINDS = ("hs_log_kind_t", "HS_LOG_")
MEMORIES = ("hs_log_memory_t", "HS_LOG_MEMORY_")


@functools.cache
def enum_names(enum: str, prefix: str) -> tuple[str, ...]:
    """The names of an enumeration in lower case, by their numbers."""
    load()
    elements = ffi.typeof(enum).elements
    return tuple(elements[number].removeprefix(prefix).lower() for number in sorted(elements))


def _text(field: bytes) -> str:
    return field.partition(b"\0")[0].decode("utf-8", "replace")
