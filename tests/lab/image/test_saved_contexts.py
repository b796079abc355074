"""Tasks that wait are found by the registers that a kernel saved on their stacks."""

from __future__ import annotations

import struct
from dataclasses import replace

import pytest

from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.tasks import outside, stopped
from heapscope.memory.image.exception_frames import STACK_HIGH, STACK_LOW
from heapscope.memory.image.interrupted import interrupted
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment, Thread
from heapscope.memory.image.registers import ARM, RISCV
from heapscope.memory.image.saved_contexts import CONTEXTS, context_at
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols
from heapscope.memory.image.types import (
    ARRAY,
    BASE,
    POINTER,
    STRUCT,
    Member,
    Type,
    Types,
    Variable,
)

CODE, DATA, STACKS = 0x0800_0000, 0x2000_0000, 0x2000_1000
STACK = 512
SYMBOLS = FirmwareSymbols(
    [FirmwareSymbol(CODE | 1, 100, "wait"), FirmwareSymbol(DATA, 64, "tasks")], file="app.elf"
)
LAYOUTS = [(machine, number) for machine in CONTEXTS for number in range(len(CONTEXTS[machine]))]


def _saved(machine: str, number: int, **changed: int) -> bytes:
    """A block of registers as that layout has it, each with a value of its own."""
    layout = CONTEXTS[machine][number]
    words = {name: 0x2000_8000 + 4 * index for index, name in enumerate(layout.words)}
    words |= {name: value for name, (_, value) in layout.values.items()}
    words |= {"pc": CODE + 20} | changed
    return struct.pack(f"<{len(layout.words)}I", *(words[name] for name in layout.words))


def _image(machine: str, *contexts: bytes, running: int = 0) -> MemoryImage:
    """Each context at the end of a stack of its own, and a table that points at all of them."""
    stacks, table = b"", b""
    for number, context in enumerate(contexts):
        at = STACKS + STACK * (number + 1) - len(context)
        table += struct.pack("<III", at, 7, STACKS + STACK * number)
        stacks += context.rjust(STACK, b"\xa5")
    thread = Thread(stack_pointer=running, registers={"pc": CODE, "sp": running})
    return MemoryImage(
        segments=(MemorySegment(DATA, table), MemorySegment(STACKS, stacks)),
        files=("t.bin",),
        what="",
        machine=machine,
        symbols=SYMBOLS,
        threads=(thread,) if running else (),
    )


def _heap(stacks: int) -> ImageHeap:
    blocks = tuple(ImageBlock(STACKS + STACK * number, STACK, True) for number in range(stacks))
    end = STACKS + STACK * stacks
    return ImageHeap(start=STACKS, end=end, first=STACKS, family="", blocks=blocks)


@pytest.mark.parametrize(("machine", "number"), LAYOUTS)
def test_saved_registers_are_known_by_their_words(machine: str, number: int) -> None:
    context = _saved(machine, number)
    image = _image(machine, context)
    registers = context_at(image, STACKS + STACK - len(context))
    assert registers["pc"] == CODE + 20
    assert registers["sp"] == STACKS + STACK
    first = "r4" if machine == ARM else "ra"
    assert registers[first] == 0x2000_8000
    assert not {"", "status"} & set(registers)


@pytest.mark.parametrize("machine", [ARM, RISCV])
def test_other_words_are_no_registers(machine: str) -> None:
    """The counter has no name, or no task can have that status."""
    good = _saved(machine, 0)
    data = DATA if machine == ARM else DATA + 64
    for changed in ({"pc": data}, {"pc": CODE + 200}, {"status": 0}, {"status": 0xFFFF_FFFF}):
        context = _saved(machine, 0, **changed)
        assert context_at(_image(machine, context), STACKS + STACK - len(context)) == {}
    assert context_at(_image(machine, good), STACKS + STACK - len(good) + 4) == {}


