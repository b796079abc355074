"""The firmware's ELF, as a memory image needs it: names, and what memory held at the start."""

from __future__ import annotations

import hashlib
import io
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import reading
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.image.memory_image import ADDRESS_END, MACHINES, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols
from heapscope.memory.static.elf_file import symbol_table, text_at
from heapscope.trace.whole import read_whole

_FILE_MAX = 512 << 20
_SECTIONS_MAX = 1024
_WRITE, _ALLOC, _EXEC = 0x1, 0x2, 0x4
_SECTION, _FILE_NAME, _TLS = 3, 4, 6  # kinds of symbols that name no memory
_LABELS = (".L", "$")  # of the assembler: places in code, and where code and constants begin
_REMEDY = "give the ELF that the build wrote, build/PROJECT.elf, whole"


@dataclass(frozen=True, kw_only=True)
class FirmwareElf:
    """`machine`: a word of MACHINES; `digest`: the file's SHA-256; `constant`: code and constants;
    `initial`: variables as they are at the start."""

    file: str
    machine: str
    digest: str
    symbols: FirmwareSymbols = field(repr=False)
    constant: tuple[MemorySegment, ...] = field(repr=False)
    initial: tuple[MemorySegment, ...] = field(repr=False)


def read_firmware(path: str) -> FirmwareElf:
    """InputError: it cannot be read, is damaged, or is another file than a firmware's ELF."""
    shown = printable(path, limit=400)
    data = read_whole(path, limit=_FILE_MAX, what="an ELF", remedy=_REMEDY).data
    with reading(shown, "its headers are damaged", remedy=_REMEDY):
        elf = ELFFile(io.BytesIO(data))
        if elf.elfclass != 32 or not elf.little_endian or elf["e_type"] == "ET_CORE":
            raise InputError(
                f"{shown}: not a firmware's ELF of 32 bits, little-endian", remedy=_REMEDY
            )
        if elf.num_sections() > _SECTIONS_MAX:
            raise InputError(
                f"{shown}: damaged ELF: {elf.num_sections()} sections, at most {_SECTIONS_MAX}",
                remedy=_REMEDY,
            )
        headers = [elf._get_section_header(number) for number in range(elf.num_sections())]
        machine = int.from_bytes(data[18:20], "little")
        sections = list(_sections(headers, _names(elf, headers, shown, data), data))
        return FirmwareElf(
            file=shown,
            machine=MACHINES.get(machine, f"machine {machine}"),
            digest=hashlib.sha256(data).hexdigest(),
            symbols=FirmwareSymbols(_symbols(elf, headers, shown, data), file=shown),
            constant=tuple(part for part, written in sections if not written),
            initial=tuple(part for part, written in sections if written),
        )


def _names(elf: Any, headers: list[Any], shown: str, data: bytes) -> list[str]:
    header = headers[elf.get_shstrndx()]
    texts = data[header["sh_offset"] : header["sh_offset"] + header["sh_size"]]
    return [text_at(texts, one["sh_name"]) for one in headers]


def _sections(
    headers: list[Any], names: list[str], data: bytes
) -> Iterator[tuple[MemorySegment, bool]]:
    """Each section that is loaded, and whether the program writes to it. ESP-IDF's constants are in
    a section that may be written by its flags."""
    for header, name in zip(headers, names, strict=True):
        flags, start = header["sh_flags"], header["sh_offset"]
        part = data[start : start + header["sh_size"]]
        if header["sh_type"] != "SHT_PROGBITS" or not flags & _ALLOC or not part:
            continue
        if header["sh_addr"] + len(part) <= ADDRESS_END:
            written = bool(flags & _WRITE) and not flags & _EXEC and "rodata" not in name
            yield MemorySegment(header["sh_addr"], part), written


def _symbols(elf: Any, headers: list[Any], shown: str, data: bytes) -> Iterator[FirmwareSymbol]:
    table = next((one for one in headers if one["sh_type"] == "SHT_SYMTAB"), None)
    if table is None or not 0 < table["sh_link"] < len(headers):
        raise InputError(
            f"{shown}: it has no symbol table: it was stripped",
            remedy="give the ELF that the build wrote, build/PROJECT.elf",
        )
    symbols, texts = symbol_table(elf, table, headers[table["sh_link"]], shown, len(data))
    kinds = symbols["info"] & 15
    named = symbols["section"] != 0
    for kind in (_SECTION, _FILE_NAME, _TLS):
        named &= kinds != kind
    rows = symbols[named & (symbols["name"] != 0)]
    columns = (rows[name].tolist() for name in ("value", "size", "name"))
    for address, size, name in zip(*columns, strict=True):
        text = text_at(texts, name) if address + size <= ADDRESS_END else ""
        if text and not text.startswith(_LABELS):
            yield FirmwareSymbol(address, size, text)
