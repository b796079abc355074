"""Changes by which the stacks of a firmware's tasks give something back."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from heapscope.answers.ram.ram_result import STACK, RamBack, RamTaskRow
from heapscope.config.config import Config

_ALIGNED = 16
_KIND = "a stack gets the size that its task can use"
_BOUND = "the bound from the code of the ELF"
_SEEN = "the most that the log has, and the deepest way that is known"


def stack_changes(
    tasks: Iterable[RamTaskRow], config: Config | None, memory: str
) -> Iterator[RamBack]:
    """A row for each stack that is larger than its bound, or else, with a lower end of 0, than all
    that is known of it."""
    for task in tasks:
        need = task.bound if task.bound is not None else _known(task)
        if task.size is None or need is None:
            continue
        least = _least(task, config, -(-need // _ALIGNED) * _ALIGNED)
        back = task.size - least
        if back <= 0:
            continue
        bounded = task.bound is not None
        yield RamBack(
            bytes=back,
            low=back if bounded else 0,
            high=back,
            memory=memory,
            what=task.task,
            by=STACK,
            lines=(_line(task, config, least),),
            kind=_KIND,
            loses="nothing that the code shows"
            if bounded
            else f"safety: {task.holes} calls of it are not known, as {task.hole}",
            source=_BOUND if bounded else _SEEN,
        )


def _known(task: RamTaskRow) -> int | None:
    """None: no log has its mark, and the code alone says too little."""
    return None if task.seen is None else max(task.seen, task.deepest)


def _least(task: RamTaskRow, config: Config | None, size: int) -> int:
    """The size that the option takes."""
    bounds = config.bounds(task.option) if config is not None and task.option else None
    return size if bounds is None else max(size, bounds[0])


def _line(task: RamTaskRow, config: Config | None, size: int) -> str:
    if task.option:
        line = "" if config is None else config.line(task.option, size)
        return line or f"CONFIG_{task.option}={size}"
    return f"{size} bytes of stack, where {task.created_by or 'it'} creates '{task.task}'"
