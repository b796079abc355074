"""Builds a program on a heap, for 32 bits: for this machine, or for a processor in emulation."""

from __future__ import annotations

import shutil
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from heaps import Heap
from programs import Program
from tools.compiler import OWN, compile_all, link
from tools.places import MissingError

__all__ = ["TARGETS", "Target", "arena_of", "command_for"]

HERE = Path(__file__).parent
SHARED = ("main", "calls", "shadow")
LEVEL = "-O2"


@dataclass(frozen=True)
class Target:
    """`emulator`: what runs its programs here; "": nothing has to."""

    name: str
    title: str
    options: tuple[str, ...] = ()
    emulator: str = ""

    def runner(self) -> tuple[str, ...]:
        """The command before the program's own. MissingError: no emulator."""
        if not self.emulator:
            return ()
        if shutil.which(self.emulator) is None:
            raise MissingError(f"{self.emulator}; Debian package: qemu-user")
        return (self.emulator,)


ROWS = (
    Target("x86-32", "x86, 32 bit"),
    Target(
        "rv32imac",
        "RV32IMAC",
        ("-target", "riscv32-linux-musl", "-mcpu=generic_rv32+m+a+c"),
        "qemu-riscv32",
    ),
    Target(
        "cortex-m4",
        "Cortex-M4",
        ("-target", "thumb-linux-musleabi", "-mcpu=cortex_m4"),
        "qemu-arm",
    ),
)
TARGETS: Mapping[str, Target] = {target.name: target for target in ROWS}


def build(program: Program, heap: Heap, target: Target) -> Path:
    """The program. MissingError: no compiler, or no sources."""
    parts = program.parts()
    level = (*target.options, LEVEL)
    library = compile_all(parts.sources, options=(*level, "-w", *parts.options))
    theirs = tuple(option.replace("-I", "-isystem", 1) for option in parts.options)
    own = compile_all([*parts.own, program.work], options=(*level, f"-I{HERE}", *theirs, *OWN))
    shared = [HERE / f"{name}.c" for name in SHARED]
    own += compile_all(shared, options=(*level, *OWN))
    flags = (*level, f"-I{HERE}", *heap.include, *heap.defines, "-DNDEBUG")
    own += compile_all([*heap.sources, HERE / f"heap_{heap.adapter}.c"], options=(*flags, *OWN))
    name = f"{program.name}-{heap.name}-{target.name}"
    return link(name, [*library, *own], options=level)


def arena_of(program: Program, heap: Heap) -> int:
    """Bytes of the heap's memory."""
    return int(program.arena * heap.room)


def command_for(
    program: Program,
    heap: Heap,
    target: Target,
    *,
    calls: int,
    check_every: int,
    refuse_one_in: int = 0,
    seed: int = 1,
) -> list[str]:
    """The command that runs it."""
    built = build(program, heap, target)
    numbers = (calls, arena_of(program, heap), check_every, refuse_one_in, seed)
    return [*target.runner(), str(built), *map(str, numbers), str(program.script or "-")]
