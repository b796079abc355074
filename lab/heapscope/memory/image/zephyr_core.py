"""Zephyr's core dump: a head, blocks of registers and of memory.

The source: include/zephyr/debug/coredump.h, and doc/services/debugging/coredump.rst.
"""

from __future__ import annotations

import struct
import zlib

from heapscope.base.errors import InputError
from heapscope.base.wording import size as sized
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment, Thread, layered
from heapscope.memory.image.registers import ARM, RISCV, XTENSA, pointers

_HEAD = struct.Struct("<2sHHBBI")
_BLOCK = struct.Struct("<BHH")  # registers, tasks
_MEMORY = struct.Struct("<BHII")
_SNAPSHOT = struct.Struct("<BHHII")
_SUM = struct.Struct("<BHI")
_BITS = 5  # log2 of a pointer's
_WITH_SUM = 1
_MACHINES = {3: ARM, 4: RISCV, 5: XTENSA}
_HOSTS = (1, 2, 6)
_REASONS = (
    "an exception of the processor",
    "an interrupt that nobody handles",
    "a stack that overflowed",
    "a kernel that stopped itself (k_oops)",
    "a kernel that stopped itself (k_panic)",
)
#: Registers in the order of each block.
_NAMES = {
    ARM: (
        *("r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr", "sp"),
        *(f"r{number}" for number in range(4, 12)),
    ),
    RISCV: (
        *("ra", "tp", "t0", "t1", "t2"),
        *(f"a{number}" for number in range(8)),
        *("t3", "t4", "t5", "t6", "pc", "sp"),
    ),
}
#: An Xtensa's block has the chip and a version in front, from the second version on the compiler.
_XTENSA = ("pc", "exccause", "excvaddr", "sar", "ps")
_XTENSA_MORE = ("scompare1",)
_XTENSA_CHIPS = {2: "esp32", 4: "esp32s2", 5: "esp32s3"}
_WITHOUT_MORE = 4
_REMEDY = "copy it again, whole"


def is_zephyr_core(data: bytes) -> bool:
    if len(data) < _HEAD.size + 1 or not data.startswith(b"ZE"):
        return False
    _, version, target, bits, _, _ = _HEAD.unpack_from(data)
    return 1 <= version <= 16 and target <= 16 and bits in (5, 6) and data[_HEAD.size] in b"AMTF"


def read_zephyr_core(data: bytes, *, name: str) -> MemoryImage:
    """InputError: it is of a machine that is not known here, or has no memory in it."""
    _, _, target, bits, flags, reason = _HEAD.unpack_from(data)
    if bits != _BITS or target in _HOSTS:
        raise InputError(
            f"{name}: a core dump of Zephyr on a processor of 64 bits or of a PC, which no chip "
            "that is known here has",
            remedy="give the core dump of the device",
        )
    machine = _MACHINES.get(target, "")
    segments, threads, notes, missing = [], [], [], []
    at, summed, chip = _HEAD.size, False, ""
    while at < len(data):
        mark = data[at : at + 1]
        if mark == b"M" and at + _MEMORY.size <= len(data):
            _, _, start, end = _MEMORY.unpack_from(data, at)
            at += _MEMORY.size
            if end < start:
                raise InputError(
                    f"{name}: damaged: a block of memory ends before it begins", remedy=_REMEDY
                )
            segments.append(MemorySegment(start, data[at : at + end - start]))
            at += end - start
        elif mark in (b"A", b"T") and at + _BLOCK.size <= len(data):
            _, _, size = _BLOCK.unpack_from(data, at)
            at += _BLOCK.size
            if mark == b"A":
                if machine == XTENSA:
                    chip = _XTENSA_CHIPS.get(next(iter(data[at : at + 1]), 0), "")
                threads.append(_thread(data[at : at + size], machine))
            at += size
        elif mark == b"F" and at + _SNAPSHOT.size <= len(data):
            _, _, size, _, task = _SNAPSHOT.unpack_from(data, at)
            at += _SNAPSHOT.size
            threads.append(_thread(data[at : at + size], machine, task=task))
            at += size
        elif mark == b"C" and at + _SUM.size <= len(data):
            if zlib.crc32(data[:at]) != _SUM.unpack_from(data, at)[2]:
                notes.append("Its checksum is wrong: some bytes are not what the device wrote.")
            summed = True
            break
        else:
            break
    lost = max(0, at - len(data))
    if lost:
        missing.append(f"{sized(lost)} of the core dump are cut off.")
    elif flags & _WITH_SUM and not summed:
        missing.append("The core dump ends before its checksum, so that blocks may be missing.")
    image, _ = layered(segments)
    return MemoryImage(
        segments=image,
        files=(name,),
        what=f"a core dump of Zephyr ({machine or 'a processor that is not named'})",
        machine=machine,
        chip=chip,
        reason=_REASONS[reason] if reason < len(_REASONS) else f"reason {reason}",
        threads=tuple(threads),
        missing=tuple(missing),
        notes=tuple(notes),
    )


def _thread(data: bytes, machine: str, *, task: int = 0) -> Thread:
    names: tuple[str, ...] = _NAMES.get(machine, ())
    if machine == XTENSA and len(data) > 4:
        more = () if data[0] == _WITHOUT_MORE else _XTENSA_MORE
        names = (*_XTENSA, *more, *(f"a{number}" for number in range(16)))
        data = data[4 if int.from_bytes(data[1:3], "little") > 1 else 3 :]
    words = struct.unpack_from(f"<{len(data) // 4}I", data)
    registers = dict(zip(names, words, strict=False))
    stack, program = pointers(machine, registers)
    return Thread(
        tcb=task,
        stack_pointer=stack,
        program_counter=program,
        registers=registers,
        crashed=task == 0,
    )
