"""Control flow of RV32IMC machine code: functions, their blocks, and where each block leads."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import Enum, auto
from functools import cached_property
from pathlib import Path

from elftools.elf.elffile import ELFFile
from elftools.elf.sections import SymbolTableSection

from emulation.bounds_paths import CodeError, Loop, find_loops

__all__ = ["Block", "Code", "CodeError", "Flow", "Function", "Instruction", "decode"]


class Flow(Enum):
    NEXT = auto()
    BRANCH = auto()  # to the target, or on
    JUMP = auto()
    CALL = auto()
    RETURN = auto()
    JUMP_BY_REGISTER = auto()
    CALL_BY_REGISTER = auto()
    TRAP = auto()  # nothing comes after it


@dataclass(frozen=True)
class Instruction:
    address: int
    size: int
    flow: Flow = Flow.NEXT
    target: int = 0
    touches_memory: bool = False
    word: int = 0

    @property
    def end(self) -> int:
        return self.address + self.size


LINK, A2 = 1, 12  # registers
LOAD, STORE, AUIPC, BRANCH, JALR, JAL, SYSTEM = 0x03, 0x23, 0x17, 0x63, 0x67, 0x6F, 0x73
IMMEDIATE = 0x13
EBREAK = 0x0010_0073


def signed(value: int, bits: int) -> int:
    return value - (1 << bits) if value >> (bits - 1) & 1 else value


def gather(word: int, *parts: tuple[int, int, int]) -> int:
    """An immediate from its parts: (lowest bit in the word, how many, lowest bit in the value)."""
    return sum((word >> low & ((1 << count) - 1)) << at for low, count, at in parts)


def decode_short(half: int, address: int) -> Instruction:
    quadrant, kind = half & 3, half >> 13
    if half == 0:
        return Instruction(address, 2, Flow.TRAP)
    if quadrant == 1 and kind in (1, 5):
        parts = ((3, 3, 1), (11, 1, 4), (2, 1, 5), (7, 1, 6), (6, 1, 7), (9, 2, 8), (8, 1, 10))
        jump = signed(gather(half, *parts, (12, 1, 11)), 12)
        return Instruction(address, 2, Flow.CALL if kind == 1 else Flow.JUMP, address + jump)
    if quadrant == 1 and kind in (6, 7):
        parts = ((3, 2, 1), (10, 2, 3), (2, 1, 5), (5, 2, 6), (12, 1, 8))
        return Instruction(address, 2, Flow.BRANCH, address + signed(gather(half, *parts), 9))
    if quadrant == 2 and kind == 4 and half >> 2 & 31 == 0:
        register = half >> 7 & 31
        if half >> 12 & 1:
            return Instruction(address, 2, Flow.CALL_BY_REGISTER if register else Flow.TRAP)
        if register == 0:
            raise CodeError(f"{address:#x}: {half:#06x} is not an instruction")
        return Instruction(address, 2, Flow.RETURN if register == LINK else Flow.JUMP_BY_REGISTER)
    return Instruction(address, 2, touches_memory=quadrant in (0, 2) and kind in (2, 6))


def decode_long(word: int, address: int, before: int | None) -> Instruction:
    """`before`: the word of an auipc right before it."""
    opcode, register = word & 0x7F, word >> 7 & 31
    if opcode == BRANCH:
        parts = ((8, 4, 1), (25, 6, 5), (7, 1, 11), (31, 1, 12))
        return Instruction(address, 4, Flow.BRANCH, address + signed(gather(word, *parts), 13))
    if opcode == JAL:
        parts = ((21, 10, 1), (20, 1, 11), (12, 8, 12), (31, 1, 20))
        target = address + signed(gather(word, *parts), 21)
        return Instruction(address, 4, Flow.CALL if register else Flow.JUMP, target)
    if opcode == JALR:
        base = word >> 15 & 31
        if before is not None and before >> 7 & 31 == base:
            target = address - 4 + signed(before >> 12 << 12, 32) + signed(word >> 20, 12)
            flow = Flow.CALL if register else Flow.JUMP
            return Instruction(address, 4, flow, target & 0xFFFF_FFFE)
        if register:
            return Instruction(address, 4, Flow.CALL_BY_REGISTER)
        return Instruction(address, 4, Flow.RETURN if base == LINK else Flow.JUMP_BY_REGISTER)
    if word == EBREAK:
        return Instruction(address, 4, Flow.TRAP)
    return Instruction(address, 4, touches_memory=opcode in (LOAD, STORE))


def decode(data: bytes, start: int) -> list[Instruction]:
    """All instructions of `data`, which lies at `start`."""
    built, at, before = [], 0, None
    while at < len(data):
        half = int.from_bytes(data[at : at + 2], "little")
        if half & 3 != 3:
            built.append(replace(decode_short(half, start + at), word=half))
            before = None
        else:
            if half & 0x1F == 0x1F:
                raise CodeError(f"{start + at:#x}: an instruction of more than 32 bits")
            word = int.from_bytes(data[at : at + 4], "little")
            built.append(replace(decode_long(word, start + at, before), word=word))
            before = word if word & 0x7F == AUIPC else None
        at += built[-1].size
    return built


def constant_of(one: Instruction, register: int) -> int | None:
    """The constant that an instruction loads into a register; None: it does not."""
    word = one.word
    if word >> 7 & 31 != register:
        return None
    if one.size == 2 and word & 3 == 1 and word >> 13 == 2:
        return signed(gather(word, (2, 5, 0), (12, 1, 5)), 6)
    if one.size == 4 and word & 0x7F == IMMEDIATE and word >> 12 & 7 == 0 and word >> 15 & 31 == 0:
        return signed(word >> 20, 12)
    return None


def may_write(one: Instruction, register: int) -> bool:
    """True also where it only reads it, as some short instructions do."""
    word = one.word
    if one.size == 4:
        return word & 0x7F not in (STORE, BRANCH) and word >> 7 & 31 == register
    return register in (word >> 7 & 31, 8 + (word >> 7 & 7), 8 + (word >> 2 & 7))


@dataclass(frozen=True)
class Block:
    """Instructions without a branch between them. `ends`: the function ends behind it, by a return
    or a call in its place (`calls`)."""

    instructions: tuple[Instruction, ...]
    successors: tuple[int, ...]
    ends: bool = False
    calls: int | None = None  # the address of the function that its last instruction calls
    by_register: bool = False  # it calls what a register says

    @property
    def start(self) -> int:
        return self.instructions[0].address

    def third_argument(self) -> int | None:
        """The constant that a2 has where the last instruction calls; None: it is not known."""
        for one in reversed(self.instructions[:-1]):
            value = constant_of(one, A2)
            if value is not None:
                return value
            if may_write(one, A2):
                return None
        return None


@dataclass(frozen=True)
class Function:
    name: str
    start: int
    blocks: Mapping[int, Block] = field(repr=False)

    def loops(self) -> list[Loop[int]]:
        """Innermost first. CodeError: one is entered at two places."""
        edges: dict[int, list[tuple[int | None, int]]] = {
            start: [(to, 0) for to in block.successors] for start, block in self.blocks.items()
        }
        return find_loops(self.start, edges)


class Code:
    """An image's functions, taken apart as they are asked for."""

    def __init__(self, image: Path) -> None:
        self.image = image
        self.names: dict[int, str] = {}
        self._sizes: dict[int, int] = {}
        self._parts: list[tuple[int, bytes]] = []
        with image.open("rb") as file:
            elf = ELFFile(file)
            if elf["e_machine"] != "EM_RISCV" or elf.elfclass != 32:
                raise CodeError(f"{image}: only RV32 code is understood")
            for section in elf.iter_sections():
                if isinstance(section, SymbolTableSection):
                    for symbol in section.iter_symbols():
                        if symbol["st_info"]["type"] == "STT_FUNC" and symbol["st_size"]:
                            self.names[symbol["st_value"]] = symbol.name
                            self._sizes[symbol["st_value"]] = symbol["st_size"]
                elif section["sh_flags"] & 4:  # executable
                    self._parts.append((section["sh_addr"], section.data()))
        self._functions: dict[int, Function] = {}

    @cached_property
    def addresses(self) -> Mapping[str, list[int]]:
        result: dict[str, list[int]] = {}
        for address, name in self.names.items():
            result.setdefault(name, []).append(address)
        return result

    def named(self, name: str) -> Function:
        """CodeError: none, or more than one."""
        places = self.addresses.get(name, [])
        if len(places) != 1:
            raise CodeError(f"{self.image.name} has {len(places)} functions {name}")
        return self.at(places[0])

    def at(self, address: int) -> Function:
        if address not in self._functions:
            if address not in self._sizes:
                raise CodeError(f"{address:#x}: no function begins there")
            self._functions[address] = self._take_apart(address)
        return self._functions[address]

    def functions(self) -> Sequence[Function]:
        """Those that were taken apart."""
        return list(self._functions.values())

    def _bytes(self, start: int, size: int) -> bytes:
        for base, data in self._parts:
            if base <= start and start + size <= base + len(data):
                return data[start - base : start - base + size]
        raise CodeError(f"{start:#x}: no code lies there")

    def _take_apart(self, start: int) -> Function:
        name, end = self.names[start], start + self._sizes[start]
        instructions = decode(self._bytes(start, end - start), start)
        begins = {start}
        for one in instructions:
            if one.flow is not Flow.NEXT:
                begins.add(one.end)
            if one.flow in (Flow.BRANCH, Flow.JUMP) and start <= one.target < end:
                begins.add(one.target)
        if begins - {one.address for one in instructions} - {end}:
            raise CodeError(f"{name}: a branch leads between two instructions")
        blocks: dict[int, Block] = {}
        run: list[Instruction] = []
        for one in instructions:
            run.append(one)
            if one.end in begins or one.end == end:
                blocks[run[0].address] = self._block(name, tuple(run), start, end)
                run = []
        return Function(name, start, reachable(name, start, blocks))

    def _block(self, name: str, run: tuple[Instruction, ...], start: int, end: int) -> Block:
        last = run[-1]
        match last.flow:
            case Flow.NEXT:
                return Block(run, (last.end,))
            case Flow.BRANCH:
                if not start <= last.target < end:
                    raise CodeError(f"{name}: the branch at {last.address:#x} leaves the function")
                return Block(run, tuple({last.end, last.target}))
            case Flow.JUMP if start < last.target < end:
                return Block(run, (last.target,))
            case Flow.JUMP if last.target == start:  # back to the beginning, or a call of itself
                return Block(run, (last.target,))
            case Flow.JUMP:
                return Block(run, (), ends=True, calls=last.target)
            case Flow.CALL:
                return Block(run, (last.end,), calls=last.target)
            case Flow.CALL_BY_REGISTER:
                return Block(run, (last.end,), by_register=True)
            case Flow.JUMP_BY_REGISTER:
                return Block(run, (), ends=True, by_register=True)
            case Flow.RETURN:
                return Block(run, (), ends=True)
            case Flow.TRAP:
                return Block(run, ())


def reachable(name: str, start: int, blocks: Mapping[int, Block]) -> dict[int, Block]:
    result: dict[int, Block] = {}
    waiting = [start]
    while waiting:
        at = waiting.pop()
        if at in result:
            continue
        if at not in blocks:
            raise CodeError(f"{name}: control leaves its code at {at:#x}")
        result[at] = blocks[at]
        waiting += blocks[at].successors
    return result
