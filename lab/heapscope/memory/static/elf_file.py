"""Static use out of an ELF: its section headers and its symbol table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, BinaryIO

import numpy
from elftools.elf.elffile import ELFFile

from heapscope.base.elf import reading
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.static.use import (
    UNNAMED,
    Section,
    SectionPiece,
    StaticUse,
    is_linkers,
    plain_symbol,
    role_of,
    sections_at,
)
from heapscope.memory.static.window import ChipWindows

_SECTIONS_MAX = 1024  # ESP-IDF's have about 60
_TABLE_MAX = 16 << 20  # bytes of a symbol table or its names
_NAME_MAX = 400
_ALLOC, _EXEC, _NOBITS = 0x2, 0x4, "SHT_NOBITS"
_OBJECT, _FUNCTION = 1, 2
_UNDEFINED = 0
_LINKERS = (b"_", b"end")  # in front of what a linker script gives
_INTERNAL = b".L"  # the compiler's own labels, over variables that it has merged
_MACHINES = {"EM_XTENSA": "Xtensa", "EM_RISCV": "RISC-V", "EM_X86_64": "x86-64", "EM_386": "x86"}
SYMBOL = numpy.dtype(
    [
        ("name", "<u4"),
        ("value", "<u4"),
        ("size", "<u4"),
        ("info", "u1"),
        ("other", "u1"),
        ("section", "<u2"),
    ]
)
_REMEDY = "give the ELF that the build wrote, build/PROJECT.elf, whole"


def read_elf(file: BinaryIO, *, name: str, size: int, windows: ChipWindows) -> StaticUse:
    """`size` of the file. Reads headers and the symbol table alone. InputError names what of the
    file is damaged, or whose it is."""
    with reading(name, "its headers are damaged", remedy=_REMEDY):
        elf = ELFFile(file)
        _check(elf, name, windows)
        return _read(elf, name, size, windows)


def _check(elf: Any, name: str, windows: ChipWindows) -> None:
    code = elf["e_machine"]
    machine = _MACHINES.get(code, printable(str(code).removeprefix("EM_")))
    if machine != (windows.machine or machine) or elf.elfclass != 32 or not elf.little_endian:
        bits = f"{elf.elfclass}-bit{'' if elf.little_endian else ', big-endian'}"
        raise InputError(
            f"{name}: an ELF for {machine} ({bits}), not for {windows.chip}, which is "
            f"{windows.machine} (32-bit)",
            remedy="give the firmware's own ELF, or the chip it is for with --chip",
        )
    if elf.num_sections() > _SECTIONS_MAX:
        raise InputError(
            f"{name}: damaged ELF: {elf.num_sections()} sections, at most {_SECTIONS_MAX}",
            remedy=_REMEDY,
        )


def _read(elf: Any, name: str, size: int, windows: ChipWindows) -> StaticUse:
    headers = [elf._get_section_header(number) for number in range(elf.num_sections())]
    texts = _bytes(elf, headers[elf.get_shstrndx()], name, size)
    names = [text_at(texts, header["sh_name"]) for header in headers]
    places = [
        (number, start, section)
        for number, header in enumerate(headers)
        for start, section in _sections(header, names[number], name, windows)
    ]
    if not places:
        raise InputError(
            f"{name}: no section of it is in the RAM of {windows.chip}",
            remedy=f"give the firmware's own ELF, or {windows.instead}",
        )
    table = next((h for h in headers if h["sh_type"] == "SHT_SYMTAB"), None)
    sections = tuple(section for _, _, section in places)
    if table is None or not 0 < table["sh_link"] < len(headers):
        return StaticUse(
            file=name,
            form="ELF",
            sections=sections,
            pieces=_unnamed(sections),
            notes=(f"{name} has no symbol table: it was stripped",),
        )
    symbols, texts = symbol_table(elf, table, headers[table["sh_link"]], name, size)
    starts = [(number, start) for number, start, _ in places]
    return StaticUse(
        file=name,
        form="ELF",
        sections=sections,
        pieces=tuple(_pieces(symbols, texts, starts, sections)),
        symbols=dict(_linker_symbols(symbols, texts)),
    )


def _sections(
    header: Any, name: str, file: str, windows: ChipWindows
) -> Iterator[tuple[int, Section]]:
    flags = header["sh_flags"]
    if not flags & _ALLOC:
        return
    role = "bss" if header["sh_type"] == _NOBITS else role_of(name)
    yield from sections_at(
        windows,
        file=file,
        name=name,
        start=header["sh_addr"],
        size=header["sh_size"],
        role="code" if flags & _EXEC else role,
    )


def _bytes(elf: Any, header: Any, name: str, size: int, *, whole: int = 1) -> bytes:
    """A table's bytes, a multiple of `whole`."""
    offset, length = header["sh_offset"], header["sh_size"]
    if offset + length > size or length > _TABLE_MAX:
        raise InputError(
            f"{name}: cut off: a table of symbols or names is {length} bytes at offset {offset}, "
            f"the file has {size}",
            remedy=_REMEDY,
        )
    elf.stream.seek(offset)
    return bytes(elf.stream.read(length - length % whole))


