"""The words that ESP-IDF puts around its blocks: poisoning and the task that allocated each.

The words are drawn in lab/models/sim.c. Which of them a firmware has is seen from the blocks:
nearly all of them have to agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

import numpy

from heapscope.answers.image.heap import NO_COAT, Coat, Damage, ImageBlock, ImageHeap
from heapscope.answers.image.records import Records
from heapscope.memory.image.memory_image import MemoryImage

HEAD = 0xABBA_1234
_TAIL = 0xBAAD_5678
_TAIL_BYTES = _TAIL.to_bytes(4, "little")
_FILL = 0xFE
_FILL_WORD = 0xFEFE_FEFE
_LINKS = 8  # of a free block
_TCB_STACK = 48  # from a task's control block to the word that names its stack
_STACK_MOST = 1 << 20
_SLACK = 32


_IN_FRONT = Coat(owner=0, front=4)
_LIGHT = Coat(size=4, front=8)
_IN_POISON = Coat(size=8, owner=4, front=12)
_LIGHT_IN_FRONT = Coat(size=4, owner=8, front=12, counted=4)


def coat_of(image: MemoryImage, heaps: Sequence[ImageHeap]) -> Coat:
    """That of all heaps of a firmware."""
    used = [block for heap in heaps for block in heap.blocks if block.used and block.size >= 12]
    if not used:
        return NO_COAT
    sound = {
        coat: sum(_is_sound(image, coat, block) for block in used) for coat in (_LIGHT, _IN_POISON)
    }
    coat = max(sound, key=lambda one: sound[one])
    if 2 * sound[coat] < len(used):
        return _IN_FRONT if _are_owners(image, used, 0) else NO_COAT
    if coat == _LIGHT and _are_owners(image, used, 8):
        coat = _LIGHT_IN_FRONT
    return replace(coat, fills=_fills(image, heaps))


def _is_sound(image: MemoryImage, coat: Coat, block: ImageBlock) -> bool:
    if image.word(block.address) != HEAD:
        return False
    size = image.word(block.address + (coat.size or 0))
    if size is None or size > block.size:
        return False
    tail = coat.tail(block.address, size)
    return tail + 4 <= block.end and image.word(tail) == _TAIL


def _are_owners(image: MemoryImage, used: Sequence[ImageBlock], at: int) -> bool:
    """Whether that word of nearly every block is a task, or 0 from before there were tasks."""
    words = [image.word(block.address + at) for block in used]
    tasks = [word for word in words if word]
    if not tasks or len(set(tasks)) > max(4, len(tasks) // 2):
        return False
    fit = sum(not word or image.known(word, _TCB_STACK + 4) for word in words)
    alive = sum(_is_task(image, word) for word in tasks)
    return 20 * fit >= 19 * len(words) and 4 * alive >= len(tasks)


def may_be_task(image: MemoryImage, word: int) -> bool:
    """Whether a task's control block may have been there, also where the image has no bytes."""
    return word % 4 == 0 and (image.known(word, _TCB_STACK + 4) or not image.known(word, 1))


def _is_task(image: MemoryImage, word: int) -> bool:
    top, stack = image.word(word), image.word(word + _TCB_STACK)
    return bool(top and stack) and 0 < (top or 0) - (stack or 0) < _STACK_MOST


def _fills(image: MemoryImage, heaps: Iterable[ImageHeap]) -> bool:
    filled = words = 0
    for start, part in _free_words(image, heaps):
        del start
        filled += int((part == _FILL_WORD).sum())
        words += len(part)
    return words > 0 and 2 * filled > words


def _free_words(
    image: MemoryImage, heaps: Iterable[ImageHeap]
) -> Iterator[tuple[int, numpy.ndarray]]:
    """For each free block: the words that are neither link nor the way back."""
    for heap in heaps:
        for block in heap.blocks:
            if block.used or block.size <= _LINKS + 4:
                continue
            data = image.bytes_at(block.address + _LINKS, block.size - _LINKS - 4)
            if data is not None:
                yield block.address, numpy.frombuffer(data, "<u4")


