"""Registers of a task: out of a core dump's notes, and off the top of its stack."""

from __future__ import annotations

import struct

_RISCV = (
    *("pc", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1"),
    *(f"a{number}" for number in range(8)),
    *(f"s{number}" for number in range(2, 12)),
    *("t3", "t4", "t5", "t6"),
)
_ARM = (*(f"r{number}" for number in range(13)), "sp", "lr", "pc", "xpsr")
_XTENSA = ("pc", "ps", "lbeg", "lend", "lcount", "sar", "windowstart", "windowbase")
_WINDOW, _XTENSA_FILE, _ADDRESS_REGISTERS = 16, 64, 64  # ar[] begins at word 64, and has 64
_SERVER_BASE = 69  # where a server tells the window's base, behind pc, the file and four others
#: Words of a frame on the stack of an Xtensa: that of an interrupt, and that of a call that waits.
_INTERRUPTED = ("pc", "ps", *(f"a{number}" for number in range(16)), "sar", "exccause", "excvaddr",
                "lbeg", "lend", "lcount")  # fmt: skip
_WAITING = ("pc", "ps", "next", "a0", "a1", "a2", "a3")

RISCV, XTENSA, ARM = "RISC-V", "Xtensa", "Arm"
_POINTERS = {RISCV: ("sp", "pc"), XTENSA: ("a1", "pc"), ARM: ("sp", "pc")}


def of_note(machine: str, data: bytes) -> dict[str, int]:
    """`data`: a core's general registers, in the order of gdb."""
    words = _words(data)
    if machine == RISCV:
        return dict(zip(_RISCV, words, strict=False))
    if machine == ARM:
        return dict(zip(_ARM, words, strict=False))
    if machine == XTENSA and len(words) >= _XTENSA_FILE + _WINDOW:
        result = dict(zip(_XTENSA, words, strict=False))
        return result | _window(result["windowbase"], words[_XTENSA_FILE:])
    return {}


def _window(base: int, words: tuple[int, ...]) -> dict[str, int]:
    """The 16 registers that the window shows, out of the whole file, by their names in it; the
    others, which callers' frames have, by their numbers."""
    physical = words[:_ADDRESS_REGISTERS]
    start = base * 4 % len(physical) if len(physical) == _ADDRESS_REGISTERS else 0
    result = {}
    for number in range(len(physical)):
        index = (start + number) % len(physical)
        name = f"a{number}" if number < _WINDOW else f"ar{index}"
        if number < _WINDOW or physical[index]:
            result[name] = physical[index]
    return result


def of_stack(machine: str, data: bytes) -> dict[str, int]:
    """`data`: a stack from its top on, where ESP-IDF's port of FreeRTOS keeps what a task had."""
    if machine == RISCV:
        words = _words(data[: 4 * len(_RISCV)])
        return dict(zip(_RISCV, words, strict=True)) if len(words) == len(_RISCV) else {}
    if machine != XTENSA:
        return {}
    waits = data[:4] == bytes(4)
    names = _WAITING if waits else _INTERRUPTED
    words = _words(data[4 : 4 + 4 * len(names)])
    if len(words) < len(names):
        return {}
    result = dict(zip(names, words, strict=True))
    if waits:
        del result["next"]
        # A return address has the size of its window in two bits, which code is not found by.
        result["pc"] = result["pc"] & 0x3FFF_FFFF | 0x4000_0000
    return result


def pointers(machine: str, registers: dict[str, int]) -> tuple[int, int]:
    """The stack pointer and the program counter; 0: not told."""
    stack, program = _POINTERS.get(machine, ("", ""))
    return registers.get(stack, 0), registers.get(program, 0)


def _words(data: bytes) -> tuple[int, ...]:
    count = len(data) // 4
    return struct.unpack_from(f"<{count}I", data)


def of_server(machine: str, text: bytes) -> dict[str, int]:
    """`text`: a debugger server's answer about all registers, hexadecimal, with x for what it does
    not know. Those of an unknown processor by their numbers: they may be pointers too."""
    try:
        data = bytes.fromhex(text.replace(b"x", b"0").decode("ascii"))
    except ValueError:
        return {}
    words = _words(data)
    if machine == RISCV and len(words) > len(_RISCV):
        return dict(zip((*_RISCV[1:], "pc"), words[1:], strict=False))
    if machine == ARM:
        return dict(zip(_ARM, words, strict=False))
    if machine == XTENSA and len(words) > _SERVER_BASE:
        file = words[1 : 1 + _ADDRESS_REGISTERS]
        return {"pc": words[0]} | _window(words[_SERVER_BASE], file)
    return {f"g{number}": word for number, word in enumerate(words)}
