"""Tasks and objects of FreeRTOS, by structures that are drawn into memory."""

from __future__ import annotations

import random
import struct
from dataclasses import replace

import pytest

from heapscope.answers.image.shapes import shape_of
from heapscope.answers.image.tasks import Task, find_tasks, states, waiting
from heapscope.answers.image.typed import Content
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment, Thread
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols

BASE, READY, DELAYED, CURRENT = 0x3FC8_0000, 0x3FC8_0100, 0x3FC8_0400, 0x3FC8_0040
SIZE = 0x8000


class Memory:
    def __init__(self) -> None:
        self.data = bytearray(SIZE)

    def put(self, at: int, *words: int) -> None:
        struct.pack_into(f"<{len(words)}I", self.data, at - BASE, *words)

    def task(
        self, at: int, name: str, *, priority: int, low: int, saved: int, unused: int, list_: int
    ) -> None:
        self.put(at, saved, priority, 0, 0, at, list_)
        self.put(at + 24, 64 - priority, 0, 0, at, 0)
        self.put(at + 44, priority, low)
        self.data[at - BASE + 52 : at - BASE + 68] = name.encode().ljust(16, b"\0")
        self.put(at + 68, low + 0x400)
        self.data[low - BASE : low - BASE + unused] = b"\xa5" * unused

    def list_(self, at: int) -> None:
        self.put(at, 0, at + 8, 0xFFFF_FFFF, at + 8, at + 8)

    @property
    def image(self) -> MemoryImage:
        return MemoryImage(
            segments=(MemorySegment(BASE, bytes(self.data)),), files=("own",), what="own"
        )


@pytest.mark.parametrize("case", range(20))
def test_drawn_tasks_are_found_and_nothing_else(seed: int, case: int) -> None:
    draw = random.Random(f"{seed} {case}")
    memory = Memory()
    memory.data[:] = bytes(draw.choice((0, 0xA5, draw.randrange(256))) for _ in range(SIZE))
    drawn = {}
    for number in range(draw.randint(1, 6)):
        at, low = BASE + 0x1000 + 0x200 * number, BASE + 0x4000 + 0x800 * number
        unused = draw.randrange(0x300)
        saved = low + unused + 4 * draw.randrange(1, 20)
        priority = draw.randrange(25)
        memory.task(
            at,
            f"task {number}",
            priority=priority,
            low=low,
            saved=saved,
            unused=unused,
            list_=READY,
        )
        memory.data[low + unused - BASE] = 1
        drawn[at] = (f"task {number}", priority, low, saved, unused)
    found = {
        task.tcb: (task.name, task.priority, task.low, task.saved, task.never_used)
        for task in find_tasks(memory.image)
    }
    assert found == drawn, (seed, case)


def three() -> Memory:
    memory = Memory()
    common = {"saved": BASE + 0x4200, "low": BASE + 0x4000, "unused": 0x100}
    memory.task(BASE + 0x1000, "IDLE", priority=0, list_=READY, **common)
    memory.task(BASE + 0x1200, "works", priority=5, list_=READY + 100, **common)
    memory.task(BASE + 0x1400, "sleeps", priority=7, list_=DELAYED, **common)
    memory.put(CURRENT, BASE + 0x1200)
    return memory


def named(tasks: tuple[Task, ...]) -> set[str]:
    return {task.name for task in tasks}


def test_without_symbols_the_ready_list_tells_who_may_run() -> None:
    image = three().image
    tasks = find_tasks(image)
    doing = states(image, tasks, None)
    assert {task.name: doing.get(task.tcb, "") for task in tasks} == {
        "IDLE": "ready",
        "works": "ready or running",
        "sleeps": "",
    }
    assert named(waiting(tasks, doing)) == {"IDLE", "sleeps"}
    assert waiting(tasks[1:], states(image, tasks[1:], None)) == ()  # nobody knows


