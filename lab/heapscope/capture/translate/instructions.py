"""The instructions of x86-64 that it takes to follow the result of a call: moves between registers
and memory, tests, jumps and returns. Whatever else stands there ends the way.

The encoding is that of the processor's manual (Intel SDM, volume 2, chapter 2)."""

from __future__ import annotations

import struct
from dataclasses import dataclass, replace

RAX, RSP, RBP = 0, 4, 5
#: Registers that a called function leaves as they are (System V ABI, x86-64, 3.2.1).
KEPT = frozenset({3, 4, 5, 12, 13, 14, 15})

_INT8, _INT32 = struct.Struct("<b"), struct.Struct("<i")
#: Opcodes with a ModRM byte: register to the operand, operand to the register, and neither.
_STORES, _LOADS = {0x89}, {0x8B, 0x63}
_CHANGES_OPERAND = {0x01, 0x09, 0x21, 0x29, 0x31}
_CHANGES_REGISTER = {0x03, 0x0B, 0x23, 0x2B, 0x33, 0x8D}
_ONLY_LOOKS = {0x85, 0x39, 0x3B, 0x38, 0x3A, 0x84}
_BYTE_STORES, _BYTE_LOADS = {0x88}, {0x8A}


@dataclass(frozen=True)
class Instruction:
    """One instruction. `kind`: move (a register to a register), store (a register to memory),
    load (memory to a register), change (of a register, to what nobody follows), look (nothing but
    flags changes), jump, branch, call, return, or other (memory changes). `source` and `target` are
    registers. Memory is `base` (a register; -1: the instruction's end) plus `offset`; None:
    not one, or it has an index. `wide`: all 64 bits. `place`: where a jump, branch or call goes.
    `equal`: the branch is taken where what was tested is zero."""

    size: int
    kind: str
    source: int = -1
    target: int = -1
    base: int | None = None
    offset: int = 0
    wide: bool = False
    place: int | None = None
    equal: bool = False
    zero: bool = False  # it looks whether something is zero


def decode(code: bytes, address: int) -> Instruction | None:
    """The instruction at an address, where the code begins; None: not one of those that are
    known here."""
    try:
        result = _decode(code, 0)
    except (IndexError, struct.error):
        return None
    if result is None or result.place is None:
        return result
    return replace(result, place=result.place + address)


def _decode(code: bytes, start: int) -> Instruction | None:
    at, rex = start, 0
    if code[at : at + 4] == b"\xf3\x0f\x1e\xfa":  # endbr64
        return Instruction(4, "look")
    operand16 = code[at] == 0x66
    at += operand16
    if code[at] & 0xF0 == 0x40:
        rex = code[at]
        at += 1
    op, at = code[at], at + 1
    wide = bool(rex & 8)
    if op == 0x0F:
        return _two_bytes(code, start, at, rex)
    if op in _STORES | _LOADS | _CHANGES_OPERAND | _CHANGES_REGISTER | _ONLY_LOOKS:
        return _moved(code, start, at, rex, op)
    if op in _BYTE_STORES | _BYTE_LOADS | {
        0xC6,
        0xC7,
        0x80,
        0x81,
        0x83,
        0xF6,
        0xF7,
        0xFF,
        0xD1,
        0xC1,
    }:
        return _other(code, start, at, rex, op, operand16=operand16)
    if 0x50 <= op <= 0x57:
        return Instruction(at - start, "look")
    if 0x58 <= op <= 0x5F:
        return Instruction(at - start, "change", target=(op & 7) | (rex & 1) << 3)
    if 0xB8 <= op <= 0xBF:
        size = 8 if wide else 4
        return Instruction(at + size - start, "change", target=(op & 7) | (rex & 1) << 3)
    if op == 0xE8:
        end = at + 4
        return Instruction(end - start, "call", place=end + _INT32.unpack_from(code, at)[0])
    if op == 0xE9:
        end = at + 4
        return Instruction(end - start, "jump", place=end + _INT32.unpack_from(code, at)[0])
    if op == 0xEB:
        return Instruction(at + 1 - start, "jump", place=at + 1 + _INT8.unpack_from(code, at)[0])
    if op in (0x74, 0x75):
        end = at + 1
        place = end + _INT8.unpack_from(code, at)[0]
        return Instruction(end - start, "branch", place=place, equal=op == 0x74)
    if op == 0xC9:
        return Instruction(at - start, "change", target=RBP)
    if op == 0xC3:
        return Instruction(at - start, "return")
    if op == 0x90:
        return Instruction(at - start, "look")
    return None


