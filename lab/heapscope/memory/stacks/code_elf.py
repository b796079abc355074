"""The machine code of an ELF: what is loaded, and which functions and objects have which bytes."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import reading
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.static.elf_file import symbol_table, text_at
from heapscope.native.frames import CASES, ENDS, RETURNS, CodeFunction, CodePart
from heapscope.trace.whole import read_whole

_FILE_MAX = 512 << 20
_ADDRESS_END = 1 << 32
_SECTIONS_MAX = 1024
_WRITE, _ALLOC, _EXEC = 0x1, 0x2, 0x4
_NO_TYPE, _OBJECT, _FUNCTION = 0, 1, 2
_ABSOLUTE = 0xFFF1
_REMEDY = "give the ELF that the build wrote, build/PROJECT.elf, whole"
_MACHINES = {94: "xtensa", 243: "riscv", 40: "thumb"}
#: Marks of the assembler, which name no code: $t, $d, $x; the compiler's own labels; of the linker.
_MARK = re.compile(r"\$[a-z]?.*|\.L.*|_(start|end)_.*")
#: Bytes by which the helpers of -msave-restore move the caller's stack pointer: libgcc,
#: config/riscv/save-restore.S, for 32 bits.
_SAVE = re.compile(r"__riscv_save_(\d+)")
_RESTORE = re.compile(r"__riscv_restore_\d+")
_CASE = re.compile(r"__gnu_thumb1_case_(uqi|sqi|uhi|shi|si)")
#: These never return, by the C and C++ standards or their ABI.
_ENDS = frozenset(
    (
        *("abort", "exit", "_exit", "_Exit", "longjmp", "__assert_func", "__assert_fail"),
        *(
            "__cxa_throw",
            "__cxa_rethrow",
            "__cxa_pure_virtual",
            "_Unwind_Resume",
            "__stack_chk_fail",
        ),
        *("__cxa_bad_cast", "__cxa_bad_typeid", "__cxa_throw_bad_array_new_length"),
    )
)


class NamedBytes(NamedTuple):
    """A function or an object by its symbol. `name`: the first of all that begin there."""

    start: int
    end: int
    name: str


@dataclass(frozen=True, kw_only=True)
class CodeElf:
    """`machine`: a key of heapscope.native.frames.MACHINES; `names`: of `functions`, in their
    order; `aliases`: the function's number by every name; `objects`: variables and constants;
    `outside`: code of which the file has the address alone, as that of a chip's ROM."""

    file: str
    machine: str
    parts: tuple[CodePart, ...] = field(repr=False)
    functions: tuple[CodeFunction, ...] = field(repr=False)
    names: tuple[str, ...] = field(repr=False)
    aliases: dict[str, int] = field(repr=False)
    objects: tuple[NamedBytes, ...] = field(repr=False)
    outside: dict[int, str] = field(repr=False)

    def bytes_at(self, address: int, size: int) -> bytes:
        """The bytes that are loaded there; fewer where the file has no more."""
        for part in self.parts:
            if part.address <= address < part.end:
                start = address - part.address
                return part.data[start : start + size]
        return b""

    def text_at(self, address: int) -> str:
        """The text that ends with a zero byte there; "": none that can be printed."""
        data, end, _ = self.bytes_at(address, 64).partition(b"\0")
        text = data.decode("ascii", "replace") if end else ""
        return text if text.isprintable() and "\ufffd" not in text else ""

    def words_of(self, name: str) -> Iterator[tuple[int, int]]:
        """The words of the first object of this name, with their offsets, as the program begins."""
        one = next((one for one in self.objects if one.name == name), NamedBytes(0, 0, name))
        data = self.bytes_at(one.start, one.end - one.start)
        for at in range(0, len(data) - 3, 4):
            yield at, int.from_bytes(data[at : at + 4], "little")

    def constant_at(self, address: int) -> bool:
        """Whether the program cannot change what is there."""
        return any(part.address <= address < part.end and not part.writable for part in self.parts)


def read_code(path: str) -> CodeElf:
    """InputError: it cannot be read, is damaged, has no symbols, or is for another processor."""
    shown = printable(path, limit=400)
    data = read_whole(path, limit=_FILE_MAX, what="an ELF", remedy=_REMEDY).data
    with reading(shown, "its headers are damaged", remedy=_REMEDY):
        elf = ELFFile(io.BytesIO(data))
        machine = _machine(elf, data, shown)
        if elf.num_sections() > _SECTIONS_MAX:
            raise InputError(
                f"{shown}: damaged ELF: {elf.num_sections()} sections, at most {_SECTIONS_MAX}",
                remedy=_REMEDY,
            )
        headers = [elf._get_section_header(number) for number in range(elf.num_sections())]
        return _read(elf, headers, data, shown, machine)


def _machine(elf: Any, data: bytes, shown: str) -> str:
    machine = _MACHINES.get(int.from_bytes(data[18:20], "little"))
    if machine is None or elf.elfclass != 32 or not elf.little_endian:
        raise InputError(
            f"{shown}: not an ELF for Xtensa, RISC-V or Arm of 32 bits, little-endian",
            remedy=_REMEDY,
        )
    if elf["e_type"] not in ("ET_EXEC", "ET_DYN"):
        raise InputError(f"{shown}: not linked, or not a program", remedy=_REMEDY)
    return machine


