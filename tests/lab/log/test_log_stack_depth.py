"""A stack that overflowed, with its size and its largest frame by the ELF of the program."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.stacks.small_program import Program

import heapscope as hs
from heapscope.logs.answer.stack_depth import depth_sentence


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    program = Program()
    deep = program.function("parse", 1024)
    entry = program.function("work", 64, deep)
    creator = program.function("xTaskCreatePinnedToCore", 16)
    name = program.elf.constant("name", b"a_task_of_some_name\0")
    program.create(creator, entry, name, 1024)
    return Path(program.write(tmp_path))


def test_a_task_has_its_size_and_its_largest_frame(elf: Path) -> None:
    for task in ("a_task_of_some_name", "a_task_of_some_"):
        assert depth_sentence(elf, task) == (
            " By the code, the stack has 1,024 B, and the task takes at most 1,088 B: the largest "
            "frame is that of parse with 1,024 B."
        )
    assert depth_sentence(elf, "a_task") == ""
    assert depth_sentence(None, "a_task_of_some_name") == ""
    elf.write_bytes(elf.read_bytes()[:200])
    assert depth_sentence(elf, "a_task_of_some_name") == ""


def test_an_overflow_in_a_log_ends_in_the_code(elf: Path, tmp_path: Path) -> None:
    log = tmp_path / "crash.log"
    log.write_text("***ERROR*** A stack overflow in task a_task_of_some_ has been detected.\n")
    verdict = " ".join(hs.log(log, elf=elf).verdict)
    assert "stack of task a_task_of_some_ overflowed" in verdict
    assert "the largest frame is that of parse with 1,024 B." in verdict
