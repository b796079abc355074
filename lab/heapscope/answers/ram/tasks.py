"""The stacks of a firmware's tasks, as far as the code of its ELF tells them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from heapscope.answers.ram.ram_result import RamTaskRow
from heapscope.answers.stacks.stack_answer import TaskStack, bound_stacks
from heapscope.base.errors import InputError
from heapscope.base.readable_name import readable_name, readable_text
from heapscope.config.config import Config
from heapscope.memory.stacks.known_calls import read_known_calls
from heapscope.memory.stacks.task_creation import KNOWN_TASKS


def task_rows(
    elf: Path | None,
    calls: str | Path | None = None,
    config: Config | None = None,
    *,
    left: Mapping[str, int] | None = None,
) -> tuple[tuple[RamTaskRow, ...], tuple[str, ...]]:
    """Largest first; and notes. An ELF without code or symbols has none, and a note. `config`: of
    the build; `left`: the least bytes of a stack that were free, by task. InputError: the file of
    known calls `calls` is damaged."""
    known = None if calls is None else read_known_calls(str(calls))
    if elf is None:
        return (), ()
    try:
        answer = bound_stacks(str(elf), known=known)
    except InputError as error:
        return (), (f"no stacks: {error.message}",)
    rows = sorted(
        (_row(task, config, (left or {}).get(task.name)) for task in answer.tasks),
        key=lambda row: (-(row.size or 0), row.task),
    )
    return tuple(rows), answer.notes


def _row(task: TaskStack, config: Config | None, left: int | None) -> RamTaskRow:
    known = next((one for one in KNOWN_TASKS if one.entry == task.entry), None)
    if known is not None and config is not None and task.size is None and not known.several:
        size = config.value(known.option)
        task = replace(task, size=size if isinstance(size, int) and size > 1 else None)
    return RamTaskRow(
        task=readable_name(task.name),
        created_by=readable_name(task.created_by),
        size=task.size,
        option="" if known is None else known.option,
        deepest=task.deepest,
        seen=None if left is None or task.size is None else max(0, task.size - left),
        bound=task.bound,
        back=task.back,
        holes=len(task.holes),
        hole=readable_text(task.holes[0].sentence) if task.holes else "",
    )
