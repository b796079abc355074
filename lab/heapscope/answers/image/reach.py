"""Which blocks of a memory image something points at.

Every aligned word of the image that is an address inside a block, or right behind its last byte,
is a pointer to it, as a conservative collector takes it. Memory that surely holds no pointer of
the program is left out: the words of the allocator itself, and free blocks. A word is doubtful
where something else left it: below the stack pointer of a waiting task, behind the bytes that the
program requested, or in the last word of a block, where the allocator kept the address of a header
while the memory was free. Roots are all other memory outside the heaps, and the stacks of the
tasks; from them the scan goes on through the blocks that it reaches.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.tasks import Task
from heapscope.memory.image.memory_image import MemoryImage

POINTER, ONLY_IN, NONE = "pointer", "only_in", "none"
_SHOWN = 3
_NOBODY = -1  # no block
_HEADER = 8  # bytes from a header to its payload, with the word of the block before it
_BELOW = "below the stack pointer of"
_SLACK = "behind the requested bytes"
_LINK = "the last word of a block, where the allocator kept a link"


@dataclass(frozen=True)
class PointerWord:
    """A word that holds an address of a block. `holder`: the block that it lies in, by index, or
    -1: it lies outside the heaps. `doubt`: why it may be no pointer; "": none."""

    address: int
    value: int
    holder: int
    doubt: str = ""


@dataclass(frozen=True)
class Reached:
    """The finding about one used block. `words`: the first of those that decide it; `root`: where
    the word lies from which the shortest chain leads to it, 0: no chain does."""

    reach: str
    words: tuple[PointerWord, ...] = ()
    root: int = 0


@dataclass(frozen=True)
class Span:
    """Addresses whose words hold no pointer, or a doubtful one. `doubt` "": none at all."""

    start: int
    end: int
    doubt: str = ""


@dataclass
class _UsedBlocks:
    """`starts`, `ends`: of the used blocks, by address."""

    blocks: Sequence[ImageBlock]
    starts: Any = field(init=False)
    ends: Any = field(init=False)

    def __post_init__(self) -> None:
        self.starts = numpy.array([block.address for block in self.blocks], dtype="u8")
        self.ends = self.starts + numpy.array([block.size for block in self.blocks], dtype="u8")

    def block_of(self, values: Any, *, behind: bool) -> Any:
        """The index of the block that each address lies in; -1: in none. `behind`: the first
        address behind a block belongs to it, too."""
        index = numpy.searchsorted(self.starts, values, side="right") - 1
        ends = self.ends[numpy.maximum(index, 0)]
        inside = (index >= 0) & (values <= ends if behind else values < ends)
        return numpy.where(inside, index, _NOBODY)


def reach_of(
    image: MemoryImage, heaps: Sequence[ImageHeap], waiting: Iterable[Task]
) -> dict[int, Reached]:
    """Each used block, by its address. `waiting`: the tasks that surely do not run."""
    used = sorted(block for heap in heaps for block in heap.blocks if block.used)
    if not used:
        return {}
    scan = _UsedBlocks(used)
    spans = [span for heap in heaps for span in _own_words(heap)]
    spans.extend(Span(task.low, task.saved, f"{_BELOW} {task.name}") for task in waiting)
    spans.extend(_behind(used))
    every = sorted(block.address - _HEADER for heap in heaps for block in heap.blocks)
    sure, doubtful = _edges(image, scan, numpy.array(every, dtype="u8"), spans)
    roots = _closure(sure, len(used))
    return {
        block.address: _judge(number, int(roots[number]), sure, doubtful)
        for number, block in enumerate(used)
    }


def pointing_into(
    image: MemoryImage, heaps: Sequence[ImageHeap], waiting: Iterable[Task], block: ImageBlock
) -> tuple[PointerWord, ...]:
    """The first words of the program that hold an address of a free block, doubtful ones left
    out. `waiting`: the tasks that surely do not run."""
    used = sorted(one for heap in heaps for one in heap.blocks if one.used)
    scan = _UsedBlocks(used)
    spans = [span for heap in heaps for span in _own_words(heap)]
    spans.extend(Span(task.low, task.saved) for task in waiting)
    spans.extend(replace(span, doubt="") for span in _behind(used))
    spans.sort(key=lambda span: span.start)
    found: list[PointerWord] = []
    for start, words in image.words():
        hits = ((words >= block.address) & (words < block.end)).nonzero()[0]
        address = start + 4 * hits.astype("u8")
        kept = ~_within(address, spans)
        holders = scan.block_of(address[kept], behind=False) if used else None
        for number, (at, value) in enumerate(
            zip(address[kept].tolist(), words[hits[kept]].tolist(), strict=True)
        ):
            holder = _NOBODY if holders is None else int(holders[number])
            found.append(PointerWord(at, value, holder))
    return tuple(found[:_SHOWN])


def _own_words(heap: ImageHeap) -> Iterable[Span]:
    """The allocator's structures, headers and free blocks: whatever is between used blocks."""
    at = heap.start
    for block in heap.blocks:
        if block.used:
            yield Span(at, block.address)
            at = block.address + block.size
    yield Span(at, heap.end)