def _read(elf: Any, headers: list[Any], data: bytes, shown: str, machine: str) -> CodeElf:
    table = next((one for one in headers if one["sh_type"] == "SHT_SYMTAB"), None)
    if table is None or not 0 < table["sh_link"] < len(headers):
        raise InputError(f"{shown}: it has no symbol table: it was stripped", remedy=_REMEDY)
    names = elf.get_shstrndx()
    texts = data[headers[names]["sh_offset"] :][: headers[names]["sh_size"]]
    section_names = [text_at(texts, one["sh_name"]) for one in headers]
    if machine == "riscv" and _has_zcmp(headers, section_names, data):
        machine = "riscv+zcmp"
    symbols, strings = symbol_table(elf, table, headers[table["sh_link"]], shown, len(data))
    rows = _Symbols(symbols, strings, machine == "thumb")
    functions, aliases = rows.functions(headers)
    return CodeElf(
        file=shown,
        machine=machine,
        parts=tuple(_parts(headers, section_names, data)),
        functions=tuple(_described(one) for one in functions),
        names=tuple(one.name for one in functions),
        aliases=aliases,
        objects=tuple(rows.objects()),
        outside=rows.outside(),
    )


def _has_zcmp(headers: list[Any], names: list[str], data: bytes) -> bool:
    return any(
        b"zcmp" in data[header["sh_offset"] :][: header["sh_size"]]
        for header, name in zip(headers, names, strict=True)
        if name == ".riscv.attributes"
    )


def _parts(headers: list[Any], names: list[str], data: bytes) -> Iterator[CodePart]:
    """Sections that are loaded, ascending. ESP-IDF's constants are in a section that may be written
    by its flags."""
    loaded = [
        (header["sh_addr"], header, name)
        for header, name in zip(headers, names, strict=True)
        if header["sh_type"] not in ("SHT_NOBITS", "SHT_NULL") and header["sh_flags"] & _ALLOC
    ]
    end = 0
    for address, header, name in sorted(loaded, key=lambda one: one[0]):
        part = data[header["sh_offset"] :][: header["sh_size"]]
        if part and end <= address and address + len(part) <= _ADDRESS_END:
            flags = header["sh_flags"]
            written = bool(flags & _WRITE) and not flags & _EXEC and "rodata" not in name
            yield CodePart(address, part, written)
            end = address + len(part)


def _described(function: NamedBytes) -> CodeFunction:
    flags, pushes = 0, 0
    if match := _SAVE.fullmatch(function.name):
        pushes = 16 * (1 + min(int(match[1]), 12) // 4)
    elif _RESTORE.fullmatch(function.name):
        flags = RETURNS
    elif match := _CASE.fullmatch(function.name):
        flags = CASES[match[1]]
    elif function.name in _ENDS:
        flags = ENDS
    return CodeFunction(function.start, function.end, flags, pushes)


class _Symbols:
    """The table of symbols, read once."""

    def __init__(self, symbols: Any, texts: bytes, is_thumb: bool) -> None:
        columns = (symbols[name].tolist() for name in ("value", "size", "info", "section", "name"))
        self._rows = [
            (
                value & ~1 if is_thumb and info & 15 == _FUNCTION else value,
                size,
                info & 15,
                section,
                text_at(texts, name),
            )
            for value, size, info, section, name in zip(*columns, strict=True)
            if section and name
        ]

    def functions(self, headers: list[Any]) -> tuple[list[NamedBytes], dict[str, int]]:
        """Ascending, without overlap: a function that begins in another one ends that, a label does
        not. One without a size, as the assembler leaves it, ends where the next begins."""
        known: dict[int, tuple[int, str]] = {}
        named: list[tuple[str, int]] = []
        for value, size, kind, section, name in self._rows:
            if not self._is_code(headers, section, value) or kind not in (_NO_TYPE, _FUNCTION):
                continue
            if kind == _NO_TYPE and _MARK.fullmatch(name):
                continue
            named.append((name, value))
            before = known.get(value, (0, ""))
            rank = size if kind == _FUNCTION else 0
            if not before[1] or rank > before[0]:
                known[value] = (rank, name)
        functions = list(_without_overlap(known, headers))
        numbers = {one.start: number for number, one in enumerate(functions)}
        return functions, {name: numbers[value] for name, value in named if value in numbers}

    @staticmethod
    def _is_code(headers: list[Any], section: int, value: int) -> bool:
        if section >= len(headers):
            return False
        header = headers[section]
        flags = header["sh_flags"]
        inside = 0 <= value - header["sh_addr"] < header["sh_size"]
        return bool(flags & _EXEC) and bool(flags & _ALLOC) and inside

    def objects(self) -> Iterator[NamedBytes]:
        rows = {
            NamedBytes(value, value + size, name)
            for value, size, kind, _, name in self._rows
            if kind == _OBJECT and size and value + size <= _ADDRESS_END
        }
        yield from sorted(rows)

    def outside(self) -> dict[int, str]:
        """Names that a linker script gives to addresses, as to those of functions in ROM."""
        return {
            value: name
            for value, _, kind, section, name in self._rows
            if section == _ABSOLUTE
            and kind in (_NO_TYPE, _FUNCTION)
            and value
            and not _MARK.fullmatch(name)
        }


def _without_overlap(known: dict[int, tuple[int, str]], headers: list[Any]) -> Iterator[NamedBytes]:
    limits = sorted(
        header["sh_addr"] + header["sh_size"]
        for header in headers
        if header["sh_flags"] & _EXEC and header["sh_size"]
    )
    starts = sorted(known)
    inner, ends = _ADDRESS_END, {}
    for start in reversed(starts):  # the next one with a size
        ends[start] = inner
        inner = start if known[start][0] else inner
    end = 0
    for index, start in enumerate(starts):
        size, name = known[start]
        if start < end and not size:
            continue
        following = starts[index + 1] if index + 1 < len(starts) else _ADDRESS_END
        limit = next((one for one in limits if one > start), following)
        end = min(start + size if size else following, ends[start], limit)
        if end > start:
            yield NamedBytes(start, end, name)
