"""The stack of a task that overflowed, as the code of the program shows it."""

from __future__ import annotations

from pathlib import Path

from heapscope.answers.stacks.stack_answer import TaskStack, bound_stacks
from heapscope.base.errors import InputError
from heapscope.base.printable import printable

_NAME = 15  # letters of a task's name that FreeRTOS keeps by default


def depth_sentence(elf: Path | None, task: str) -> str:
    """Empty: the ELF does not show the task."""
    if elf is None or not task:
        return ""
    try:
        tasks = bound_stacks(str(elf)).tasks
    except InputError:  # it has no symbols, say; names of functions come from it all the same
        return ""
    row = next((one for one in tasks if _is(one.name, task)), None)
    return "" if row is None else f" {_sentence(row)}"


def _is(name: str, task: str) -> bool:
    return name == task or (len(task) == _NAME and name.startswith(task))


def _sentence(row: TaskStack) -> str:
    size = "a size that is not in it" if row.size is None else f"{row.size:,} B"
    most = "takes at most" if row.bound is not None else "takes on the deepest known way"
    largest = max(row.path, key=lambda step: step.bytes)
    return (
        f"By the code, the stack has {size}, and the task {most} {row.deepest:,} B: the largest "
        f"frame is that of {printable(largest.function)} with {largest.bytes:,} B."
    )
