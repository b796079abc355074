"""ESP-IDF's list of heaps in a memory image: in what order regions are tried, and for what.

An entry (heap_t, components/heap/heap_private.h) has capabilities by priority, start, end, a lock
of two words, the heap, and the next entry; from v5.5 on with task tracking a name in front of all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.memory.image.memory_image import MemoryImage

_CAPS, _START, _END, _LOCK, _HEAP, _NEXT = -12, 0, 4, 8, 16, 20
_NAME = -16
_CORES = (0xCDCD, 0xABAB)  # as a lock names who has it, where there are two
_LOWEST = 0x1000_0000  # below it no chip has RAM for a heap
_LEAST = 128
_MOST = 64 << 20
_CAPS_END = 1 << 24  # no release has capabilities above


@dataclass(frozen=True, kw_only=True)
class RegisteredHeap:
    """`at`: where its start stands; `held`: its lock is taken: the heap was being changed."""

    at: int
    start: int
    end: int
    caps: tuple[int, int, int]
    held: bool
    next: int


def registered_heaps(image: MemoryImage, head: int | None = None) -> tuple[RegisteredHeap, ...]:
    """In the order of the list. `head`: the address of `registered_heaps`, where symbols tell it;
    else the longest list that is found."""
    found = {one.at: one for one in _entries(image)}
    if head is not None:
        first = image.word(head)
        for before in (_CAPS, _NAME):
            if first is not None and first - before in found:
                return tuple(_chain(found, first - before, before))
    chains = [tuple(_chain(found, at, before)) for before in (_CAPS, _NAME) for at in found]
    return max(chains, key=len, default=())


def _chain(found: dict[int, RegisteredHeap], at: int, before: int) -> Iterator[RegisteredHeap]:
    """`before`: from an entry's start to its first word."""
    passed: set[int] = set()
    while at in found and at not in passed:
        passed.add(at)
        yield found[at]
        at = found[at].next - before


def _entries(image: MemoryImage) -> Iterator[RegisteredHeap]:
    for start, words in image.words():
        count = len(words) - 5
        if count <= 3:
            continue
        same = words[:count] == words[_HEAP // 4 :][:count]
        later = words[1 : count + 1] - words[:count]
        good = same & (later >= _LEAST) & (later <= _MOST) & (words[:count] % 4 == 0)
        good &= words[:count] >= _LOWEST
        for index in good[3:].nonzero()[0].tolist():
            at = start + 4 * (index + 3)
            entry = _entry(image, at)
            lock = image.word(entry.start)
            if _may_be(entry) and lock in (at + _LOCK, None):  # the heap leads back to its lock
                yield entry


def _may_be(entry: RegisteredHeap) -> bool:
    every = entry.caps[0] | entry.caps[1] | entry.caps[2]
    return 0 < every < _CAPS_END and entry.end % 4 == 0


def _entry(image: MemoryImage, at: int) -> RegisteredHeap:
    def word(offset: int) -> int:
        return image.word(at + offset) or 0

    return RegisteredHeap(
        at=at,
        start=word(_START),
        end=word(_END),
        caps=(word(_CAPS), word(_CAPS + 4), word(_CAPS + 8)),
        held=word(_LOCK) in _CORES,
        next=word(_NEXT),
    )