def coated(image: MemoryImage, heap: ImageHeap, coat: Coat, records: Records | None) -> ImageHeap:
    """The heap with what the coat tells of each block, and its damage."""
    if coat == NO_COAT:
        return heap
    blocks: list[ImageBlock] = []
    damage: list[Damage] = []
    for block in heap.blocks:
        if not block.used or block.size < coat.front + coat.behind:
            blocks.append(block)
            continue
        wrong, size = _words(image, coat, block) if coat.poisoned else ([], None)
        damage.extend(wrong)
        requested = None if size is None else size - coat.counted
        program = block.address + coat.front
        if coat.owner is None:
            blocks.append(block._replace(program=program, requested=requested))
            continue
        owner = image.word(block.address + coat.owner)
        task = None if records is None else records.tasks.get(program)
        if records is not None and task is None and records.owns(image, block, owner):
            requested = None if size is None else size
            blocks.append(block._replace(program=program - 4, requested=requested))
            continue
        if owner and not (may_be_task(image, owner) if task is None else owner == task):
            damage.append(_owner(block, coat.owner, owner, task))
            owner = task
        blocks.append(block._replace(program=program, requested=requested, owner=owner))
    if coat.fills:
        damage.extend(_unfilled(image, heap))
    return replace(heap, blocks=tuple(blocks), damage=(*heap.damage, *damage))


def _owner(block: ImageBlock, offset: int, holds: int, task: int | None) -> Damage:
    return Damage(
        address=block.address + offset,
        size=4,
        block=block.address,
        kind="owner",
        holds=holds,
        expected=task,
        why="no task can be there" if task is None else "another task is in the list of its blocks",
    )


def _words(image: MemoryImage, coat: Coat, block: ImageBlock) -> tuple[list[Damage], int | None]:
    """The damage of the canaries and the size, and the size."""
    assert coat.size is not None
    damage: list[Damage] = []

    def tell(address: int, kind: str, expected: int | None, why: str) -> None:
        holds = image.word(address)
        if holds is not None and holds != expected:
            damage.append(
                Damage(
                    address=address,
                    size=4,
                    block=block.address,
                    kind=kind,
                    holds=holds,
                    expected=expected,
                    why=why,
                )
            )

    tell(block.address, "head", HEAD, "poisoning puts this word in front of every block")
    size = image.word(block.address + coat.size)
    if size is None:
        return damage, None
    tail = coat.tail(block.address, size)
    if _plausible(coat, block, size) and image.word(tail) in (_TAIL, None):
        return damage, size
    other = _tail_in(image, coat, block)
    if other is not None:
        tell(block.address + coat.size, "size", other, "the canary behind the block is elsewhere")
        return damage, other
    if _plausible(coat, block, size):
        tell(tail, "tail", _TAIL, "poisoning puts this word behind every block")
        return damage, size
    tell(block.address + coat.size, "size", None, "this block cannot have that size")
    return damage, None


def _plausible(coat: Coat, block: ImageBlock, size: int) -> bool:
    end = coat.tail(block.address, size) + 4
    return end <= block.end and block.end - end < _SLACK + block.size // 8


def _tail_in(image: MemoryImage, coat: Coat, block: ImageBlock) -> int | None:
    """The size that the tail shows which is in the last bytes of the block."""
    low = max(block.address + coat.front - coat.counted, block.end - _SLACK - block.size // 8)
    data = image.bytes_at(low, block.end - low)
    at = -1 if data is None else data.rfind(_TAIL_BYTES)
    return None if at < 0 else low + at - coat.tail(block.address, 0)


def _unfilled(image: MemoryImage, heap: ImageHeap) -> Iterator[Damage]:
    """Runs of bytes in free memory that are not its pattern."""
    for payload, words in _free_words(image, (heap,)):
        wrong = (words != _FILL_WORD).nonzero()[0].tolist()
        for number in wrong:
            yield Damage(
                address=payload + _LINKS + 4 * number,
                size=4,
                block=payload,
                kind="fill",
                holds=int(words[number]),
                expected=_FILL_WORD,
                why="comprehensive poisoning fills free memory",
            )
