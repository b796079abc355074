"""A small program for RISC-V, of functions that take bytes of the stack and call each other."""

from __future__ import annotations

import struct
from pathlib import Path

from tests.lab.stacks.small_elf import RISCV, SmallElf

from heapscope.answers.stacks.stack_answer import StackAnswer, TaskStack

RET = bytes.fromhex("8280")


def take(size: int) -> bytes:
    """addi sp,sp,-size"""
    return struct.pack("<I", (-size & 0xFFF) << 20 | 2 << 15 | 2 << 7 | 0x13)


def auipc(rd: int, upper: int) -> bytes:
    return struct.pack("<I", upper << 12 | rd << 7 | 0x17)


def call(source: int, target: int) -> bytes:
    """auipc ra; jalr ra, at the address `source`."""
    distance = target - source
    upper = distance + 0x800 >> 12
    low = distance - (upper << 12)
    jump = struct.pack("<I", (low & 0xFFF) << 20 | 1 << 15 | 1 << 7 | 0x67)
    return auipc(1, upper & 0xFFFFF) + jump


def li(rd: int, number: int) -> bytes:
    """lui; addi."""
    upper = number + 0x800 >> 12
    low = number - (upper << 12)
    return struct.pack(
        "<II", upper << 12 | rd << 7 | 0x37, (low & 0xFFF) << 20 | rd << 15 | rd << 7 | 0x13
    )


class Program:
    """A small program for RISC-V."""

    def __init__(self) -> None:
        self.elf = SmallElf(RISCV)

    def at(self) -> int:
        return self.elf.CODE + len(self.elf.code) + -len(self.elf.code) % 4

    def function(self, name: str, size: int, *calls: int, more: bytes = b"") -> int:
        """Takes `size` bytes of the stack, calls the addresses, and returns."""
        start = self.at()
        code = take(size) + more
        for target in calls:
            code += call(start + len(code), target)
        return self.elf.function(name, code + take(-size) + RET)

    def create(self, creator: int, entry: int, name: int, size: int) -> None:
        """A function that creates a task by xTaskCreatePinnedToCore."""
        more = li(10, entry) + li(11, name) + li(12, size)
        self.function("app_main", 16, creator, more=more)

    def write(self, folder: Path) -> str:
        return str(self.elf.write(folder / "app.elf"))


def only(answer: StackAnswer) -> TaskStack:
    (task,) = answer.tasks
    return task
