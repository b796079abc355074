"""The tasks of FreeRTOS in a memory image, found by the structure of their control blocks.

A control block begins with the saved stack pointer and two items of lists, whose owner is the
control block itself; then come priority, stack and name. That order is FreeRTOS's since v8.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy

from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.running import pointed_entries
from heapscope.memory.image.exception_frames import STACK_HIGH, STACK_LOW
from heapscope.memory.image.interrupted import interrupted
from heapscope.memory.image.memory_image import MemoryImage
from heapscope.memory.image.registers import of_stack
from heapscope.memory.image.saved_contexts import context_at, saved_contexts
from heapscope.memory.image.symbols import FirmwareSymbols
from heapscope.memory.image.types import Types

_STATE_OWNER, _STATE_LIST = 16, 20
_EVENT_VALUE, _EVENT_OWNER, _EVENT_LIST = 24, 36, 40
_PRIORITY, _STACK, _NAME = 44, 48, 52
_NAME_MAX = 16
_END = (_NAME + _NAME_MAX, _NAME + _NAME_MAX + 4)
_FILL = 0xA5
_STACK_MAX = 1 << 20
_PRIORITIES = 64
_LIST = 20  # bytes of a list
_CONTEXT = 160  # bytes of registers at the top of a stack


@dataclass(frozen=True, kw_only=True)
class Task:
    """`tcb`: its control block; `saved`: the stack pointer of its last switch; `low`, `high`: the
    first byte of its stack and the one behind it, as far as known; `waits_in`, `event_in`: the
    lists that it is in; `never_used`: bytes at the stack's low end that are still filled as when it
    was made, None where they are not in the image."""

    tcb: int
    name: str
    priority: int
    saved: int
    low: int
    high: int
    waits_in: int
    event_in: int
    never_used: int | None


def find_tasks(image: MemoryImage) -> tuple[Task, ...]:
    """All tasks, ordered by the address of their control blocks."""
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
        high=_high(image, at, saved, low),
        waits_in=waits_in,
        event_in=event_in,
        never_used=_never_used(image, low, saved),
    )


def _high(image: MemoryImage, at: int, saved: int, low: int) -> int:
    """The end of the stack stands behind the name and, with two cores, the core."""
    for offset in _END:
        end = image.word(at + offset) or 0
        if saved <= end < low + _STACK_MAX:
            return end + 4
    return saved


def _never_used(image: MemoryImage, low: int, saved: int) -> int | None:
    stack = image.bytes_at(low, saved - low)
    return None if stack is None else len(stack) - len(stack.lstrip(bytes([_FILL])))


_STATES = (
    ("Delayed", "blocked"),
    ("Suspended", "suspended"),
    ("Termination", "deleted"),
    ("Pending", "ready"),
)


def states(
    image: MemoryImage, tasks: Sequence[Task], symbols: FirmwareSymbols | None
) -> dict[int, str]:
    """The state of each task, by its control block. Without the names of FreeRTOS's lists it is
    only known who is ready, since the idle task always is."""
    ready = symbols.address("pxReadyTasksLists") if symbols else _ready(tasks)
    running = _running(image, symbols)
    result = {}
    for task in tasks:
        if task.tcb in running:
            result[task.tcb] = "running"
        elif ready is not None and task.waits_in == ready + _LIST * task.priority:
            result[task.tcb] = "ready"
        elif symbols is not None:
            symbol = symbols.at(task.waits_in)
            name = "" if symbol is None else symbol.name
            state = next((state for part, state in _STATES if part in name), "")
            blocked = state == "suspended" and task.event_in != 0
            result[task.tcb] = "blocked" if blocked else state
    return result


def _running(image: MemoryImage, symbols: FirmwareSymbols | None) -> set[int | None]:
    for name in ("pxCurrentTCBs", "pxCurrentTCB"):
        for symbol in symbols.named(name) if symbols else ():
            cores = max(1, symbol.size // 4)
            return {image.word(symbol.address + 4 * core) for core in range(cores)}
    return set()


def _ready(tasks: Sequence[Task]) -> int | None:
    """The first of the lists of ready tasks, one for each priority: the idle task's."""
    idle = {task.waits_in for task in tasks if task.name.startswith("IDLE") and not task.priority}
    return idle.pop() if len(idle) == 1 else None


