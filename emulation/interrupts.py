"""One operation, interrupted between any two of its instructions by a handler that allocates.

An interrupt comes at a boundary: the operation stops there, and where the processor takes
interrupts the handler runs on the same stack, with all registers as they were afterwards, as
hardware and a handler's prologue leave them. Where they are masked it would wait, and is the same
as one that comes when they no longer are."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from enum import Enum, IntEnum
from pathlib import Path

from emulation.machine import RETURN, STACK, STACK_SIZE, FaultError, Machine, constant
from emulation.places import HERE, ROOT
from emulation.program import build_program
from emulation.targets import Target

__all__ = [
    "CRASHED",
    "INTERRUPTIBLE",
    "OPERATIONS",
    "At",
    "Interrupted",
    "Met",
    "Way",
    "build_interrupted",
]

OPERATIONS = ("malloc", "free", "realloc in place", "realloc moving", "calloc", "aligned_alloc")
#: Without IT blocks, within which unicorn cannot be stopped and go on.
INTERRUPTIBLE = ("rv32imc", "cortex-m0plus")

COMPAT = ROOT / "device" / "compat"
TESTS = ROOT / "tests" / "device"
KERNEL = ROOT / "emulation" / "freertos"
#: The register that masks interrupts, its bit, and what that is while they are taken.
MASKS = {
    "riscv32": ("UC_RISCV_REG_MSTATUS", 8, True),
    "cortex-m0": ("UC_ARM_REG_PRIMASK", 1, False),
}


FAILED, CRASHED = -1, -2


class Met(Enum):
    SERVED = "the handler got its block"
    REFUSED = "the handler was refused"
    MASKED = "interrupts were masked"


@dataclass(frozen=True)
class At:
    """`wrong`: 0, or what interrupts_verify() found; FAILED: the operation itself failed; CRASHED:
    the processor raised an exception."""

    boundary: int
    met: Met
    wrong: int


class Way(IntEnum):
    """The interrupted program: WAY of interrupts.c."""

    LIBC = 0  # masks interrupts
    FREERTOS = 1  # refuses handlers
    REGIONS = 2  # masks interrupts; with canaries and owners


def build_interrupted(target: Target, way: Way, *, flags: tuple[str, ...] = ()) -> Path:
    sources: list[Path] = []
    folders: list[Path] = []
    if way is Way.FREERTOS:
        port = ROOT / "device" / "port" / "freertos"
        sources += [COMPAT / "freertos" / "heap_heapscope.c", port / "port.c"]
        sources.append(KERNEL / "kernel.c")
        folders += [port, KERNEL, KERNEL / "kernel"]
    else:
        sources.append(ROOT / "device" / "port" / "bare" / "port.c")
    if way is Way.LIBC:
        sources += sorted((COMPAT / "libc").glob("*.c"))
        folders += [COMPAT / "libc", TESTS / "libc"]
        flags = (*flags, "-DHS_LIBC_PREFIX=my_", "-DHS_LIBC_SIZE=6000")
    if way is not Way.REGIONS:
        sources.append(COMPAT / "arenas" / "arenas.c")
        folders.append(COMPAT / "arenas")
    functions = ("enable", "prepare", "operate", "handle", "verify")
    flags = (*flags, f"-DWAY={way:d}", *(f"-I{folder}" for folder in folders))
    kept = tuple(f"interrupts_{name}" for name in functions)
    return build_program(target, [HERE / "interrupts.c", *sources], flags=flags, keep=kept)


class Interrupted:
    def __init__(self, target: Target, image: Path) -> None:
        self.machine = Machine(target, image)
        self.kind = self.machine.kind
        self.mask, self.bit, self.enabled = MASKS[target.machine]
        self.machine.call("interrupts_prepare")
        self.machine.call("interrupts_enable")
        self._memory = self.machine.image()
        self._registers = self.machine.uc.context_save()

    def every(self, operation: int, *, first: int = 0, step: int = 1) -> Iterator[At]:
        """At every `step`-th boundary from before the first instruction to after the last."""
        boundary = first
        while (result := self.at(operation, boundary)) is not None:
            yield result
            boundary += step

    def at(self, operation: int, boundary: int) -> At | None:
        """None: the operation has fewer instructions."""
        from unicorn import UcError

        try:
            return self._at(operation, boundary)
        except (UcError, FaultError):
            return At(boundary, Met.SERVED, CRASHED)

    def _at(self, operation: int, boundary: int) -> At | None:
        machine, uc = self.machine, self.machine.uc
        for address, data in self._memory:
            uc.mem_write(address, data)
        uc.context_restore(self._registers)
        thumb = int(self.kind.thumb)
        machine.begin("interrupts_operate", operation)
        pc = machine.symbols["interrupts_operate"] & ~1
        if boundary:
            uc.ctl_flush_tb()  # code that was translated without a count is not counted
            uc.emu_start(pc | thumb, RETURN, count=boundary)
            pc = int(uc.reg_read(constant(self.kind.counter))) & ~1
            if pc == RETURN:
                return None
        met = Met.MASKED
        if bool(uc.reg_read(constant(self.mask)) & self.bit) is self.enabled:
            met = self._interrupt()
        uc.emu_start(pc | thumb, RETURN)
        built = int(uc.reg_read(constant(self.kind.result)))
        wrong = machine.call("interrupts_verify", operation) if built else FAILED
        return At(boundary, met, wrong)

    def _interrupt(self) -> Met:
        """The handler, below what the interrupted code has on the stack."""
        machine, uc = self.machine, self.machine.uc
        before = uc.context_save()
        stack = int(uc.reg_read(constant(self.kind.stack)))
        assert STACK < stack <= STACK + STACK_SIZE
        machine.begin("interrupts_handle", stack=(stack - 128) & ~15)
        thumb = int(self.kind.thumb)
        uc.emu_start(machine.symbols["interrupts_handle"] & ~1 | thumb, RETURN)
        served = int(uc.reg_read(constant(self.kind.result)))
        uc.context_restore(before)
        return Met.SERVED if served else Met.REFUSED
