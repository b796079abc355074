"""Calls that are known though the code does not show them: the user's, the SDK's, and the ROM's."""

from __future__ import annotations

import struct
from pathlib import Path
from random import Random

import pytest
from tests.lab.stacks.small_program import Program, li, only

from heapscope.answers.stacks.call_edge import CallEdge
from heapscope.answers.stacks.stack_answer import TaskStack, bound_stacks
from heapscope.answers.stacks.unrolled import unroll
from heapscope.base.errors import InputError
from heapscope.memory.stacks.assembler_code import is_plain
from heapscope.memory.stacks.known_calls import read_known_calls, sdk_calls
from heapscope.memory.stacks.rom_stacks import rom_stacks

FIELD = bytes.fromhex("5c45 8297")  # lw a5,12(a0); jalr a5


def bounded(program: Program, folder: Path, lines: str, *, entry: str = "worker") -> TaskStack:
    calls = folder / "calls"
    calls.write_text(lines)
    path = program.write(folder)
    return only(bound_stacks(path, entries={entry: None}, known=read_known_calls(str(calls))))


@pytest.fixture
def program() -> Program:
    return Program()


def hand(program: Program, name: str, function: int, *arguments: int) -> None:
    """A function that calls another one with numbers as its arguments."""
    more = b"".join(li(10 + at, number) for at, number in enumerate(arguments))
    program.function(name, 16, function, more=more)


def test_a_call_leads_to_all_that_is_handed_over(program: Program, tmp_path: Path) -> None:
    small, large = program.function("small", 32), program.function("large", 96)
    setter = program.function("set_hook", 16)
    program.function("worker", 16, more=FIELD)
    hand(program, "one", setter, 7, small)
    hand(program, "two", setter, 7, large)
    task = bounded(program, tmp_path, "worker: set_hook(2)\n")
    assert (task.bound, task.path[-1].function) == (112, "large")


def test_what_is_handed_over_must_all_be_known(program: Program, tmp_path: Path) -> None:
    """The function `on` hands its own argument on, as a wrapper does."""
    small = program.function("small", 32)
    setter = program.function("set_hook", 16)
    program.function("on", 16, setter)
    program.function("worker", 16, more=FIELD)
    hand(program, "one", setter, small)
    assert bounded(program, tmp_path, "worker: set_hook(1)\n").bound is None
    assert bounded(program, tmp_path, "worker: set_hook(1) by on\n").bound == 48
    assert bounded(program, tmp_path, "worker: set_hook(1), on(1)\n").bound == 48


def test_a_function_that_is_called_by_a_pointer_hands_over_anything(
    program: Program, tmp_path: Path
) -> None:
    setter = program.function("set_hook", 16)
    program.function("worker", 16, more=FIELD)
    assert bounded(program, tmp_path, "worker: set_hook(1)\n").bound == 16
    program.elf.constant("table", struct.pack("<I", setter))
    assert bounded(program, tmp_path, "worker: set_hook(1)\n").bound is None


def test_structs_give_the_function_that_the_call_reads(program: Program, tmp_path: Path) -> None:
    rows = [program.function(f"row_{size}", size) for size in (32, 64, 128)]
    setter = program.function("register", 16)
    table = program.elf.constant("table", struct.pack("<4I", rows[2], 0, 0, rows[0]))
    program.elf.constant("other", struct.pack("<5I", 0, table, 0, rows[1], 0))
    program.function("worker", 16, more=FIELD)
    hand(program, "one", setter, table)
    assert bounded(program, tmp_path, "worker: register(1)->\n").bound == 48
    assert bounded(program, tmp_path, "worker: register(1)*\n").bound == 144
    assert bounded(program, tmp_path, "worker: [other]->\n").bound == 80


def test_a_line_counts_only_in_the_program_that_it_is_about(
    program: Program, tmp_path: Path
) -> None:
    program.function("driver", 48)
    program.function("funopen", 16)
    program.function("worker", 16, more=FIELD)
    assert bounded(program, tmp_path, "worker: driver\n").bound == 64
    assert bounded(program, tmp_path, "worker: driver unless funopen\n").bound is None
    assert bounded(program, tmp_path, "worker: another\n").bound is None


