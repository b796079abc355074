"""The registers of tasks that wait, as kernels save them on their stacks.

A kernel's table of tasks has, for each task, the address of a block of registers on its stack.
Such a block is recognisable: the saved counter lies in a named function, and the saved status is
one that a task can have.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

import numpy

from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.registers import ARM, RISCV

_ARM_LOW = tuple(f"r{number}" for number in range(4, 12))
_ARM_STACKED = ("r0", "r1", "r2", "r3", "r12", "lr", "pc", "status")
_RETURN, _FLOATS = "exception return", ("",) * 16
_RISCV_KEPT = (
    *("ra", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{number}" for number in range(8)),
    *(f"s{number}" for number in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)


@dataclass(frozen=True)
class ContextLayout:
    """`words`: registers in the order of their addresses, "" for others; behind them the stack goes
    on. `values`: pairs of a mask and its result that the named word has to have."""

    words: tuple[str, ...]
    values: Mapping[str, tuple[int, int]]


_THUMB_TASK = (0x01F0_01FF, 0x0100_0000)  # xpsr: Thumb, no exception, reserved bits 0
_MACHINE_TASK = (0xFFFF_9FFF, 0x0000_1880)  # mstatus: machine mode, interrupts on; floats may be

#: By processor.
CONTEXTS = {
    ARM: (
        # FreeRTOS's ports without floats, and kernels that save what a call keeps
        ContextLayout((*_ARM_LOW, *_ARM_STACKED), {"status": _THUMB_TASK}),
        # FreeRTOS's ports with floats: of a task that used none, and of one that did
        ContextLayout(
            (*_ARM_LOW, _RETURN, *_ARM_STACKED),
            {_RETURN: (0xFFFF_FF9F, 0xFFFF_FF9D), "status": _THUMB_TASK},
        ),
        ContextLayout(
            (*_ARM_LOW, _RETURN, *_FLOATS, *_ARM_STACKED, *_FLOATS, "", ""),
            {_RETURN: (0xFFFF_FFFF, 0xFFFF_FFED), "status": _THUMB_TASK},
        ),
    ),
    RISCV: (
        # all registers by number, then mepc and mstatus
        ContextLayout((*_RISCV_KEPT, "pc", "status"), {"status": _MACHINE_TASK}),
    ),
}
_ALIGNED_BY_4 = 1 << 9  # in xpsr: a word was left out so that the stack is aligned


def context_at(image: MemoryImage, address: int) -> dict[str, int]:
    """The registers that are saved there; empty: the bytes have no known layout, or the counter has
    no name."""
    for layout in CONTEXTS.get(image.machine, ()):
        registers = _registers(image, address, layout)
        if registers:
            return registers
    return {}


def _registers(image: MemoryImage, address: int, layout: ContextLayout) -> dict[str, int]:
    size = 4 * len(layout.words)
    data = image.bytes_at(address, size)
    if data is None or image.symbols is None:
        return {}
    words = dict(zip(layout.words, numpy.frombuffer(data, "<u4").tolist(), strict=True))
    if any(words[name] & mask != value for name, (mask, value) in layout.values.items()):
        return {}
    thumb = image.machine == ARM
    symbol = image.symbols.at(words["pc"] | thumb)
    if symbol is None or not symbol.size or (thumb and not symbol.address & 1):
        return {}
    padded = 4 if thumb and words["status"] & _ALIGNED_BY_4 else 0
    named = {name: word for name, word in words.items() if name not in ("", "status", _RETURN)}
    return {**named, "sp": address + size + padded}


def saved_contexts(
    image: MemoryImage, tables: Iterable[tuple[int, int]]
) -> Iterator[tuple[int, dict[str, int]]]:
    """Each word of `tables`, pairs of a begin and an end, that points at saved registers: its own
    address, and the registers."""
    for start, end in tables if image.machine in CONTEXTS else ():
        for address in range(start + -start % 4, end - 3, 4):
            value = image.word(address)
            if value and value % 4 == 0 and image.segment_at(value) is not None:
                registers = context_at(image, value)
                if registers:
                    yield address, registers