def symbol_table(elf: Any, table: Any, names: Any, name: str, size: int) -> tuple[Any, bytes]:
    """The entries of a symbol table, and the texts of their names; by the headers of both."""
    entries = _bytes(elf, table, name, size, whole=SYMBOL.itemsize)
    return numpy.frombuffer(entries, SYMBOL), _bytes(elf, names, name, size)


def _linker_symbols(symbols: Any, texts: bytes) -> Iterator[tuple[str, int]]:
    """Names that a linker script gives."""
    plain = symbols[(symbols["size"] == 0) & (symbols["section"] != _UNDEFINED)]
    for name, value in zip(plain["name"].tolist(), plain["value"].tolist(), strict=True):
        if texts.startswith(_LINKERS, name) and is_linkers(named := text_at(texts, name)):
            yield named, value


def _pieces(
    symbols: Any,
    texts: bytes,
    starts: list[tuple[int, int]],
    sections: tuple[Section, ...],
) -> Iterator[SectionPiece]:
    """Each byte counts for one symbol, the first that covers it. `starts`: of each section, its
    number and first address in the file."""
    kinds = symbols["info"] & 15
    sized = (symbols["size"] > 0) & ((kinds == _OBJECT) | (kinds == _FUNCTION))
    for place, (number, start) in enumerate(starts):
        own = symbols[sized & (symbols["section"] == number)]
        order = numpy.lexsort((-own["size"].astype("i8"), own["value"]))
        rows = zip(
            own["value"][order].tolist(),
            own["size"][order].tolist(),
            own["name"][order].tolist(),
            strict=True,
        )
        yield from _covering(rows, texts, place, start, sections[place].size)


def _covering(
    rows: Iterable[tuple[int, int, int]], texts: bytes, place: int, start: int, size: int
) -> Iterator[SectionPiece]:
    at, named = start, 0
    for value, length, name in rows:
        low, high = max(at, value), min(value + length, start + size)
        if high > low and not texts.startswith(_INTERNAL, name):
            symbol = plain_symbol(text_at(texts, name))
            yield SectionPiece(section=place, size=high - low, symbol=symbol)
            at, named = high, named + high - low
    if named < size:
        yield SectionPiece(section=place, size=size - named, symbol=UNNAMED)


def _unnamed(sections: tuple[Section, ...]) -> tuple[SectionPiece, ...]:
    return tuple(
        SectionPiece(section=place, size=section.size, symbol=UNNAMED)
        for place, section in enumerate(sections)
    )


def text_at(texts: bytes, offset: int) -> str:
    """A name of a table of texts."""
    end = texts.find(b"\0", offset, offset + _NAME_MAX)
    end = end if end >= 0 else offset + _NAME_MAX
    return printable(texts[offset:end], limit=_NAME_MAX) or UNNAMED