@dataclass(frozen=True)
class _Operand:
    end: int
    register: int  # of the field reg
    direct: int | None  # the operand is this register
    base: int | None
    offset: int


def _operand(code: bytes, at: int, rex: int) -> _Operand:
    mod, rm = code[at] >> 6, code[at] & 7
    register = (code[at] >> 3 & 7) | (rex & 4) << 1
    at += 1
    if mod == 3:
        return _Operand(at, register, rm | (rex & 1) << 3, None, 0)
    base: int | None = rm | (rex & 1) << 3
    if rm == 4:
        sib, at = code[at], at + 1
        base = (sib & 7) | (rex & 1) << 3
        if (sib >> 3 & 7) | (rex & 2) << 2 != 4 or (sib & 7 == 5 and mod == 0):
            base = None  # with an index, or none at all
        if sib & 7 == 5 and mod == 0:
            return _Operand(at + 4, register, None, None, 0)
    offset = 0
    if mod == 0 and rm == 5:
        base, offset, at = -1, _INT32.unpack_from(code, at)[0], at + 4
    elif mod == 1:
        offset, at = _INT8.unpack_from(code, at)[0], at + 1
    elif mod == 2:
        offset, at = _INT32.unpack_from(code, at)[0], at + 4
    return _Operand(at, register, None, base, offset)


def _moved(code: bytes, start: int, at: int, rex: int, op: int) -> Instruction:
    operand, wide = _operand(code, at, rex), bool(rex & 8)
    size, register, direct = operand.end - start, operand.register, operand.direct
    if op in _ONLY_LOOKS:
        zero = op in (0x85, 0x84) and direct == register
        return Instruction(size, "look", source=register, zero=zero, wide=wide)
    if op in _STORES:
        if direct is not None:
            return Instruction(size, "move", source=register, target=direct, wide=wide)
        return Instruction(
            size, "store", source=register, base=operand.base, offset=operand.offset, wide=wide
        )
    if op in _LOADS:
        if direct is not None and op == 0x8B:
            return Instruction(size, "move", source=direct, target=register, wide=wide)
        if direct is not None:
            return Instruction(size, "change", target=register)
        return Instruction(
            size, "load", target=register, base=operand.base, offset=operand.offset, wide=wide
        )
    if op in _CHANGES_OPERAND and direct is None:
        return Instruction(size, "other", base=operand.base, offset=operand.offset)
    changed = register if op in _CHANGES_REGISTER or direct is None else direct
    return Instruction(size, "change", target=changed, base=operand.base, offset=operand.offset)


def _other(
    code: bytes, start: int, at: int, rex: int, op: int, *, operand16: bool
) -> Instruction | None:
    operand = _operand(code, at, rex)
    field = operand.register & 7
    size = operand.end - start
    if op in (0xF6, 0xF7) and field > 1:
        changed = operand.direct if operand.direct is not None else -1
        return Instruction(size, "change", target=changed) if field < 4 else None
    if op in (0xC6, 0x80, 0x83, 0xC1, 0xF6):
        size += 1
    if op in (0xC7, 0x81, 0xF7):
        size += 2 if operand16 else 4
    if op == 0xFF and field == 2:
        return Instruction(size, "call", base=operand.base, offset=operand.offset)
    if op == 0xFF and field > 1:
        return None
    looks = op in (0xF6, 0xF7) or (op in (0x80, 0x81, 0x83) and field == 7)
    if looks:
        value = code[start + size - 1]
        return Instruction(size, "look", base=operand.base, zero=op == 0x83 and value == 0)
    if op in _BYTE_LOADS:
        return Instruction(size, "change", target=operand.register)
    if operand.direct is not None:
        return Instruction(size, "change", target=operand.direct)
    return Instruction(size, "other", base=operand.base, offset=operand.offset)


def _two_bytes(code: bytes, start: int, at: int, rex: int) -> Instruction | None:
    op, at = code[at], at + 1
    if op in (0x84, 0x85):
        end = at + 4
        place = end + _INT32.unpack_from(code, at)[0]
        return Instruction(end - start, "branch", place=place, equal=op == 0x84)
    if op == 0x1F:
        return Instruction(_operand(code, at, rex).end - start, "look")
    if op in (0xB6, 0xB7, 0xBE, 0xBF):
        operand = _operand(code, at, rex)
        return Instruction(operand.end - start, "change", target=operand.register)
    return None
