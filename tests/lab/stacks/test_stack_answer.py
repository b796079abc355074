"""The bounds of tasks: their creation in code, the deepest way, and what stands against a bound."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest
from tests.lab.stacks.small_elf import ARM, XTENSA, SmallElf
from tests.lab.stacks.small_program import RET, Program, auipc, only, take

from heapscope.answers.stacks import stack_hole as hole
from heapscope.answers.stacks.stack_answer import TaskStack, bound_stacks
from heapscope.base.errors import InputError
from heapscope.memory.stacks.interrupt_port import InterruptPort
from heapscope.memory.stacks.known_calls import read_known_calls
from heapscope.memory.stacks.stack_usage import StackUsage, read_usages
from heapscope.memory.stacks.task_creation import TaskCreator

PORT = InterruptPort(name="of the test", frame=100, source="the test")


@pytest.fixture
def program() -> Program:
    return Program()


def kinds(task: TaskStack) -> list[str]:
    return [one.kind for one in task.holes]


def test_a_task_has_its_size_and_its_bound(program: Program, tmp_path: Path) -> None:
    leaf = program.function("leaf", 48)
    middle = program.function("middle", 32, leaf, leaf)
    entry = program.function("worker", 64, middle, leaf)
    creator = program.function("xTaskCreatePinnedToCore", 16)
    program.create(creator, entry, program.elf.constant("name", b"sensor\0"), 3072)
    task = only(bound_stacks(program.write(tmp_path), port=PORT, seen={"sensor": 200}))
    assert (task.name, task.entry, task.created_by, task.size) == (
        "sensor",
        "worker",
        "app_main",
        3072,
    )
    assert (task.bound, task.deepest, task.holes) == (64 + 32 + 48 + 100, 244, ())
    assert [tuple(step) for step in task.path] == [("worker", 64), ("middle", 32), ("leaf", 48)]
    assert (task.back, task.back_as_seen) == (3072 - 256, 2872)


def test_the_answer_can_be_written_as_json(program: Program, tmp_path: Path) -> None:
    program.function("worker", 64)
    answer = bound_stacks(program.write(tmp_path), port=PORT, entries={"worker": 512})
    record = json.loads(json.dumps(answer.record))
    assert record["tasks"][0]["bound"] == 164
    assert record["port_source"] == "the test"


def test_words_are_bytes_times_four_without_esp_idf(program: Program, tmp_path: Path) -> None:
    entry = program.function("worker", 16)
    creator = program.function("xTaskCreate", 16)
    program.create(creator, entry, program.elf.constant("name", b"w\0"), 256)
    assert only(bound_stacks(program.write(tmp_path))).size == 1024


def test_a_recursion_is_a_hole(program: Program, tmp_path: Path) -> None:
    start = program.at()
    program.function("again", 32, start)
    task = only(bound_stacks(program.write(tmp_path), port=PORT, entries={"again": None}))
    assert task.bound is None
    assert task.deepest == 132
    assert kinds(task) == [hole.RECURSION]


def test_an_indirect_call_is_closed_by_the_users_file(program: Program, tmp_path: Path) -> None:
    """lw a5,12(a0); jalr a5."""
    program.function("driver", 80)
    program.function("worker", 16, more=bytes.fromhex("5c45 8297"))
    path = program.write(tmp_path)
    entries = {"worker": 1024}
    task = only(bound_stacks(path, port=PORT, entries=entries))
    assert kinds(task) == [hole.INDIRECT]
    assert "12 bytes behind" in task.holes[0].sentence
    calls = tmp_path / "calls"
    calls.write_text("# of the board\nworker: driver, nothing\n")
    answer = bound_stacks(path, port=PORT, entries=entries, known=read_known_calls(str(calls)))
    assert only(answer).bound == 16 + 80 + 100
    assert answer.notes == ("nothing: no function of the program",)


def test_a_constant_table_closes_an_indirect_call(program: Program, tmp_path: Path) -> None:
    """slli a0,a0,2; lui a5,0x8; add a5,a5,a0; lw a5,0(a5); jalr a5."""
    rows = [program.function("one", 32), program.function("two", 64)]
    program.elf.constant("table", struct.pack("<3I", rows[0], 0, rows[1]))
    program.function("worker", 16, more=bytes.fromhex("0a05 a167 aa97 9c43 8297"))
    task = only(bound_stacks(program.write(tmp_path), entries={"worker": None}))
    assert (task.bound, task.path[-1].function) == (80, "two")


def test_a_constant_table_of_structs_closes_an_indirect_call(
    program: Program, tmp_path: Path
) -> None:
    rows = [program.function("one", 32), program.function("two", 64)]
    program.elf.constant("table", struct.pack("<4I", rows[0], 7, rows[1], 9))
    program.function("worker", 16, more=bytes.fromhex("0a05 a167 aa97 9c43 8297"))
    assert only(bound_stacks(program.write(tmp_path), entries={"worker": None})).bound == 80


def test_a_table_without_functions_closes_nothing(program: Program, tmp_path: Path) -> None:
    """A compiler begins before a table whose index counts from 2; another object is there."""
    one = program.function("one", 32)
    program.elf.constant("keys", struct.pack("<2I", 3, 7))
    program.elf.constant("table", struct.pack("<2I", one, one))
    program.function("worker", 16, more=bytes.fromhex("0a05 a167 aa97 9c43 8297"))
    task = only(bound_stacks(program.write(tmp_path), entries={"worker": None}))
    assert task.bound is None
    assert task.holes[0].detail == "through keys"


def test_an_indirect_call_that_leads_nowhere_is_closed(program: Program, tmp_path: Path) -> None:
    program.function("worker", 16, more=bytes.fromhex("5c45 8297"))
    calls = tmp_path / "calls"
    calls.write_text("worker:\n")
    path = program.write(tmp_path)
    assert (
        only(bound_stacks(path, entries={"worker": None}, known=read_known_calls(str(calls)))).bound
        == 16
    )


def test_code_outside_the_file_is_named_and_closed_by_its_bytes(
    program: Program, tmp_path: Path
) -> None:
    program.elf.absolute("ets_printf", 0x40000)
    program.function("worker", 16, 0x40000)
    path = program.write(tmp_path)
    task = only(bound_stacks(path, entries={"worker": None}))
    assert kinds(task) == [hole.OUTSIDE]
    assert task.holes[0].detail == "ets_printf"
    calls = tmp_path / "calls"
    calls.write_text("ets_printf = 96\n")
    assert (
        only(bound_stacks(path, entries={"worker": None}, known=read_known_calls(str(calls)))).bound
        == 112
    )


def test_a_frame_of_alloca_is_closed_by_a_bounded_figure_of_the_compiler(
    program: Program, tmp_path: Path
) -> None:
    """sub sp,sp,a0."""
    program.function("worker", 16, more=bytes.fromhex("3301a140"))
    path = program.write(tmp_path)
    assert kinds(only(bound_stacks(path, entries={"worker": None}))) == [hole.DYNAMIC]
    (tmp_path / "worker.su").write_text("w.c:1:6:worker\t272\tdynamic,bounded\n")
    assert only(bound_stacks(path, entries={"worker": None})).bound == 272


def test_what_stops_the_program_is_no_part_of_a_bound(program: Program, tmp_path: Path) -> None:
    deep = program.function("print_backtrace", 1024)
    abort = program.function("abort", 32, deep)
    program.function("worker", 16, abort)
    assert only(bound_stacks(program.write(tmp_path), entries={"worker": None})).bound == 48


def test_windows_add_the_save_area_of_the_caller(tmp_path: Path) -> None:
    """entry a1,80; retw.n."""
    elf = SmallElf(XTENSA)
    elf.function("worker", bytes.fromhex("36a100 1df0"))
    path = str(elf.write(tmp_path / "app.elf"))
    assert only(bound_stacks(path, entries={"worker": None})).bound == 96


@pytest.mark.parametrize(("saves", "added"), [("", 72), ("20ed108a", 208)])
def test_tasks_of_a_cortex_m_use_the_fpu_where_its_port_saves_it(
    tmp_path: Path, saves: str, added: int
) -> None:
    elf = SmallElf(ARM)
    elf.function("PendSV_Handler", bytes.fromhex(f"eff30980 08bf {saves} 7047"))
    elf.function("worker", bytes.fromhex("10b5 10bd"))  # push {r4, lr}
    path = str(elf.write(tmp_path / "app.elf"))
    assert only(bound_stacks(path, entries={"worker": None})).bound == 8 + added


def test_a_program_may_have_creators_of_its_own(program: Program, tmp_path: Path) -> None:
    entry = program.function("worker", 16)
    creator = program.function("spawn", 16)
    program.create(creator, entry, 0, 640)
    task = only(bound_stacks(program.write(tmp_path), creators=[TaskCreator("spawn", 0, -1, 2)]))
    assert (task.name, task.size) == ("worker", 640)


def test_an_interrupt_whose_frame_is_unknown_is_noted(program: Program, tmp_path: Path) -> None:
    program.function("worker", 16)
    answer = bound_stacks(program.write(tmp_path), entries={"worker": None})
    assert answer.port is None
    assert "interrupt" in answer.notes[0]


def test_wrong_files_are_named(program: Program, tmp_path: Path) -> None:
    program.function("worker", 16)
    path = program.write(tmp_path)
    with pytest.raises(InputError, match="no function other is in it"):
        bound_stacks(path, entries={"other": None})
    text = tmp_path / "text"
    text.write_text("worker calls driver\n")
    with pytest.raises(InputError, match="line 1: neither calls nor bytes nor times"):
        read_known_calls(str(text))
    with pytest.raises(InputError, match="ELF"):
        bound_stacks(str(text))
    data = bytearray(Path(path).read_bytes())
    data[18:20] = (62).to_bytes(2, "little")
    (tmp_path / "other.elf").write_bytes(data)
    with pytest.raises(InputError, match="Xtensa, RISC-V or Arm"):
        bound_stacks(str(tmp_path / "other.elf"))


def test_a_truncated_elf_is_an_error_at_every_length(program: Program, tmp_path: Path) -> None:
    program.function("worker", 16)
    data = Path(program.write(tmp_path)).read_bytes()
    for size in range(0, len(data) - 40, 37):
        cut = tmp_path / "cut.elf"
        cut.write_bytes(data[:size])
        with pytest.raises(InputError):
            bound_stacks(str(cut))


def test_figures_of_the_compiler_that_contradict_each_other_are_left_out(tmp_path: Path) -> None:
    (tmp_path / "a.su").write_text("a.c:1:1:one\t16\tstatic\na.c:9:1:two\t32\tdynamic\n")
    (tmp_path / "b.su").write_text("b.c:1:1:one\t48\tstatic\nnot of this form\n")
    assert read_usages(tmp_path) == {"two": StackUsage(32, False)}


def test_millicode_moves_the_stack_pointer_of_its_caller(program: Program, tmp_path: Path) -> None:
    """A call by t0 of one that begins inside another one, and takes 48 bytes by its name."""
    outer = program.elf.function("__riscv_save_12", take(64) + bytes.fromhex("8282") * 2)
    program.elf.symbols.append(("__riscv_save_8", outer + 4, 4, 2, 1))
    start = program.at()
    upper = auipc(5, 0)
    low = struct.pack("<I", (outer + 4 - start & 0xFFF) << 20 | 5 << 15 | 5 << 7 | 0x67)
    program.elf.function("worker", upper + low + take(16) + RET)
    assert only(bound_stacks(program.write(tmp_path), entries={"worker": None})).bound == 64
