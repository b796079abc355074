"""The tasks of FreeRTOS in a memory image, found by the structure of their control blocks.

A control block begins with the saved stack pointer and two items of lists, whose owner is the control
block itself; then come priority, stack and name. That order is FreeRTOS's since v8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy

from heapscope.memory.image.memory_image import MemoryImage

_STATE_OWNER, _STATE_LIST = 16, 20
_EVENT_VALUE, _EVENT_OWNER, _EVENT_LIST = 24, 36, 40
_PRIORITY, _STACK, _NAME = 44, 48, 52
_NAME_MAX = 16
_FILL = 0xA5
_STACK_MAX = 1 << 20
_PRIORITIES = 64
_LIST = 20  # bytes of a list


@dataclass(frozen=True, kw_only=True)
class Task:
    """`tcb`: its control block; `saved`: the stack pointer of its last switch; `low`: the first
    byte of its stack; `waits_in`: the list that it is in; `never_used`: bytes at the stack's low
    end that are still filled as when it was made, None where they are not in the image."""

    tcb: int
    name: str
    priority: int
    saved: int
    low: int
    waits_in: int
    event_in: int
    never_used: int | None


def find_tasks(image: MemoryImage) -> tuple[Task, ...]:
    """By the address of their control blocks."""
    return tuple(
        task
        for start, words in image.words()
        for at in _candidates(start, words)
        if (task := _task(image, at)) is not None
    )


def _candidates(start: int, words: object) -> Iterator[int]:
    assert isinstance(words, numpy.ndarray)
    count = len(words) - _EVENT_OWNER // 4
    if count <= 0:
        return
    own = numpy.arange(start, start + 4 * count, 4, dtype="u4")
    hits = (words[_STATE_OWNER // 4 :][:count] == own) & (words[_EVENT_OWNER // 4 :][:count] == own)
    yield from (start + 4 * index for index in hits.nonzero()[0].tolist())


def _task(image: MemoryImage, at: int) -> Task | None:
    read = [image.word(at + offset) for offset in (0, _STATE_LIST, _EVENT_LIST, _PRIORITY, _STACK)]
    name = image.text(at + _NAME, _NAME_MAX)
    if None in read or name is None:
        return None
    saved, waits_in, event_in, priority, low = (word or 0 for word in read)
    if not low <= saved < low + _STACK_MAX or priority >= _PRIORITIES:
        return None
    return Task(
        tcb=at,
        name=name,
        priority=priority,
        saved=saved,
        low=low,
        waits_in=waits_in,
        event_in=event_in,
        never_used=_never_used(image, low, saved),
    )


def _never_used(image: MemoryImage, low: int, saved: int) -> int | None:
    stack = image.bytes_at(low, saved - low)
    return None if stack is None else len(stack) - len(stack.lstrip(bytes([_FILL])))


def states(
    image: MemoryImage, tasks: tuple[Task, ...], symbols: Mapping[str, int]
) -> Mapping[int, str]:
    """The state of each task, by its control block, as far as the names of FreeRTOS's lists are
    known."""
    result = {}
    current = symbols.get("pxCurrentTCBs") or symbols.get("pxCurrentTCB")
    running = {image.word(current + 4 * core) for core in range(2)} if current else set()
    ready = symbols.get("pxReadyTasksLists")
    for task in tasks:
        name = next((name for name, at in symbols.items() if at == task.waits_in), "")
        if task.tcb in running:
            result[task.tcb] = "running"
        elif ready is not None and 0 <= task.waits_in - ready < _LIST * _PRIORITIES:
            result[task.tcb] = "ready"
        elif "Suspended" in name:
            result[task.tcb] = "blocked" if task.event_in else "suspended"
        elif "Delayed" in name:
            result[task.tcb] = "blocked"
        elif "Termination" in name:
            result[task.tcb] = "deleted"
        elif "Pending" in name:
            result[task.tcb] = "ready"
    return result
