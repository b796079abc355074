"""Core dumps of ESP-IDF: the header of each version, its checksum, and the two forms behind it.

The sources: components/espcoredump at every release, include_core_dump/esp_core_dump_types.h and
src/core_dump_binary.c. An ELF is inside from v4.1 on; the binary form is the only one before, and a
choice up to v5.5.
"""

from __future__ import annotations

import hashlib
import struct
import zlib
from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapscope.base.errors import InputError
from heapscope.base.wording import plural
from heapscope.base.wording import size as sized
from heapscope.memory.image.elf_core import read_elf_core
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment, Thread, layered
from heapscope.memory.image.registers import RISCV, XTENSA, of_stack, pointers
from heapscope.trace.things.binary_kinds import CHIP_NUMBERS

_WORD = struct.Struct("<I")
_TASK = struct.Struct("<III")
_SEGMENT = struct.Struct("<II")
_TASKS_MAX, _TCB_MAX, _STACK_MAX = 4096, 4096, 1 << 20
_DUMP_MAX = 1 << 26
_FAKE = range(0x2000_0000, 0x2001_0000)  # where ESP-IDF places a stack that is damaged
_REMEDY = "read it out of the device again"
_XTENSA_CHIPS = ("esp32", "esp32s2", "esp32s3")


@dataclass(frozen=True, kw_only=True)
class _Version:
    """`header`: words of the header; `digest`: its checksum is SHA-256, not CRC-32."""

    header: int
    elf: bool
    digest: bool = False
    since: str


#: By the lower half of the version word: major 0 is the binary form, 1 an ELF.
_VERSIONS = {
    0x0001: _Version(header=4, elf=False, since="before 4.1"),
    0x0002: _Version(header=5, elf=False, since="4.1 to 5.1"),
    0x0003: _Version(header=6, elf=False, since="5.2 to 5.5"),
    0x0100: _Version(header=5, elf=True, since="4.1 to 5.1"),
    0x0101: _Version(header=5, elf=True, digest=True, since="4.1 to 5.1"),
    0x0102: _Version(header=6, elf=True, since="5.2 to 5.5"),
    0x0103: _Version(header=6, elf=True, digest=True, since="5.2 to 5.5"),
    0x0104: _Version(header=3, elf=True, digest=True, since="6.0"),
}


@dataclass(frozen=True, kw_only=True)
class _Header:
    length: int
    version: _Version
    chip: str
    tasks: int
    tcb: int
    segments: int

    @property
    def size(self) -> int:
        return 4 * self.version.header

    @property
    def checksum(self) -> int:
        return 32 if self.version.digest else 4


def is_esp_core(data: bytes) -> bool:
    """True where the header, and what it says of the bytes behind it, is that of a dump."""
    header = _header(data)
    if header is None:
        return False
    if header.version.elf:
        return data[header.size : header.size + 4] == b"\x7fELF"
    return 0 < header.tasks <= _TASKS_MAX and 64 <= header.tcb <= _TCB_MAX


def _header(data: bytes) -> _Header | None:
    if len(data) < 24:
        return None
    words = struct.unpack_from("<6I", data)
    version = _VERSIONS.get(words[1] & 0xFFFF)
    if version is None or not 4 * version.header < words[0] <= _DUMP_MAX:
        return None
    number = words[1] >> 16
    if number and number not in CHIP_NUMBERS:
        return None
    return _Header(
        length=words[0],
        version=version,
        chip=CHIP_NUMBERS[number],
        tasks=words[2],
        tcb=words[3],
        segments=words[4] if version.header > 4 else 0,
    )


def told_length(data: bytes) -> int:
    """The length of a core dump by its header, which counts, as the checksum does."""
    return _WORD.unpack_from(data)[0]  # type: ignore[no-any-return]


def read_esp_core(data: bytes, *, name: str) -> MemoryImage:
    """`data` may be the whole partition, with what is behind the dump. InputError: it is
    damaged."""
    header = _header(data)
    assert header is not None
    body = data[header.size : header.length - header.checksum]
    if header.version.elf:
        image = read_elf_core(body, name=name)
    else:
        image = _read_binary(body, header, name)
    form = "ELF" if header.version.elf else "binary"
    return replace(
        image,
        what=f"a core dump of ESP-IDF {header.version.since} ({form}, {header.chip})",
        chip=header.chip,
        missing=image.missing,
        blocks_alone=True,
        notes=(*image.notes, *_checked(data, header)),
    )


def _checked(data: bytes, header: _Header) -> Iterator[str]:
    covered = data[: header.length - header.checksum]
    told = data[header.length - header.checksum : header.length]
    if header.version.since == _VERSIONS[1].since and told != _sum_of(covered, header):
        return  # at 4.0 a choice of two, and over the UART none before that
    if len(covered) < header.length - header.checksum:
        yield (
            f"The core dump is cut off: {sized(len(data))} of {sized(header.length)} are there, "
            "and its checksum is not."
        )
    elif len(told) < header.checksum:
        yield "The core dump ends before its checksum, which was not compared."
    elif told != _sum_of(covered, header):
        yield ("The checksum of the core dump is wrong: some bytes are not what the device wrote.")


def _sum_of(data: bytes, header: _Header) -> bytes:
    if header.version.digest:
        return hashlib.sha256(data).digest()
    return _WORD.pack(zlib.crc32(data))


def _read_binary(data: bytes, header: _Header, name: str) -> MemoryImage:
    machine = XTENSA if header.chip in _XTENSA_CHIPS else RISCV
    segments, threads, announced, lost, at = [], [], [], 0, 0
    for number in range(header.tasks):
        if at + _TASK.size + header.tcb > len(data):
            break
        tcb, top, end = _TASK.unpack_from(data, at)
        at += _TASK.size
        low, size = min(top, end), abs(end - top) + 3 & ~3
        if size > _STACK_MAX:
            raise InputError(
                f"{name}: damaged core dump: the stack of task {number + 1} has {sized(size)}",
                remedy=_REMEDY,
            )
        control, stack = data[at : at + header.tcb], data[at + header.tcb :][:size]
        at += header.tcb + size
        segments.append(MemorySegment(tcb, control))
        if low in _FAKE:
            lost += 1
            continue
        segments.append(MemorySegment(low, stack))
        registers = of_stack(machine, stack)
        pointer, program = pointers(machine, registers)
        threads.append(
            Thread(
                tcb=tcb,
                stack_pointer=pointer,
                program_counter=program,
                registers=registers,
                crashed=number == 0,
            )
        )
    for _ in range(header.segments):
        if at + _SEGMENT.size > len(data):
            break
        start, size = _SEGMENT.unpack_from(data, at)
        at += _SEGMENT.size
        part = data[at : at + size]
        segments.append(MemorySegment(start, part))
        if len(part) < size:
            announced.append((start + len(part), start + size))
        at += size + 3 & ~3
    missing = []
    if lost:
        missing.append(f"The stacks of {plural(lost, 'task')} were damaged and are not in it.")
    if at > len(data) or len(threads) + lost < header.tasks:
        missing.append(
            f"{plural(header.tasks, 'task')} are announced, and not all of them are there."
        )
    image, _ = layered(segments)
    return MemoryImage(
        segments=image,
        files=(name,),
        what="a core dump of ESP-IDF",
        machine=machine,
        threads=tuple(threads),
        missing=tuple(missing),
        announced=tuple(announced),
        truncated=at > len(data),
    )
