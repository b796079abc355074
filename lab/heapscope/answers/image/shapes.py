"""Blocks that are known by what they hold: objects of FreeRTOS, and text.

The layouts are those of FreeRTOS v10 and later on 32 bits: queue.c, timers.c, event_groups.c and
list.h.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.answers.image.tasks import Task
from heapscope.answers.image.typed import Content
from heapscope.memory.image.memory_image import MemoryImage

_END_VALUE = 0xFFFF_FFFF  # xItemValue of the end of a list
#: Offsets in a queue: storage, the lists of tasks that send and receive, length, size of an item.
_STORAGE, _SENDING, _RECEIVING, _LENGTH, _ITEM = 0, 16, 36, 60, 64
_QUEUE_MIN, _LENGTH_MAX, _ITEM_MAX = 76, 1 << 16, 1 << 16
_TIMER, _TIMER_OWNER, _TIMER_ID = 44, 16, 28
_GROUP_LIST, _GROUP_MIN, _GROUP_MAX = 4, 24, 64
_TEXT_MIN, _TEXT_MAX = 4, 40
BEGINS = "begins with"  #: before a block's text


@dataclass(frozen=True)
class Shape:
    """`holds`: pointers of no type in it, each with what the program would call it. `doubtful`: the
    bytes may be left from what was there before."""

    name: str
    holds: tuple[tuple[str, int], ...] = ()
    doubtful: bool = False


def shape_of(image: MemoryImage, content: Content, tasks: Sequence[Task]) -> Shape | None:
    """The shape of the block; None: it has none that is known here."""
    return (
        _task(content, tasks)
        or _queue(image, content)
        or _timer(image, content)
        or _event_group(image, content)
        or _text(image, content)
    )


def _task(content: Content, tasks: Sequence[Task]) -> Shape | None:
    for task in tasks:
        if content.start <= task.tcb < content.start + content.size:
            return Shape(f"control block of the task {task.name}")
        if content.start <= task.low < content.start + content.size:
            return Shape(f"stack of the task {task.name}")
    return None


def _is_list(image: MemoryImage, at: int) -> bool:
    """A list whose end has the largest value, and whose links lead somewhere."""
    end = at + 8
    following = image.word(end + 4)
    return (
        image.word(end) == _END_VALUE
        and following is not None
        and (following == end or image.word(following + 8) == end)
    )


def _queue(image: MemoryImage, content: Content) -> Shape | None:
    at = content.start
    if content.size < _QUEUE_MIN or not _is_list(image, at + _SENDING):
        return None
    if not _is_list(image, at + _RECEIVING):
        return None
    length, item = image.word(at + _LENGTH) or 0, image.word(at + _ITEM) or 0
    if not 0 < length <= _LENGTH_MAX or item > _ITEM_MAX:
        return None
    storage = image.word(at + _STORAGE) or 0
    if item == 0:
        return Shape(
            "mutex" if storage == 0 else "semaphore" if length == 1 else "counting semaphore"
        )
    name = f"queue of {length} x {item} B"
    words = range(storage, storage + length * item, 4) if item % 4 == 0 else ()
    held = (("item of a queue", image.word(word) or 0) for word in words)
    return Shape(name, tuple(one for one in held if one[1]))


def _timer(image: MemoryImage, content: Content) -> Shape | None:
    at = content.start
    if content.size < _TIMER or image.word(at + _TIMER_OWNER) != at:
        return None
    name = image.text(image.word(at) or 0, _TEXT_MAX)
    named = f"timer {name}" if name else "timer"
    return Shape(named, ((f"id of the {named}", image.word(at + _TIMER_ID) or 0),))


def _event_group(image: MemoryImage, content: Content) -> Shape | None:
    if not _GROUP_MIN <= content.size <= _GROUP_MAX:
        return None
    return Shape("event group") if _is_list(image, content.start + _GROUP_LIST) else None


def _text(image: MemoryImage, content: Content) -> Shape | None:
    text = image.text(content.start, min(content.size, _TEXT_MAX))
    if text is None or len(text) < _TEXT_MIN:
        return None
    more = "..." if len(text) == _TEXT_MAX else ""
    return Shape(f'{BEGINS} "{text}{more}"', doubtful=True)
