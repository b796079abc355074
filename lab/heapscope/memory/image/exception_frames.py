"""The registers that an Arm's processor stored when an exception interrupted a task.

It stored eight of them on the stack in use, and the link register of the handler tells which stack
that was. That of handlers goes on where their frames end. That of tasks is a register (psp) that
some debuggers give. Where none does, the stored registers are searched for in the stack of the
task, where older ones may be left below them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy

from heapscope.memory.image.memory_image import MemoryImage

RETURN_MIN = 0xFFFF_FF00  #: of the values in the link register that return from an exception
TASK_STACK = "psp"  #: a register of the processor
STACK_LOW, STACK_HIGH = "stack_low", "stack_high"  #: of the task, beside a handler's registers
_ON_TASK_STACK, _WITHOUT_FLOATS = 1 << 2, 1 << 4  # bits of that value
_STORED = ("r0", "r1", "r2", "r3", "r12", "lr", "pc", "xpsr")
_FLOAT_WORDS = 18
_MASK, _TASK = 0x01F0_01FF, 0x0100_0000  # xpsr of a task: Thumb, no exception, reserved bits 0
_PADDED = 1 << 9  # in xpsr: a word was left out so that the stack is aligned
_STACK_MAX = 1 << 16
_CANDIDATES_MAX = 64


def place_known(named: Mapping[str, int], value: int) -> bool:
    """`named`: the registers of a handler; `value`: of its link register at its entry."""
    return not value & _ON_TASK_STACK or TASK_STACK in named


def stored_registers(
    image: MemoryImage, named: Mapping[str, int], kept: Mapping[str, int]
) -> Iterator[dict[str, int]]:
    """Those of the interrupted code: all that may be, unless their place is known. `named`: the
    registers of the handler, and the limits of the task's stack where they are known; `kept`: the
    registers at the handler's entry."""
    value = kept["lr"]
    if not value & _ON_TASK_STACK:
        places = [kept["sp"]]
    elif TASK_STACK in named:
        places = [named[TASK_STACK]]
    else:
        places = _places(image, named.get(STACK_LOW, 0), named.get(STACK_HIGH, 0))
    for at in places:
        data = image.bytes_at(at, 4 * len(_STORED))
        if data is not None:
            words = dict(zip(_STORED, numpy.frombuffer(data, "<u4").tolist(), strict=True))
            size = len(_STORED) + (0 if value & _WITHOUT_FLOATS else _FLOAT_WORDS)
            size += 1 if words.pop("xpsr") & _PADDED else 0
            yield {**kept, **words, "sp": at + 4 * size}


def _places(image: MemoryImage, low: int, high: int) -> list[int]:
    """Where registers of a task may be stored: the counter has a name, and the status is one that a
    task can have."""
    low += -low % 4
    data = image.bytes_at(low, (high - low) // 4 * 4) if low < high <= low + _STACK_MAX else None
    if data is None or image.symbols is None:
        return []
    result = []
    words = numpy.frombuffer(data, "<u4")
    for index in numpy.nonzero(words & numpy.uint32(_MASK) == _TASK)[0].tolist():
        counter = int(words[index - 1])
        symbol = image.symbols.at(counter | 1)
        named = symbol is not None and symbol.size and symbol.address & 1
        if index >= len(_STORED) - 1 and not counter & 1 and named:
            result.append(low + 4 * (index - len(_STORED) + 1))
    return result if len(result) <= _CANDIDATES_MAX else []
