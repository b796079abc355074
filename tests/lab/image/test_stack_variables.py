"""The variables of functions on a stack lead to blocks, as debug information tells them."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path

import pytest
from tests.needs import need_program

from heapscope.answers.image.typed import Content, typed_blocks
from heapscope.memory.image.dwarf_types import read_types
from heapscope.memory.image.exception_frames import (
    STACK_HIGH,
    STACK_LOW,
    TASK_STACK,
    stored_registers,
)
from heapscope.memory.image.firmware_elf import read_firmware
from heapscope.memory.image.gdb_target import read_target
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.same_build import with_firmware
from heapscope.memory.image.stack_variables import with_stacks
from heapscope.memory.image.types import Types

SOURCE = """
struct node { struct node *next; int number; };
typedef struct { struct node *first; char *text; } list_t;
struct inner { unsigned short values[6]; };
volatile unsigned reached;
unsigned char heap[256] __attribute__((aligned(64)));
static unsigned used;
static void *take(void) { return heap + 64 * used++; }
__attribute__((noinline)) void wait(struct inner *held, const list_t *list)
{
    while (held->values[0] == 0)
    {
        reached++;
        __asm__ volatile(IN_THE_LOOP ::"r"(held), "r"(list->first) : "memory");
    }
}
volatile unsigned served;
void serve(void)
{
    while (1)
    {
        served++;
    }
}
__attribute__((noinline)) int middle(int number)
{
    struct inner *kept = take();
    list_t list;
    list.first = take();
    list.first->next = take();
    list.first->number = number;
    wait(kept, &list);
    return list.first->number + kept->values[0];
}
int main(void)
{
    struct node *mine = take();
    mine->number = middle(3);
    return mine->number;
}
"""
RISCV_START = """
.section .init
.globl _start
_start:
  lui sp, %hi(stack_end)
  addi sp, sp, %lo(stack_end)
  call main
1: j 1b
.bss
.align 4
.space 4096
stack_end: .word 0
"""
ARM_START = """
.syntax unified
.section .init
.word handlers_end
.word begin + 1
.word 0, 0, 0, 0, 0, 0, 0, 0, 0
.word serve
.thumb
.thumb_func
begin:
  ldr r0, =stack_end
  msr psp, r0
  movs r0, #2
  msr control, r0
  isb
  bl main