def test_a_recursion_has_a_bound_by_its_times(program: Program, tmp_path: Path) -> None:
    """`outer` calls `inner`, which calls both `outer` and a leaf."""
    leaf = program.function("leaf", 100)
    inner = program.at()
    outer = inner + 52  # behind three calls
    assert program.function("inner", 32, outer, leaf, leaf) == inner
    while program.at() < outer:
        program.elf.code += bytes(4)
    assert program.function("outer", 64, inner) == outer
    task = bounded(program, tmp_path, "outer * 3\n", entry="outer")
    assert task.bound == 3 * (64 + 32) + 100
    assert [step.function for step in task.path] == ["outer", "inner"] * 3 + ["leaf"]
    assert bounded(program, tmp_path, "outer * 3\n", entry="inner").bound == task.bound + 32
    assert bounded(program, tmp_path, "leaf * 3\n", entry="outer").bound is None


def deepest(edges: list[list[CallEdge]], function: int, limited: int, left: int) -> int:
    """By trying each way; without the limit, it would not end."""
    left -= function == limited
    if left < 0:
        return -1_000_000
    return max([0, *(e.depth + deepest(edges, e.callee, limited, left) for e in edges[function])])


def test_a_recursion_that_is_written_out_has_the_same_ways(seed: int) -> None:
    random = Random(seed)
    for _ in range(60):
        count, limited = random.randint(2, 6), random.randint(0, 1)
        pairs = {(random.randrange(count), random.randrange(count)) for _ in range(count + 3)}
        edges: list[list[CallEdge]] = [[] for _ in range(count)]
        for caller, callee in sorted(pairs):
            if callee == limited or callee > caller:
                edges[caller].append(CallEdge(random.randint(1, 99), callee, False))
        times = random.randint(1, 3)
        expected = [deepest(edges, number, limited, times) for number in range(count)]
        copies = unroll(edges, limited, times)
        assert copies is not None
        ways = [deepest(edges, number, -1, 0) for number in range(count)]
        assert ways == expected, seed


def test_lines_of_no_form_are_errors(tmp_path: Path) -> None:
    wrong = (
        "a(1): b",
        "a: b(9)",
        "a: b*",
        "a: [b]",
        "a * 0",
        "a * 99",
        "a: b -> c",
        "a b",
        "a = b",
    )
    for line in wrong:
        path = tmp_path / "calls"
        path.write_text(line + "\n")
        with pytest.raises(InputError, match="line 1: neither calls nor bytes nor times"):
            read_known_calls(str(path))


def test_a_function_in_rom_has_the_bytes_of_the_table(program: Program, tmp_path: Path) -> None:
    address, name = next(
        key
        for key, stack in rom_stacks().items()
        if stack.bytes > 16 and not stack.hooks and not stack.given
    )
    program.elf.absolute(name, address)
    program.elf.absolute("somewhere", address + 1)
    program.function("worker", 16, address)
    program.function("other", 16, address + 1)
    path = program.write(tmp_path)
    tasks = bound_stacks(path, entries={"worker": None, "other": None}).tasks
    assert [task.bound for task in tasks] == [16 + rom_stacks()[address, name].bytes, None]


def test_a_function_in_rom_that_prints_needs_the_roms_console(
    program: Program, tmp_path: Path
) -> None:
    address = next(address for address, name in rom_stacks() if name == "ets_printf")
    program.elf.absolute("ets_printf", address)
    program.function("worker", 16, address)
    path = program.write(tmp_path)
    assert only(bound_stacks(path, entries={"worker": None})).bound is not None
    own = program.function("own", 16)
    setter = program.function("ets_install_putc1", 16)
    hand(program, "one", setter, own)
    path = program.write(tmp_path)
    assert only(bound_stacks(path, entries={"worker": None})).bound is None


def test_a_function_in_rom_calls_what_the_program_gives_to_it(
    program: Program, tmp_path: Path
) -> None:
    key, stack = next(
        (key, stack)
        for key, stack in rom_stacks().items()
        if [offset for offset, _ in stack.given] == [4] and not stack.hooks
    )
    program.elf.absolute(key[1], key[0])
    program.function("worker", 16, key[0])
    path = program.write(tmp_path)
    assert only(bound_stacks(path, entries={"worker": None})).bound is None
    own = program.function("_malloc_r", 1000)
    program.elf.constant("s_stub_table", struct.pack("<3I", 0, own, 0))
    path = program.write(tmp_path)
    assert only(bound_stacks(path, entries={"worker": None})).bound == 16 + stack.given[0][1] + 1000


def test_the_calls_of_the_sdk_can_be_read() -> None:
    known = sdk_calls()
    assert known.calls["ipc_task"].handed[0].function == "esp_ipc_call_and_wait"
    assert known.times["__sinit"] == 2
    assert len(rom_stacks()) > 5000
    assert is_plain("get_arg$isra$0")
    assert not is_plain("get_argument")