def test_the_task_that_a_dump_itself_names_was_running() -> None:
    thread = Thread(tcb=BASE + 0x1200, stack_pointer=BASE + 0x4200, crashed=True)
    memory = three()
    tasks = find_tasks(memory.image)
    doing = states(replace(memory.image, threads=(thread,)), tasks, None)
    assert (doing[BASE + 0x1000], doing[BASE + 0x1200]) == ("ready", "running")
    assert named(waiting(tasks, doing)) == {"IDLE", "sleeps"}
    memory.task(
        BASE + 0x1600,
        "IDLE1",
        priority=0,
        low=BASE + 0x5000,
        saved=BASE + 0x5200,
        unused=0,
        list_=READY,
    )
    two_cores = replace(memory.image, threads=(thread,))
    doing = states(two_cores, find_tasks(two_cores), None)
    assert doing[BASE + 0x1600] == doing[BASE + 0x1000] == "ready or running"


def test_symbols_tell_what_each_task_does() -> None:
    image = three().image
    symbols = FirmwareSymbols(
        (
            FirmwareSymbol(CURRENT, 4, "pxCurrentTCBs"),
            FirmwareSymbol(READY, 500, "pxReadyTasksLists"),
            FirmwareSymbol(DELAYED, 20, "xDelayedTaskList1"),
        ),
        file="names",
    )
    tasks = find_tasks(image)
    doing = states(image, tasks, symbols)
    assert {task.name: doing[task.tcb] for task in tasks} == {
        "IDLE": "ready",
        "works": "running",
        "sleeps": "blocked",
    }
    assert named(waiting(tasks, doing)) == {"IDLE", "sleeps"}


QUEUE = BASE + 0x2000


@pytest.mark.parametrize(
    ("storage", "length", "item", "name"),
    [
        (QUEUE + 84, 3, 8, "queue of 3 x 8 B"),
        (0, 1, 0, "mutex"),
        (QUEUE, 1, 0, "semaphore"),
        (QUEUE, 9, 0, "counting semaphore"),
        (QUEUE + 84, 0, 8, None),
        (QUEUE + 84, 1 << 20, 8, None),
    ],
)
def test_a_queue_is_known_by_its_lists(
    storage: int, length: int, item: int, name: str | None
) -> None:
    memory = Memory()
    memory.put(QUEUE, storage)
    memory.list_(QUEUE + 16)
    memory.list_(QUEUE + 36)
    memory.put(QUEUE + 60, length, item)
    memory.put(QUEUE + 84, BASE + 0x3000, 7)
    shape = shape_of(memory.image, Content(QUEUE, QUEUE, 108), ())
    assert (shape and shape.name) == name
    if name and item:
        assert shape is not None
        assert [address for _, address in shape.holds] == [BASE + 0x3000, 7]
    assert shape_of(memory.image, Content(QUEUE, QUEUE, 40), ()) is None  # too small for one


def test_what_else_a_block_can_be() -> None:
    memory = Memory()
    memory.list_(QUEUE + 4)
    assert (
        getattr(shape_of(memory.image, Content(QUEUE, QUEUE, 40), ()), "name", "") == "event group"
    )
    memory = Memory()
    memory.put(QUEUE, BASE + 0x3000)
    memory.put(QUEUE + 16, QUEUE)
    memory.put(QUEUE + 28, BASE + 0x3100)
    memory.data[0x3000:0x3005] = b"blink"
    shape = shape_of(memory.image, Content(QUEUE, QUEUE, 44), ())
    assert shape is not None
    assert shape.name == "timer blink"
    assert shape.holds == (("id of the timer blink", BASE + 0x3100),)
    memory = Memory()
    memory.data[0x2000:0x2008] = b"hello\0\1\2"
    shape = shape_of(memory.image, Content(QUEUE, QUEUE, 44), ())
    assert shape is not None
    assert (shape.name, shape.doubtful) == ('begins with "hello"', True)
    assert shape_of(memory.image, Content(QUEUE + 8, QUEUE + 8, 44), ()) is None