1: b 1b
.bss
.align 4
stack: .space 4096
stack_end: .space 1024
handlers_end: .word 0
"""


@dataclass(frozen=True)
class Machine:
    """A processor in emulation, with its compiler; `place`: of its vectors, code and variables;
    `memory`: what is read of it; `inner`: an instruction in the innermost loop, behind which the
    program counts in `waits`."""

    gcc: str
    package: str
    options: tuple[str, ...]
    start: str
    place: tuple[int, int, int]
    qemu: tuple[str, str]
    machine: tuple[str, ...]
    memory: str
    inner: str = ""
    waits: str = "reached"


MACHINES = {
    "RISC-V": Machine(
        gcc="riscv64-unknown-elf-gcc",
        package="gcc-riscv64-unknown-elf",
        options=("-march=rv32imac", "-mabi=ilp32"),
        start=RISCV_START,
        place=(0x8000_0000, 0x8000_0100, 0x8000_4000),
        qemu=("qemu-system-riscv32", "qemu-system-misc"),
        machine=("virt", "-m", "64", "-bios", "none"),
        memory="0x80000000+64KB",
    ),
    "Arm": Machine(
        gcc="arm-none-eabi-gcc",
        package="gcc-arm-none-eabi",
        options=("-mcpu=cortex-m3", "-mthumb"),
        start=ARM_START,
        place=(0, 0x100, 0x2000_0000),
        qemu=("qemu-system-arm", "qemu-system-arm"),
        machine=("mps2-an385",),
        memory="0x20000000+64KB",
    ),
}
MACHINES["Arm in an exception"] = replace(MACHINES["Arm"], inner="svc 0", waits="served")
NAMES = {
    0: ("struct node[8]", "main.mine"),
    64: ("struct inner[5]", "wait.held"),
    128: ("struct node[8]", "middle.list.first"),
    192: ("struct node[8]", "middle.list.first[0].next"),
}


def built(folder: Path, machine: Machine, level: str) -> Path:
    gcc = need_program(machine.gcc, package=machine.package)
    (folder / "a.c").write_text(SOURCE, encoding="utf-8")
    (folder / "start.S").write_text(machine.start, encoding="utf-8")
    options = [
        *machine.options,
        f'-DIN_THE_LOOP="{machine.inner}"',
        "-g",
        "-nostdlib",
        "-ffreestanding",
        level,
    ]
    init, text, data = machine.place
    place = [f"-Wl,--section-start=.init={init:#x}", f"-Wl,-Ttext={text:#x},-Tdata={data:#x}"]
    command = [gcc, *options, *place, "start.S", "a.c", "-o", "a.elf"]
    subprocess.run(command, cwd=folder, check=True, capture_output=True)
    return folder / "a.elf"


@pytest.fixture(
    params=[
        pytest.param(
            (name, level), marks=() if level == "-Og" else pytest.mark.slow, id=name + level
        )
        for name in MACHINES
        for level in ("-O0", "-Og", "-Os")
    ]
)
def stopped(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, MemoryImage]]:
    """The program, and its memory while its innermost function waits for ever."""
    machine = MACHINES[request.param[0]]
    with stopped_program(tmp_path, machine, request.param[1]) as result:
        yield result


@contextmanager
def stopped_program(
    folder: Path, machine: Machine, level: str
) -> Iterator[tuple[Path, MemoryImage]]:
    elf = built(folder, machine, level)
    qemu = need_program(machine.qemu[0], package=machine.qemu[1])
    command = [qemu, "-machine", *machine.machine, "-display", "none", "-kernel", str(elf)]
    command += ["-monitor", "stdio", "-gdb", "tcp:127.0.0.1:0"]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        try:
            yield elf, waiting_memory(process, elf, machine)
        finally:
            process.kill()


def waiting_memory(process: subprocess.Popen[str], elf: Path, machine: Machine) -> MemoryImage:
    assert process.stdin is not None
    assert process.stdout is not None
    print("info chardev", file=process.stdin, flush=True)
    port = next(m[1] for line in process.stdout if (m := re.search(r"127\.0\.0\.1:(\d+)", line)))
    at = read_firmware(str(elf)).symbols.address(machine.waits)
    assert at is not None
    while True:
        image = read_target(f"gdb:127.0.0.1:{port}@{machine.memory}")
        if image.word(at):
            return image


def registers_of(elf: Path, image: MemoryImage) -> dict[str, int]:
    """Those of the processor, with the limits of the stack that its exception may have
    interrupted."""
    symbols = read_firmware(str(elf)).symbols
    low, high = (symbols.address(name) or 0 for name in ("stack", "stack_end"))
    return {**image.threads[0].registers, STACK_LOW: low, STACK_HIGH: high}


def names(elf: Path, image: MemoryImage, types: Types) -> dict[int, tuple[str, str]]:
    heap = read_firmware(str(elf)).symbols.address("heap")
    assert heap is not None

    def block_of(address: int) -> Content | None:
        number = (address - heap) // 64
        start = heap + 64 * number
        return Content(start, start, 64) if 0 <= number < len(NAMES) else None

    found = typed_blocks(image, types, types.variables, block_of)
    return {block - heap: (one.name, one.path) for block, one in found.items()}


def test_locals_of_each_frame_lead_to_blocks(stopped: tuple[Path, MemoryImage]) -> None:
    elf, image = stopped
    plain = read_types(elf)
    assert names(elf, image, plain) == {}
    types = with_stacks(
        str(elf),
        plain,
        with_firmware(image, read_firmware(str(elf))),
        {"one": registers_of(elf, image)},
    )
    assert names(elf, image, types) == {
        at: (name, f"task one: {path}") for at, (name, path) in NAMES.items()
    }


def test_registers_that_lead_nowhere_give_no_variables(
    stopped: tuple[Path, MemoryImage],
) -> None:
    elf, image = stopped
    plain = read_types(elf)
    for registers in ({"pc": 0, "sp": 0}, {"pc": 0x8000_0102}, {"pc": 0xFFFF_FFFF, "sp": 4}, {}):
        assert with_stacks(str(elf), plain, image, {"one": registers}).values == ()


def test_calls_behind_an_exception_need_a_stack(tmp_path: Path) -> None:
    """The processor's stack pointer of tasks, or the limits of the stack."""
    with stopped_program(tmp_path, MACHINES["Arm in an exception"], "-Og") as (elf, image):
        plain = read_types(elf)
        named = with_firmware(image, read_firmware(str(elf)))
        alone = dict(image.threads[0].registers)
        assert names(elf, image, with_stacks(str(elf), plain, named, {"one": alone})) == {}
        entry = {"lr": 0xFFFF_FFFD}
        (stored,) = stored_registers(named, registers_of(elf, image), entry)
        pointer = stored["sp"] - 32
        types = with_stacks(str(elf), plain, named, {"one": {**alone, TASK_STACK: pointer}})
        assert names(elf, image, types).keys() == NAMES.keys()
