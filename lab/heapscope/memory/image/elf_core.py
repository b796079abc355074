"""ELF cores: of gdb and OpenOCD, and the ELF inside a core dump of ESP-IDF."""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import replace

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import size as sized
from heapscope.memory.image.memory_image import (
    MACHINES,
    MemoryImage,
    MemorySegment,
    Thread,
    layered,
)
from heapscope.memory.image.registers import XTENSA, of_note, pointers

_ELF = b"\x7fELF"
_HEADER = struct.Struct("<16sHHIIIIIHHHHHH")
_PROGRAM = struct.Struct("<IIIIIIII")
_NOTE = struct.Struct("<III")
_CORE, _LOAD, _NOTES = 4, 1, 4
_STATUS, _REGISTERS_AT = 1, 72  # NT_PRSTATUS, and where its registers begin
_PROCESS_AT = 24
#: ESP-IDF's own notes: the build, the task that crashed, and the reason in words.
_INFO, _EXTRA, _DETAILS = 8266, 677, 679
_NO_TASK = (0, 0xDEADBEEF)
_FAKE = range(0x2000_0000, 0x2001_0000)  # where ESP-IDF places a stack that is damaged
_REMEDY = "copy it again, whole, in binary"


def is_elf(data: bytes) -> bool:
    return data.startswith(_ELF)


def read_elf_core(data: bytes, *, name: str) -> MemoryImage:
    """InputError: another file than a core of a 32-bit device, or a damaged one."""
    machine, programs = _programs(data, name)
    told: list[tuple[str, int, bytes]] = []
    segments, announced, cut, unsaved = [], [], 0, 0
    for kind, offset, address, _, size, whole, _, _ in programs:
        part = data[offset : offset + size]
        cut += size - len(part)
        if kind == _LOAD:
            unsaved += max(0, whole - size)
            segments.append(MemorySegment(address, part))
            if len(part) < size:
                announced.append((address + len(part), address + size))
        elif kind == _NOTES:
            told.extend(_notes(part))
    fakes = _FAKE if any(kind == _EXTRA for _, kind, _ in told) else ()
    image, other = layered(one for one in segments if one.address not in fakes)
    missing = []
    if cut:
        missing.append(f"{sized(cut)} of the core dump are cut off.")
    if unsaved:
        missing.append(f"{sized(unsaved)} of memory that the core dump names are not in it.")
    if any(one.address in fakes for one in segments):
        missing.append("The stack of a task was damaged and is not in the core dump.")
    notes = (f"{sized(other)} stand twice in it and changed between.",) if other else ()
    result = MemoryImage(
        segments=image,
        files=(name,),
        what=f"an ELF core ({machine})",
        machine=machine if machine in MACHINES.values() else "",
        missing=tuple(missing),
        notes=notes,
        announced=tuple(announced),
        blocks_alone=bool(fakes),
    )
    threads = tuple(_threads(told, machine, result))
    build, reason = _facts(told)
    return replace(result, threads=threads, build=build, reason=reason)


def _programs(data: bytes, name: str) -> tuple[str, list[tuple[int, ...]]]:
    """The machine, and the table of segments."""
    if len(data) < _HEADER.size:
        raise InputError(f"{name}: an ELF that is cut off at {len(data)} B", remedy=_REMEDY)
    if int.from_bytes(data[16:18], "little" if data[5] == 1 else "big") != _CORE:
        raise InputError(
            f"{name}: an ELF, but not a core dump",
            remedy="give the core dump, and the firmware's ELF with --elf",
        )
    if data[4] != 1 or data[5] != 1:
        raise InputError(
            f"{name}: a core of 64 bits or big-endian, which no chip that is known here has",
            remedy="give the core dump of the device",
        )
    _, _, machine, _, _, start, _, _, _, step, count, *_ = _HEADER.unpack_from(data)
    if count and (step < _PROGRAM.size or start + count * step > len(data)):
        raise InputError(f"{name}: a core whose table of segments is cut off", remedy=_REMEDY)
    rows = [_PROGRAM.unpack_from(data, start + number * step) for number in range(count)]
    if sum(max(0, min(row[4], len(data) - row[1])) for row in rows) > 2 * len(data):
        raise InputError(
            f"{name}: a core whose segments have more bytes than the file", remedy=_REMEDY
        )
    return MACHINES.get(machine, f"machine {machine}"), rows


def _notes(data: bytes) -> Iterator[tuple[str, int, bytes]]:
    at = 0
    while at + _NOTE.size <= len(data):
        name_size, size, kind = _NOTE.unpack_from(data, at)
        at += _NOTE.size
        name = data[at : at + name_size].partition(b"\0")[0].decode("latin-1")
        at += name_size + 3 & ~3
        yield name, kind, data[at : at + size]
        at += size + 3 & ~3


def _facts(notes: list[tuple[str, int, bytes]]) -> tuple[str, str]:
    """The build and the reason that notes of ESP-IDF tell."""
    build = reason = ""
    for name, kind, body in notes:
        if name == "ESP_CORE_DUMP_INFO" and kind == _INFO and len(body) > 4:
            digits = body[4:].partition(b"\0")[0].lower()
            build = digits.decode("latin-1") if digits.isalnum() else ""
        elif name == "ESP_PANIC_DETAILS" and kind == _DETAILS:
            reason = printable(b" ".join(body.partition(b"\0")[0].split()), limit=400)
    return build, reason


def _threads(
    notes: list[tuple[str, int, bytes]], machine: str, image: MemoryImage
) -> Iterator[Thread]:
    """The one that crashed is named in a note of ESP-IDF; in other cores it is the first."""
    extra = [body for _, kind, body in notes if kind == _EXTRA and len(body) >= 4]
    crashed = int.from_bytes(extra[0][:4], "little") if extra else None
    first = True
    for name, kind, body in notes:
        if name != "CORE" or kind != _STATUS or len(body) < _REGISTERS_AT:
            continue
        (task,) = struct.unpack_from("<I", body, _PROCESS_AT)
        registers = of_note(machine, body[_REGISTERS_AT:])
        if machine == XTENSA and image.word(image.word(task) or 0) == 0:
            # It waits in a call, and its other registers are those of the task before it.
            registers = {one: registers[one] for one in ("pc", "ps", "a0", "a1", "a2", "a3")
                         if one in registers}  # fmt: skip
        stack, program = pointers(machine, registers)
        yield Thread(
            tcb=task if image.known(task, 4) else 0,
            stack_pointer=stack,
            program_counter=program,
            registers=registers,
            crashed=first if crashed is None or crashed in _NO_TASK else task == crashed,
        )
        first = False
