"""The used blocks of an image by name, its tasks, and what nothing points at, as rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.naming import Named
from heapscope.answers.image.reach import NONE, ONLY_IN
from heapscope.answers.image.result import CensusRow, ImageTaskRow, SuspectRow
from heapscope.answers.image.shapes import BEGINS
from heapscope.answers.image.tasks import Task, find_tasks
from heapscope.base.wording import plural, size
from heapscope.memory.image.memory_image import MemoryImage

UNNAMED = "not known"
_KINDS = (
    ("control block of the task", "control blocks of tasks"),
    ("stack of the task", "stacks of tasks"),
    ("item of a queue", "items of queues"),
    (BEGINS, "not known, with text"),
)


def tasks_of(image: MemoryImage, heaps: Sequence[ImageHeap]) -> tuple[Task, ...]:
    """Those that live: a control block in free memory is of one that ended. The stack pointer that
    a dump itself has of a task is newer than the one in the control block."""
    free = [block for heap in heaps for block in heap.blocks if not block.used]
    told = {thread.tcb: thread.stack_pointer for thread in image.threads if thread.stack_pointer}
    return tuple(
        replace(task, saved=told.get(task.tcb, task.saved))
        for task in find_tasks(image)
        if not any(block.address <= task.tcb < block.end for block in free)
        and (task.waits_in or task.tcb in told)
    )


def task_rows(tasks: Sequence[Task], states: Mapping[int, str]) -> Iterator[ImageTaskRow]:
    for task in tasks:
        yield ImageTaskRow(
            name=task.name,
            state=states.get(task.tcb, ""),
            priority=task.priority,
            stack=task.low,
            stack_bytes=task.high - task.low if task.high > task.saved else None,
            stack_free=task.never_used,
        )


def census(blocks: Sequence[ImageBlock], names: Mapping[int, Named]) -> tuple[CensusRow, ...]:
    """The used blocks by name, most bytes first. Arrays of one type are together."""
    groups: dict[str, list[int]] = {}
    for block in blocks:
        name = kind_of(names[block.address].name) or UNNAMED
        groups.setdefault(name, []).append(block.size)
    rows = (
        CensusRow(name=name, blocks=len(sizes), bytes=sum(sizes), largest=max(sizes))
        for name, sizes in groups.items()
    )
    return tuple(sorted(rows, key=lambda row: (-row.bytes, row.name)))


def kind_of(name: str) -> str:
    """A name without what one block alone has: the count of an array, its task, its text."""
    for begin, kind in _KINDS:
        if name.startswith(begin):
            return kind
    return name.partition("[")[0].partition(": ")[0]


def suspects(blocks: Sequence[ImageBlock], names: Mapping[int, Named]) -> tuple[SuspectRow, ...]:
    """Used blocks that nothing points at, or only doubtful words, most bytes first."""
    groups: dict[tuple[str, str, str], list[ImageBlock]] = {}
    for block in blocks:
        named = names[block.address]
        if named.reached is not None and named.reached.reach in (NONE, ONLY_IN):
            key = (named.reached.reach, named.owner, kind_of(named.name))
            groups.setdefault(key, []).append(block)
    rows = (
        SuspectRow(
            name=name or UNNAMED,
            owner=owner,
            reach=reach,
            blocks=len(group),
            bytes=sum(block.size for block in group),
            first=min(block.given for block in group),
            found_in=next((names[b.address].found_in[0] for b in group if _found(names, b)), ""),
        )
        for (reach, owner, name), group in groups.items()
    )
    return tuple(sorted(rows, key=lambda row: (row.reach != NONE, -row.bytes, row.name)))


def _found(names: Mapping[int, Named], block: ImageBlock) -> bool:
    return bool(names[block.address].found_in)


def suspect_sentences(rows: Sequence[SuspectRow], unread: int) -> Iterator[str]:
    """A scan gives evidence of leaks, and no proof. `unread`: bytes of the heaps' blocks that are
    not in the image."""
    none = [row for row in rows if row.reach == NONE]
    only = [row for row in rows if row.reach == ONLY_IN]
    if not rows:
        return
    said = []
    if none:
        blocks, held = sum(row.blocks for row in none), sum(row.bytes for row in none)
        said.append(f"no pointer to {plural(blocks, 'used block')} ({size(held)}) was found")
    if only:
        blocks, held = sum(row.blocks for row in only), sum(row.bytes for row in only)
        said.append(f"{plural(blocks, 'block')} ({size(held)}) only by words that may be none")
    sentence = "; ".join(said)
    elsewhere = f"{size(unread)} of blocks that are not in the image may point at them, or "
    yield f"{sentence[:1].upper()}{sentence[1:]}: {elsewhere if unread else ''}they may be leaked."
