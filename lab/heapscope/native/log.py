"""The native reader of device logs: bytes in, facts out."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.native.library import ffi, load
from heapscope.native.owner import NativeOwner
from heapscope.native.structs import enum_values, field_names, number_of, packing

_TAKE = 256  # facts at a time: as many as can wait in the library


_FACT = "hs_lab_log_fact_t"
_FAILED = "hs_lab_log_failed_t"
_ROW = packing(_FACT)
_AT = {name: index for index, name in enumerate(field_names(_FACT))}
_BITS, _FLAGS, _KIND, _MEMORY, _NAME = (
    _AT[name] for name in ("has", "flags", "kind", "memory", "name")
)
_MORE = "more"  # the kind of a row whose name goes on where that of the row before it was cut

#: The names of the kinds of facts and of memories by their numbers, and the bits of the numbers
#: that a line may tell and of the flags by their names.
KINDS = tuple(enum_values("hs_log_kind_t", "HS_LOG_"))
MEMORIES = tuple(enum_values("hs_log_memory_t", "HS_LOG_MEMORY_"))
REPORTED = enum_values("hs_log_has_t", "HS_LOG_HAS_")
#: The figures of a heap that a fact may tell, in the order in which they are taken.
FIGURES = ("free", "largest", "min", "total", "used", "peak")
_SIZES = tuple((name, REPORTED[name], _AT[name], name == "used") for name in FIGURES)
FLAGS = enum_values("hs_log_flag_t", "HS_LOG_")


class _Field:
    """A field of the struct, found by its name."""

    def __set_name__(self, _: object, name: str) -> None:
        self._at = _AT[name]


class _Plain(_Field):
    """A number that every fact has."""

    def __get__(self, fact: Fact, _: object = None) -> int:
        return int(fact._row[self._at])


class _Time(_Field):
    """A time in ms; None where the line does not tell it."""

    def __get__(self, fact: Fact, _: object = None) -> int | None:
        number: int = fact._row[self._at]
        return None if number < 0 else number


class _Number(_Field):
    """A number; None where the line does not tell it, or tells one below 0 of what cannot be below
    it."""

    def __init__(self, *, signed: bool = False) -> None:
        self._signed = signed

    def __set_name__(self, owner: object, name: str) -> None:
        super().__set_name__(owner, name)
        self._bit = REPORTED[name]

    def __get__(self, fact: Fact, _: object = None) -> int | None:
        row = fact._row
        if not row[_BITS] & self._bit:
            return None
        number: int = row[self._at]
        return number if number >= 0 or self._signed else None


class _Text(_Field):
    """A text, which is untrusted."""

    def __get__(self, fact: Fact, _: object = None) -> str:
        return _text(fact._row[self._at])


class _Flag:
    """A bit of the flags."""

    def __set_name__(self, _: object, name: str) -> None:
        self._bit = FLAGS[name]

    def __get__(self, fact: Fact, _: object = None) -> bool:
        return bool(fact._row[_FLAGS] & self._bit)


class Fact:
    """hs_lab_log_fact_t, where lab/native/rows/log.h says what each kind has and in what unit. A
    number that the line does not tell is None. Fields are taken out when they are asked for: most
    facts are asked for few."""

    __slots__ = ("_row", "kind", "memory")

    def __init__(self, row: tuple[Any, ...], kind: str, memory: str) -> None:
        self._row = row
        self.kind = kind  #: a name of KINDS
        self.memory = memory  #: a name of MEMORIES: of which kind of memory a figure is

    def with_more(self, row: tuple[Any, ...]) -> Fact:
        """The fact whose name goes on in `row`."""
        name = _cut(self._row[_NAME]) + _cut(row[_NAME])
        whole = (*self._row[:_NAME], name, *self._row[_NAME + 1 :])
        return Fact(whole, self.kind, self.memory)

    def sizes(self) -> list[tuple[str, int]]:
        """The figures of a heap that it tells, by name, in the order of FIGURES."""
        row = self._row
        bits = row[_BITS]
        return [
            (name, row[at])
            for name, bit, at, signed in _SIZES
            if bits & bit and (row[at] >= 0 or signed)
        ]

    def of_memory(self, memory: str) -> Fact:
        """The same figures of another kind of memory."""
        return Fact(self._row, self.kind, memory)

    def packed(self) -> bytes:
        """The struct."""
        return _ROW.pack(*self._row)

    line = _Plain()  #: from 1
    offset = _Plain()  #: the line's first byte in the input
    length = _Plain()  #: bytes of the line
    unit = _Plain()  #: bytes that the printed sizes count: 1, or 1024 where they are rounded

    uptime = _Time()  #: since the start of the program
    before = _Time()  #: the uptime of the last line that tells one
    clock = _Time()  #: since midnight
    time = _Time()  #: by the line's own words, from any zero

    address = _Number()
    size = _Number()
    caps = _Number()
    free = _Number()
    largest = _Number()
    min = _Number()
    total = _Number()
    used = _Number(signed=True)
    peak = _Number()
    count = _Number()
    free_count = _Number()
    code = _Number(signed=True)

    no_memory = _Flag()  #: It means that memory was short.
    weak = _Flag()  #: The words would also fit something else than a heap.
    cut = _Flag()  #: The line ends within the form.
    pattern = _Flag()  #: A pattern of the user found it.
    arduino = _Flag()  #: Its prefix is that of Arduino's log.
    unended = _Flag()  #: Its line has no end yet: its last number may go on.

    name = _Text()
    text = _Text()
    quote = _Text()  #: the line for people: without prefix, colours and secrets


class NativeLog(NativeOwner):
    """Bytes in pieces of any size in, facts out. Use as a context manager."""

    def __init__(self) -> None:
        lib = load()
        super().__init__(lib.hs_lab_log_new(), lib.hs_lab_log_delete, what="reader of logs")
        self._rows = ffi.new(f"{_FACT}[]", _TAKE)

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

    def add_word(self, word: str, meaning: str, *, where: str) -> None:
        """Adds a word of the user, before the first byte. `where`: for the InputError that says
        what is wrong with it."""
        name, text, at = word.encode("utf-8"), meaning.encode("utf-8"), ffi.new("size_t *")
        status = self._lib.hs_lab_log_word(self.handle, name, text, at)
        if status:
            unknown = text[at[0] :].decode("utf-8", "ignore").split() or [meaning]
            fault = _WORD_FAULTS[status].format(
                word=printable(word, limit=60),
                part=printable(unknown[0], limit=40),
                meaning=printable(meaning, limit=60),
            )
            raise InputError(f"{where}: {fault}", remedy=_MEANINGS)

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
        """All that wait. A line waits whole, so that no name goes on behind the last row."""
        last: Fact | None = None
        while count := self._lib.hs_lab_log_take(self.handle, self._rows, _TAKE):
            for row in _ROW.iter_unpack(ffi.buffer(self._rows, count * _ROW.size)[:]):
                kind = KINDS[row[_KIND]]
                if kind == _MORE and last is not None:
                    last = last.with_more(row)
                    continue
                if last is not None:
                    yield last
                last = Fact(row, kind, MEMORIES[row[_MEMORY]])
        if last is not None:
            yield last


class NativeFailures(NativeOwner):
    """The requests that failed, by the facts of a log in their order."""

    def __init__(self) -> None:
        lib = load()
        make, delete = lib.hs_lab_log_failures_new, lib.hs_lab_log_failures_delete
        super().__init__(make(), delete, what="list of failures")

    def take(self, fact: Fact) -> bool:
        """Whether it is a failed request that no other fact told before."""
        pointer = ffi.from_buffer(f"{_FACT} *", fact.packed())
        return bool(self._lib.hs_lab_log_failures_take(self.handle, pointer))

    def rows(self) -> Iterator[dict[str, Any]]:
        """The fields of hs_lab_log_failed_t, with None for what is not reported."""
        call, names = self._lib.hs_lab_log_failed, field_names(_FAILED)
        rows = ffi.new(f"{_FAILED}[]", call(self.handle, ffi.NULL, 0))
        call(self.handle, rows, len(rows))
        for row in packing(_FAILED).iter_unpack(ffi.buffer(rows)[:]):
            yield dict(zip(names, map(_reported, row), strict=True))


def _reported(field: int | bytes) -> int | str | None:
    if isinstance(field, bytes):
        return _text(field)
    return None if field < 0 else field


def _cut(field: bytes) -> bytes:
    end = field.find(0)
    return field if end < 0 else field[:end]


def _text(field: bytes) -> str:
    return _cut(field).decode("utf-8", "replace") if field[0] else ""


#: By hs_pattern_status_t of lab/native/log/pattern.h.
_WORD_FAULTS = (
    "",
    "'{part}' is unknown in a meaning",
    "'{meaning}' has no measure, memory or unit",
    "'{word}' cannot be a word: it begins with a letter and has at most 32 bytes",
    "there are 64 words already",
)
_MEANINGS = (
    "a meaning has a measure (free, largest, min, used, peak, total), a memory (internal, psram, "
    "dma, default, 8bit, 32bit, iram), both, 'other' for anything but a heap, or a unit: 16 bytes"
)
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