def waiting(tasks: Sequence[Task], states: Mapping[int, str]) -> tuple[Task, ...]:
    """The tasks that surely do not run, so that nothing below their stack pointers is in use: where
    no task is known to run, one with the highest priority of those that are ready does."""
    if "running" in states.values():
        return tuple(task for task in tasks if states.get(task.tcb) != "running")
    ready = [task for task in tasks if states.get(task.tcb) == "ready"]
    if not ready:
        return ()
    highest = max(task.priority for task in ready)
    return tuple(task for task in tasks if task not in ready or task.priority < highest)


def stopped(
    image: MemoryImage,
    tasks: Sequence[Task],
    states: Mapping[int, str],
    heaps: Sequence[ImageHeap] = (),
    types: Types | None = None,
) -> dict[str, Mapping[str, int]]:
    """The registers of each task where it stopped: as a dump has them, or as they are saved on its
    stack, unless it runs. Where no control block is known, a variable that points at saved
    registers is one of a task. Those of an interrupt's handler come with the limits of the stack
    of the task that it interrupted, where they are known."""
    result = {
        thread.name or f"{number}": thread.registers
        for number, thread in enumerate(image.threads)
        if thread.registers
    }
    known = {thread.tcb for thread in image.threads if thread.registers}
    for task in tasks:
        data = image.bytes_at(task.saved, _CONTEXT)
        if task.tcb not in known and states.get(task.tcb) != "running" and data is not None:
            registers = of_stack(image.machine, data) or context_at(image, task.saved)
            if registers:
                result[task.name] = registers
    if not tasks:
        return _saved(image, heaps, result, types)
    running = [(task.low, task.high) for task in tasks if states.get(task.tcb) == "running"]
    return _interrupting(image, result, running)


def _interrupting(
    image: MemoryImage,
    stopped_at: dict[str, Mapping[str, int]],
    stacks: Sequence[tuple[int, int]],
) -> dict[str, Mapping[str, int]]:
    """`stopped_at`, where the one core serves an interrupt with the limits of the one stack that it
    may have interrupted."""
    if len(stacks) != 1 or len(image.threads) != 1 or not interrupted(image, ()):
        return stopped_at
    limits = dict(zip((STACK_LOW, STACK_HIGH), *stacks, strict=True))
    handler = image.threads[0].registers
    return {
        name: {**registers, **limits} if registers is handler else registers
        for name, registers in stopped_at.items()
    }


def _saved(
    image: MemoryImage,
    heaps: Sequence[ImageHeap],
    stopped_at: dict[str, Mapping[str, int]],
    types: Types | None,
) -> dict[str, Mapping[str, int]]:
    """The tasks that variables point at, and those of `stopped_at`. The saved registers of a
    running task are older ones, and in an interrupt no stack pointer tells which it is: there the
    tasks count whose entries nothing points at, if something points at one."""
    used = [(block.address, block.end) for heap in heaps for block in heap.blocks if block.used]
    running = [thread.stack_pointer for thread in image.threads]
    contexts = dict(saved_contexts(image, outside(image, heaps)))
    if interrupted(image, [registers["sp"] for registers in contexts.values()]):
        pointed = pointed_entries(image, types, contexts) if types else frozenset()
        saved = [image.word(address) or 0 for address in pointed]
        stacks = {stack for stack in used for pointer in saved if stack[0] <= pointer <= stack[1]}
        if len(pointed) == 1:
            stopped_at = _interrupting(image, stopped_at, list(stacks))
        kept = contexts.keys() - pointed if pointed else ()
        contexts = {address: contexts[address] for address in kept}
    result: dict[str, Mapping[str, int]] = {}
    for address, registers in sorted(contexts.items()):
        stack = next((one for one in used if one[0] <= registers["sp"] <= one[1]), None)
        if stack is None or not any(stack[0] <= pointer <= stack[1] for pointer in running):
            symbol = image.symbols.at(address) if image.symbols else None
            name = f"{symbol.name}+{address - symbol.address}" if symbol else f"{address:#010x}"
            result[name] = registers
    return {**result, **stopped_at}


def outside(image: MemoryImage, heaps: Sequence[ImageHeap]) -> Iterator[tuple[int, int]]:
    """The known memory that no heap has: each run's first address, and the one behind it."""
    for segment in image.segments:
        start = segment.address
        for heap in sorted(heaps, key=lambda one: one.start):
            if heap.end > start and heap.start < segment.end:
                if start < heap.start:
                    yield start, heap.start
                start = heap.end
        if start < segment.end:
            yield start, segment.end
