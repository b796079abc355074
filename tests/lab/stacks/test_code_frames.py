"""Frames and calls out of a few instructions of each instruction set, as assemblers encode them."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass

import pytest

from heapscope.native.frames import (
    DYNAMIC,
    ELSEWHERE,
    FIELD,
    NUMBER,
    RETURNING,
    WINDOW,
    CodeFunction,
    CodePart,
    read_frames,
)
from heapscope.native.status import StatusError

START = 0x1000


@dataclass(frozen=True)
class Case:
    """`code`: hexadecimal. `frame` and `flags` of the one function; `calls`: kind, known, depth."""

    name: str
    machine: str
    code: str
    frame: int
    flags: int = RETURNING
    calls: tuple[tuple[int, int, int], ...] = ()


CASES = (
    # addi sp,sp,-32; sw ra,28(sp); lui t1,0xfffff; addi t1,t1,96; add sp,sp,t1; ret
    Case("numbers", "riscv", "0111 06ce 7d73 13030306 1a91 8280", 32 + 4000),
    # sub sp,sp,a0; jalr a5; ret
    Case("alloca", "riscv", "3301a140 8297 8280", 0, RETURNING | DYNAMIC, ((1, 0, 0),)),
    # c.addi16sp sp,-64; mv s0,sp; lw a5,12(a0); jalr a5; mv sp,s0; c.addi16sp sp,64; ret
    Case("field", "riscv", "3971 0a84 5c45 8297 2281 2161 8280", 64, calls=((1, FIELD, 64),)),
    # cm.push {ra,s0-s1},-32; cm.popret {ra,s0-s1},32
    Case("zcmp", "riscv+zcmp", "66b8 66be", 32),
    # beqz a0,1f; c.addi16sp sp,-64; c.addi16sp sp,64; ret; 1: addi sp,sp,-16; addi sp,sp,16; ret
    Case("branch", "riscv", "01c5 3971 2161 8280 4111 4101 8280", 64),
    # beqz a0,1f; c.addi16sp sp,-64; 1: jalr a5; ret
    Case("join", "riscv", "11c1 3971 8297 8280", 64, calls=((1, 0, 64),)),
    # csrr sp,mscratch; mret
    Case("switch", "riscv", "73110034 73002030", 0, RETURNING | ELSEWHERE),
    # push {r4,r5,lr}; vpush {d8,d9}; sub sp,#24; sub.w sp,sp,#1024; bx lr
    Case("push", "thumb", "30b5 2ded048b 86b0 adf5806d 7047", 12 + 16 + 24 + 1024),
    # push {r4,lr}; sub sp,#24; cmp r0,#0; itt eq; addeq sp,#24; popeq {r4,pc};
    # strd r4,r5,[sp,#-16]!; ldr r4,[r0,#8]; blx r4; pop {r4,pc}
    Case(
        "condition",
        "thumb",
        "10b5 86b0 0028 04bf 06b0 10bd 6de90445 8468 a047 10bd",
        8 + 24 + 16,
        calls=((1, FIELD, 8 + 24 + 16),),
    ),
    # push {lr}; tbb [pc,r0]; bytes 2, 3; b 1f; 1: sub sp,#8; add sp,#8; pop {pc}
    Case("table", "thumb", "00b5 dfe800f0 0102 00bd 82b0 02b0 00bd", 12),
    # addi a1,a1,-16; s32i a0,a1,12; movi a9,0x271; slli a9,a9,6; sub a1,a1,a9; add.n a1,a1,a9;
    # addi a1,a1,16; ret.n
    Case("call0", "xtensa", "12c1f0 02610392a271 a09911 9011c0 9a11 12c110 0df0", 16 + 625 * 64),
    # entry a1,80; callx8 a2; retw.n
    Case("entry", "xtensa", "36a100 e00200 1df0", 80, RETURNING | WINDOW, ((1, 0, 80),)),
    # entry a1,32; sub a8,a1,a2; movsp a1,a8; retw.n
    Case("movsp", "xtensa", "364100 2081c0 101800 1df0", 32, RETURNING | WINDOW | DYNAMIC),
)


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.machine}-{case.name}")
def test_a_frame_is_what_the_instructions_take(case: Case) -> None:
    code = bytes.fromhex(case.code)
    read = read_frames(
        case.machine, [CodePart(START, code, False)], [CodeFunction(START, START + len(code))]
    )
    assert read.frames["frame"].tolist() == [case.frame]
    assert read.frames["flags"].tolist() == [case.flags]
    columns = ("kind", "known", "depth")
    assert [tuple(int(row[name]) for name in columns) for row in read.calls] == list(case.calls)


def test_a_call_by_a_number_is_direct_and_its_arguments_are_known() -> None:
    """lui a0,0x8; auipc ra,1; jalr -2(ra); ret, and a ret at 0x2000."""
    code = bytes.fromhex("2165 97100000 e780e0ff 8280")
    parts = [CodePart(START, code, False), CodePart(0x2000, bytes.fromhex("8280"), False)]
    functions = [CodeFunction(START, START + len(code)), CodeFunction(0x2000, 0x2002)]
    (call,) = read_frames("riscv", parts, functions).calls
    assert (int(call["kind"]), hex(int(call["target"]))) == (0, "0x2000")
    assert int(call["argument_known"][0]) == NUMBER
    assert int(call["argument"][0]) == 0x8000


def test_what_never_returns_ends_its_caller() -> None:
    """One that loops, and one that calls it; the bytes behind the call would take 64 bytes."""
    loops, calls = bytes.fromhex("01a0"), bytes.fromhex("fd3f 3971 8280")
    code = loops + calls
    read = read_frames(
        "riscv",
        [CodePart(START, code, False)],
        [CodeFunction(START, START + 2), CodeFunction(START + 2, START + len(code))],
    )
    assert read.frames["frame"].tolist() == [0, 0]
    assert read.frames["flags"].tolist() == [0, 0]


def test_a_call_at_the_end_of_a_function_leads_not_on_into_the_next_one() -> None:
    """jal to what is not in the file, and behind it another function."""
    code = bytes.fromhex("ef00f07f 3971 8280")
    functions = [CodeFunction(START, START + 4), CodeFunction(START + 4, START + 8)]
    read = read_frames("riscv", [CodePart(START, code, False)], functions)
    assert [int(call["tail"]) for call in read.calls] == [0]


def test_any_bytes_are_read_to_an_end(seed: int) -> None:
    bytes_of = random.Random(seed).randbytes
    for machine in ("xtensa", "riscv", "riscv+zcmp", "thumb"):
        for _ in range(20):
            code = bytes_of(400)
            functions = [CodeFunction(at, at + 100) for at in range(START, START + 400, 100)]
            read = read_frames(machine, [CodePart(START, code, False)], functions)
            assert len(read.frames) == 4


def test_parts_out_of_order_are_refused() -> None:
    parts = [CodePart(START, bytes(8), False), CodePart(START + 4, bytes(8), False)]
    with pytest.raises(StatusError, match="outside its range"):
        read_frames("riscv", parts, [])


def test_a_word_of_a_table_leads_to_the_functions_own_addresses() -> None:
    """slli a0,a0,2; lui a5,0x8; add a5,a5,a0; lw a5,0(a5); jr a5; then two of its targets."""
    code = bytes.fromhex("0a05 a167 aa97 9c43 8287 3971 2161 8280 4111 4101 8280")
    table = struct.pack("<3I", START + 10, START + 16, 0x4000)
    parts = [CodePart(START, code, False), CodePart(0x8000, table, False)]
    read = read_frames("riscv", parts, [CodeFunction(START, START + len(code))])
    assert read.frames["frame"].tolist() == [64]
    assert read.frames["unreached"].tolist() == [0]
    assert len(read.calls) == 0