def test_a_word_that_aligned_the_stack_is_left_out() -> None:
    context = _saved(ARM, 0, status=0x0100_0200)
    registers = context_at(_image(ARM, context), STACKS + STACK - len(context))
    assert registers["sp"] == STACKS + STACK + 4


@pytest.mark.parametrize("machine", [ARM, RISCV])
def test_the_waiting_tasks_have_the_names_of_their_table(machine: str) -> None:
    """The saved registers of the task that runs are older than what the processor has."""
    contexts = [_saved(machine, 0)] * 3
    image = _image(machine, *contexts, running=STACKS + STACK + 100)
    found = stopped(image, (), {}, (_heap(3),))
    assert set(found) == {"tasks+0", "tasks+24", "0"}
    assert found["0"]["sp"] == STACKS + STACK + 100
    assert list(outside(image, (_heap(3),))) == [(DATA, DATA + 36)]


def _interrupted(machine: str, variable: int) -> MemoryImage:
    """Two tasks, a word behind their table, and a core that serves an interrupt on a stack that is
    an object of the program."""
    image = _image(machine, _saved(machine, 0), _saved(machine, 0))
    (table, stacks) = image.segments
    handlers = 0x2000_0800
    data = (table.data + struct.pack("<I", variable)).ljust(handlers - DATA + 512, b"\0")
    rows = [*SYMBOLS.rows, FirmwareSymbol(handlers, 512, "interrupt_stack")]
    sp = handlers + 256
    thread = Thread(stack_pointer=sp, registers={"pc": CODE, "sp": sp, "xpsr": 0x0100_000F})
    return replace(
        image,
        segments=(MemorySegment(DATA, data), stacks),
        threads=(thread,),
        symbols=FirmwareSymbols(rows, file="app.elf"),
    )


def _types(pointer: int) -> Types:
    """A table has two entries, and a variable behind it points at `pointer`."""
    members = (Member("frame", 0, 2), Member("state", 4, 5), Member("stack", 8, 2))
    by_id = {
        1: Type(kind=STRUCT, name="task", size=12, members=members),
        2: Type(kind=POINTER, size=4),
        3: Type(kind=ARRAY, of=1, count=2),
        4: Type(kind=POINTER, size=4, of=pointer),
        5: Type(kind=BASE, size=4),
    }
    return Types(by_id, (Variable("tasks", DATA, 3), Variable("running", DATA + 24, 4)))


@pytest.mark.parametrize("machine", [ARM, RISCV])
def test_in_an_interrupt_the_task_that_a_variable_points_at_is_not_followed(machine: str) -> None:
    running = _interrupted(machine, DATA + 12)
    found = stopped(running, (), {}, (_heap(2),), _types(1))
    assert set(found) == {"0", "tasks+0"}
    for variable, types in ((0, _types(1)), (DATA + 12, _types(5)), (DATA + 12, None)):
        image = _interrupted(machine, variable)
        assert set(stopped(image, (), {}, (_heap(2),), types)) == {"0"}
    assert interrupted(running, [STACKS + STACK])
    other = replace(running.threads[0], stack_pointer=STACKS + 8, registers={"xpsr": 1 << 24})
    assert not interrupted(replace(running, threads=(other,)), [STACKS + STACK])


@pytest.mark.parametrize("machine", [ARM, RISCV])
def test_an_entry_whose_saved_registers_were_written_over_is_known_by_the_others(
    machine: str,
) -> None:
    """The running task's stack grew over them. It is the one that was interrupted."""
    image = _interrupted(machine, DATA + 12)
    (table, stacks) = image.segments
    size = len(_saved(machine, 0))
    data = stacks.data[: 2 * STACK - size] + bytes(size) + stacks.data[2 * STACK :]
    image = replace(image, segments=(table, MemorySegment(STACKS, data)))
    found = stopped(image, (), {}, (_heap(2),), _types(1))
    assert set(found) == {"0", "tasks+0"}
    assert found["0"][STACK_LOW] == STACKS + STACK
    assert found["0"][STACK_HIGH] == STACKS + 2 * STACK
