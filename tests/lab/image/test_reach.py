"""Which blocks something points at, against a search through a drawn graph."""

from __future__ import annotations

import random
import struct

import pytest

from heapscope.answers.image.heap import ImageBlock, ImageHeap
from heapscope.answers.image.reach import NONE, ONLY_IN, POINTER, reach_of
from heapscope.answers.image.tasks import Task
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment

DATA, HEAP = 0x3FC8_0000, 0x3FC9_0000
DATA_WORDS, CONTROL = 64, 16


class Drawn:
    """A heap of blocks, `points` from each to others, and `roots`."""

    def __init__(self, draw: random.Random) -> None:
        self.blocks: list[ImageBlock] = []
        address = HEAP + CONTROL
        for _ in range(draw.randint(1, 60)):
            size = 4 * draw.randint(3, 12)
            self.blocks.append(ImageBlock(address + 4, size, draw.random() < 0.8))
            address += size + 4
        self.end = address
        self.memory = bytearray(self.end - HEAP)
        self.data = bytearray(4 * DATA_WORDS)
        used = [number for number, block in enumerate(self.blocks) if block.used]
        self.points: dict[int, set[int]] = {number: set() for number in used}
        self.roots: set[int] = set()
        for number in used:
            for _ in range(draw.randint(0, 2)):
                other = draw.choice(used)
                if other != number and self.points_at(draw, number, other):
                    self.points[number].add(other)
        for _ in range(draw.randint(0, 4) if used else 0):
            other = draw.choice(used)
            place = draw.randrange(DATA_WORDS)
            if not any(self.data[4 * place : 4 * place + 4]):
                struct.pack_into("<I", self.data, 4 * place, self.target(draw, other))
                self.roots.add(other)

    def target(self, draw: random.Random, other: int) -> int:
        """Its begin, its middle, or right behind it."""
        block = self.blocks[other]
        return block.address + draw.choice((0, draw.randrange(block.size), block.size))

    def points_at(self, draw: random.Random, number: int, other: int) -> bool:
        """Not in the last word, which is doubtful."""
        block = self.blocks[number]
        at = block.address - HEAP + 4 * draw.randrange(block.size // 4 - 1)
        if any(self.memory[at : at + 4]):
            return False
        struct.pack_into("<I", self.memory, at, self.target(draw, other))
        return True

    @property
    def heap(self) -> ImageHeap:
        return ImageHeap(
            start=HEAP,
            end=self.end,
            first=HEAP + CONTROL,
            family="drawn",
            blocks=tuple(self.blocks),
        )

    def image(self) -> MemoryImage:
        segments = (MemorySegment(DATA, bytes(self.data)), MemorySegment(HEAP, bytes(self.memory)))
        return MemoryImage(segments=segments, files=("drawn",), what="drawn")

    def reached(self) -> set[int]:
        waiting, found = list(self.roots), set(self.roots)
        while waiting:
            for other in self.points[waiting.pop()] - found:
                found.add(other)
                waiting.append(other)
        return found


@pytest.mark.parametrize("case", range(60))
def test_a_drawn_graph_is_reached_as_a_search_reaches_it(seed: int, case: int) -> None:
    drawn = Drawn(random.Random(f"{seed} {case}"))
    result = reach_of(drawn.image(), [drawn.heap], ())
    reached = drawn.reached()
    for number, block in enumerate(drawn.blocks):
        if block.used:
            expected = POINTER if number in reached else NONE
            assert result[block.address].reach == expected, (seed, case, block)


def one_block(
    words: dict[int, int], *, size: int = 32, **more: int
) -> tuple[MemoryImage, ImageHeap]:
    """A block at HEAP + 0x40, and words by their address."""
    memory = bytearray(0x400)
    for address, word in words.items():
        struct.pack_into("<I", memory, address - HEAP, word)
    block = ImageBlock(HEAP + 0x40, size, True, **more)
    holder = ImageBlock(HEAP + 0x100, 64, True)
    heap = ImageHeap(
        start=HEAP,
        end=HEAP + 0x200,
        first=HEAP + 0x3C,
        family="drawn",
        blocks=(block, ImageBlock(HEAP + 0x80, 0x7C, False), holder),
    )
    image = MemoryImage(segments=(MemorySegment(HEAP, bytes(memory)),), files=("one",), what="one")
    return image, heap


ROOT = HEAP + 0x300
HOLDER = HEAP + 0x100


@pytest.mark.parametrize(
    ("words", "reach"),
    [
        ({ROOT: HEAP + 0x40}, POINTER),
        ({ROOT: HEAP + 0x60}, POINTER),  # right behind it
        ({ROOT: HEAP + 0x64}, NONE),
        ({ROOT: HEAP + 0x3C}, NONE),
        ({HEAP + 0x84: HEAP + 0x40}, NONE),  # a free block holds it
        ({HEAP + 0x44: HEAP + 0x40}, NONE),  # it holds itself
        ({ROOT: HOLDER, HOLDER + 8: HEAP + 0x40}, POINTER),
        ({HOLDER + 8: HEAP + 0x40}, NONE),  # nothing points at the holder
        ({ROOT: HOLDER, HOLDER + 60: HEAP + 0x40}, POINTER),
        ({ROOT: HOLDER, HOLDER + 60: HEAP + 0x41}, ONLY_IN),
        ({ROOT: HOLDER, HOLDER + 60: HEAP + 0x78 - 0x20}, POINTER),  # no header is there
    ],
)
def test_each_kind_of_word(words: dict[int, int], reach: str) -> None:
    image, heap = one_block(words)
    assert reach_of(image, [heap], ())[HEAP + 0x40].reach == reach


def test_the_last_word_of_a_block_may_be_a_link_of_the_allocator() -> None:
    """A header begins 8 bytes before its payload, so inside the block before it."""
    image, heap = one_block({ROOT: HOLDER, HOLDER + 60: HEAP + 0x78}, size=60)
    reached = reach_of(image, [heap], ())[HEAP + 0x40]
    assert reached.reach == ONLY_IN
    assert "link" in reached.words[0].doubt


def test_what_lies_behind_the_requested_bytes_is_doubtful() -> None:
    image, heap = one_block({ROOT: HOLDER, HOLDER + 40: HEAP + 0x40})
    cut = heap.blocks[2]._replace(requested=40)
    heap = ImageHeap(**{**vars(heap), "blocks": (*heap.blocks[:2], cut)})
    assert reach_of(image, [heap], ())[HEAP + 0x40].reach == ONLY_IN


def test_a_waiting_task_uses_nothing_below_its_stack_pointer() -> None:
    image, heap = one_block({ROOT: HEAP + 0x40})
    task = Task(
        tcb=HEAP + 0x380,
        name="waits",
        priority=1,
        saved=ROOT + 4,
        low=ROOT - 0x40,
        high=ROOT + 0x40,
        waits_in=0,
        event_in=0,
        never_used=0,
    )
    assert reach_of(image, [heap], ())[HEAP + 0x40].reach == POINTER
    reached = reach_of(image, [heap], [task])[HEAP + 0x40]
    assert reached.reach == ONLY_IN
    assert reached.words[0].doubt == "below the stack pointer of waits"
