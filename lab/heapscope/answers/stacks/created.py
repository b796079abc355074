"""The tasks of a firmware: where its code creates them with constants, and those of the SDK."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from heapscope.answers.stacks.call_graph import CallGraph
from heapscope.memory.stacks.task_creation import CREATORS, KNOWN_TASKS, TaskCreator
from heapscope.native.frames import NUMBER

_SIZE_MAX = 1 << 24
_WORD = 4


@dataclass(frozen=True, kw_only=True)
class CreatedTask:
    """`entry`: a function's number, None where it is not constant; `name`: "" where it is not;
    `size`: bytes of the stack, None where it is not; `by`: the function that creates it, "" where
    the task is known by its entry alone."""

    entry: int | None
    name: str
    size: int | None
    by: str


def created_tasks(
    graph: CallGraph, *, creators: Sequence[TaskCreator] = ()
) -> tuple[CreatedTask, ...]:
    """Ordered as in the code. `creators`: the program's own, beside those of the systems."""
    known = {one.function: one for one in (*CREATORS, *creators)}
    targets = {
        graph.code.functions[number].start: known[name]
        for name, number in graph.code.aliases.items()
        if name in known
    }
    rows = [
        task
        for call in graph.calls[graph.calls["kind"] == 0]
        if (creator := targets.get(int(call["target"]))) is not None
        and (task := _task(graph, call, creator)) is not None
    ]
    return (*rows, *_known(graph, {task.entry for task in rows}))


def _task(graph: CallGraph, call: Any, creator: TaskCreator) -> CreatedTask | None:
    """None: a function of the system that hands its own arguments on, as sys_thread_new does."""
    entry = _number(call, creator.entry)
    size = _number(call, creator.size)
    function = None if entry is None else _function(graph, entry)
    name = _number(call, creator.name) if creator.name >= 0 else None
    if function is None and size is None and name is None:
        return None
    in_bytes = None if size is None else size * (creator.unit or _unit(graph))
    return CreatedTask(
        entry=function,
        name="" if name is None else graph.code.text_at(name),
        size=in_bytes if in_bytes is not None and 0 < in_bytes < _SIZE_MAX else None,
        by=graph.code.names[int(call["function"])],
    )


def _number(call: Any, argument: int) -> int | None:
    known = int(call["argument_known"][argument]) == NUMBER
    return int(call["argument"][argument]) if known else None


def _function(graph: CallGraph, address: int) -> int | None:
    start = address & ~1 if graph.code.machine == "thumb" else address
    number = graph.function_at(start)
    return number if number is not None and graph.code.functions[number].start == start else None


def _unit(graph: CallGraph) -> int:
    """ESP-IDF's stacks are counted in bytes, and those of FreeRTOS elsewhere in words."""
    return 1 if "xTaskCreatePinnedToCore" in graph.code.aliases else _WORD


def _known(graph: CallGraph, entries: set[int | None]) -> Iterator[CreatedTask]:
    for known in KNOWN_TASKS:
        number = graph.code.aliases.get(known.entry)
        if number is not None and number not in entries:
            yield CreatedTask(entry=number, name=known.name, size=None, by="")
