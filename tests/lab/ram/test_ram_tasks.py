"""The stacks of a build's tasks, with the options of the SDK's own."""

from __future__ import annotations

from pathlib import Path

import pytest
from tests.lab.stacks.small_program import Program

from heapscope.answers.ram.ram_result import RamTaskRow
from heapscope.answers.ram.tasks import task_rows
from heapscope.config.chosen_config import choose_config


@pytest.fixture
def elf(tmp_path: Path) -> Path:
    """main is created with 3,072 bytes, the idle task by a pointer to its size."""
    program = Program()
    entry = program.function("main_task", 64)
    creator = program.function("xTaskCreatePinnedToCore", 16)
    program.create(creator, entry, program.elf.constant("name", b"main\0"), 3072)
    program.function("prvIdleTask", 96)
    program.function("esp_event_loop_run_task", 32)
    return Path(program.write(tmp_path))


def rows(elf: Path, lines: str) -> dict[str, RamTaskRow]:
    file = elf.parent / "sdkconfig"
    file.write_text(f'CONFIG_IDF_TARGET="esp32c3"\n{lines}', encoding="utf-8")
    config = choose_config([file], chip="esp32c3", idf="5.5").config
    return {row.task: row for row in task_rows(elf, config=config)[0]}


def test_a_size_that_the_code_does_not_show_is_that_of_its_option(elf: Path) -> None:
    named = rows(elf, "CONFIG_FREERTOS_IDLE_TASK_STACKSIZE=2048\n")
    assert (named["IDLE"].size, named["IDLE"].bound, named["IDLE"].back) == (2048, 96, 1952)
    assert named["IDLE"].option == "FREERTOS_IDLE_TASK_STACKSIZE"
    assert (named["main"].size, named["main"].option) == (3072, "ESP_MAIN_TASK_STACK_SIZE")
    assert rows(elf, "")["IDLE"].size == 1536  # the default


def test_an_entry_of_several_tasks_has_no_size_by_an_option(elf: Path) -> None:
    assert rows(elf, "")["sys_evt"].size is None
    assert {row.size for row in task_rows(elf)[0]} == {3072, None}