def _behind(used: Sequence[ImageBlock]) -> Iterable[Span]:
    """The bytes of a block behind the requested ones, where the heap keeps their number."""
    for block in used:
        if block.requested is not None:
            yield Span(block.given + block.requested, block.end, _SLACK)


@dataclass
class _Edges:
    """Words that point at blocks, ordered by what they point at. All are arrays of one length."""

    address: Any
    value: Any
    holder: Any
    target: Any
    doubt: list[str]

    def into(self, target: int) -> range:
        first = int(numpy.searchsorted(self.target, target, side="left"))
        return range(first, int(numpy.searchsorted(self.target, target, side="right")))

    def word(self, index: int) -> PointerWord:
        return PointerWord(
            int(self.address[index]),
            int(self.value[index]),
            int(self.holder[index]),
            self.doubt[index] if self.doubt else "",
        )


def _edges(
    image: MemoryImage, scan: _UsedBlocks, headers: Any, spans: Sequence[Span]
) -> tuple[_Edges, _Edges]:
    """`headers`: where the headers of all blocks begin, in order."""
    ordered = sorted(spans, key=lambda span: span.start)
    none = [span for span in ordered if not span.doubt]
    doubts = [span for span in ordered if span.doubt]
    parts = []
    for start, words in image.words():
        values = words.astype("u8")
        target = scan.block_of(values, behind=True)
        hits = (target >= 0).nonzero()[0]
        address = start + 4 * hits.astype("u8")
        kept = ~_within(address, none)
        hits, address = hits[kept], address[kept]
        parts.append((address, values[hits], scan.block_of(address, behind=False), target[hits]))
    columns = [numpy.concatenate([part[number] for part in parts]) for number in range(4)]
    columns = [one[columns[2] != columns[3]] for one in columns]  # a block does not hold itself
    order = numpy.argsort(columns[3], kind="stable")
    address, value, holder, target = columns = [one[order] for one in columns]
    in_span = _within(address, doubts)
    is_last = (holder != _NOBODY) & (address + 4 >= scan.ends[numpy.maximum(holder, 0)])
    left = is_last & ((value % 4 != 0) | _among(value, headers))
    unsure = in_span | left
    rest = [one[unsure] for one in columns]
    reasons = [
        _reason(at, doubts) if spanned else _LINK
        for at, spanned in zip(rest[0].tolist(), in_span[unsure].tolist(), strict=True)
    ]
    address, value, holder, target = rest
    doubtful = _Edges(address, value, holder, target, reasons)
    address, value, holder, target = (one[~unsure] for one in columns)
    return _Edges(address, value, holder, target, []), doubtful


def _among(values: Any, ordered: Any) -> Any:
    index = numpy.minimum(numpy.searchsorted(ordered, values), len(ordered) - 1)
    return ordered[index] == values


def _within(address: Any, spans: Sequence[Span]) -> Any:
    result = numpy.zeros(len(address), dtype=bool)
    if not spans:
        return result
    starts, ends = (
        numpy.array([getattr(span, name) for span in spans], dtype="u8")
        for name in ("start", "end")
    )
    ends = numpy.maximum.accumulate(ends)  # spans may lie inside others
    index = numpy.searchsorted(starts, address, side="right") - 1
    return (index >= 0) & (address < ends[numpy.maximum(index, 0)])


def _reason(address: int, spans: Sequence[Span]) -> str:
    return next((span.doubt for span in spans if span.start <= address < span.end), "")


def _closure(edges: _Edges, count: int) -> Any:
    """For each block, the address of the word outside the heaps from which the shortest chain leads
    to it; 0: no chain does."""
    root = numpy.zeros(count, dtype="u8")
    outside = edges.holder == _NOBODY
    fresh, first = numpy.unique(edges.target[outside], return_index=True)
    root[fresh] = edges.address[outside][first]
    by_holder = numpy.argsort(edges.holder, kind="stable")
    holders, targets = edges.holder[by_holder], edges.target[by_holder]
    while len(fresh):
        low = numpy.searchsorted(holders, fresh, side="left")
        high = numpy.searchsorted(holders, fresh, side="right")
        found = numpy.concatenate([targets[one:end] for one, end in zip(low, high, strict=True)])
        roots = numpy.repeat(root[fresh], high - low)
        left = root[found] == 0
        fresh, first = numpy.unique(found[left], return_index=True)
        root[fresh] = roots[left][first]
    return root


def _judge(number: int, root: int, sure: _Edges, doubtful: _Edges) -> Reached:
    if root:
        words = tuple(sure.word(index) for index in sure.into(number)[:_SHOWN])
        return Reached(POINTER, words, root)
    only = doubtful.into(number)
    if len(only):
        return Reached(ONLY_IN, tuple(doubtful.word(index) for index in only[:_SHOWN]))
    return Reached(NONE, tuple(sure.word(index) for index in sure.into(number)[:_SHOWN]))
