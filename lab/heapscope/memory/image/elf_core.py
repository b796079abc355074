"""ELF cores: of gdb and OpenOCD, and the ELF inside a core dump of ESP-IDF."""

from __future__ import annotations

import struct
from collections.abc import Iterator

from heapscope.base.errors import InputError
from heapscope.memory.image.memory_image import MemoryImage, Segment, Thread, joined

_ELF = b"\x7fELF"
_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM = struct.Struct("<IIIIIIII")
_NOTE = struct.Struct("<III")
_CORE, _LOAD, _NOTES = 4, 1, 4
_STATUS = 1  # NT_PRSTATUS
_MACHINES = {94: "Xtensa", 243: "RISC-V", 40: "Arm"}
_REMEDY = "copy it again, whole, in binary"


def is_elf(data: bytes) -> bool:
    return data.startswith(_ELF)


def read_elf_core(data: bytes, *, name: str) -> MemoryImage:
    """InputError: it is no core of a 32-bit device, or is damaged."""
    if len(data) < _HEADER.size:
        raise InputError(f"{name}: an ELF that is cut off at {len(data)} B", remedy=_REMEDY)
    if data[4] != 1 or data[5] != 1:
        raise InputError(
            f"{name}: a core of 64 bits or big-endian, which no chip that is known here has",
            remedy="give the core dump of the device",
        )
    ident, kind, machine, _, _, programs, _, _, _, step, count, *_ = _HEADER.unpack_from(data)
    if kind != _CORE:
        raise InputError(
            f"{name}: an ELF that is no core dump",
            remedy="give the core dump, and the firmware's ELF with --elf",
        )
    segments, threads, cut = [], [], 0
    for number in range(count):
        at = programs + number * step
        if step < _PROGRAM.size or at + _PROGRAM.size > len(data):
            raise InputError(f"{name}: a core whose table of segments is cut off", remedy=_REMEDY)
        segment, offset, address, _, size, _, _, _ = _PROGRAM.unpack_from(data, at)
        part = data[offset : offset + size]
        cut += size - len(part)
        if segment == _LOAD:
            segments.append(Segment(address, part))
        elif segment == _NOTES:
            threads.extend(_threads(part, machine))
    missing = (f"{cut:,} B of it are cut off",) if cut else ()
    return MemoryImage(
        segments=joined(segments, name=name),
        files=(name,),
        what=f"an ELF core ({_MACHINES.get(machine, f'machine {machine}')})",
        threads=tuple(threads),
        missing=missing,
    )


def _notes(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    at = 0
    while at + _NOTE.size <= len(data):
        name_size, size, kind = _NOTE.unpack_from(data, at)
        at += _NOTE.size
        name = data[at : at + name_size].rstrip(b"\0").decode("latin-1")
        at += name_size + 3 & ~3
        yield name, kind, data[at : at + size]
        at += size + 3 & ~3


def _threads(data: bytes, machine: int) -> Iterator[Thread]:
    for name, kind, body in _notes(data):
        if name == "CORE" and kind == _STATUS and len(body) >= 72:
            (tcb,) = struct.unpack_from("<I", body, 24)
            yield Thread(tcb=tcb)
