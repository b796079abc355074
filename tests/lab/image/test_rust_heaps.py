"""Heaps of rlsf in raw memory, drawn word by word."""

from __future__ import annotations

import random
import struct
from dataclasses import dataclass, field

import pytest

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment

RAM, POOL = 0x2000_0000, 0x2000_0400


@dataclass
class DrawnRlsf:
    """A pool with blocks of chance. `blocks`: header's address, size with the header, used."""

    rng: random.Random
    blocks: list[tuple[int, int, bool]] = field(default_factory=list)
    order: list[int] = field(default_factory=list)  # of the free ones
    end: int = 0
    memory: bytearray = field(default_factory=bytearray)

    def draw(self, count: int = 60, *, fill: bool = True) -> DrawnRlsf:
        at = POOL
        for _ in range(count):
            used = self.rng.random() < 0.6 or (bool(self.blocks) and not self.blocks[-1][2])
            size = 16 * self.rng.randint(1, 12)
            self.blocks.append((at, size, used))
            at += size
        self.end = at
        length = at + 16 - RAM + 512
        self.memory = bytearray(self.rng.randbytes(length) if fill else length)
        before = 0
        free = [one[0] for one in self.blocks if not one[2]]
        self.rng.shuffle(free)
        for address, size, used in self.blocks:
            self.put(address, size | used)
            self.put(address + 4, before)
            before = address
        self.order = [address + 8 for address in free]
        for number, address in enumerate(free):
            self.put(address + 8, free[number + 1] if number + 1 < len(free) else 0)
            self.put(address + 12, free[number - 1] if number else 0)
        self.put(self.end, 16 | 1 | 2)
        self.put(self.end + 4, before)
        return self

    def put(self, address: int, word: int) -> None:
        struct.pack_into("<I", self.memory, address - RAM, word)

    def heaps(self, cut: int | None = None) -> tuple[ImageHeap, ...]:
        segment = MemorySegment(RAM, bytes(self.memory[:cut]))
        return find_heaps(MemoryImage(segments=(segment,), files=("a.raw",), what="raw memory"))


@pytest.mark.parametrize("turn", range(20))
def test_every_block_is_read_by_structure_alone(turn: int, seed: int) -> None:
    drawn = DrawnRlsf(random.Random(seed + turn)).draw(fill=turn % 2 == 0)
    (heap,) = drawn.heaps()
    assert heap.family == "rlsf"
    assert [(b.address - 8, b.size + 8, b.used) for b in heap.blocks] == drawn.blocks
    assert (heap.start, heap.end) == (POOL, drawn.end + 16)
    assert (heap.damage, heap.gaps) == ((), ())
    assert heap.order_known
    assert list(heap.free_order) == drawn.order


@pytest.mark.parametrize("turn", range(20))
def test_a_header_that_is_overwritten_is_named(turn: int, seed: int) -> None:
    rng = random.Random(seed + turn)
    drawn = DrawnRlsf(rng).draw()
    address, size, _ = rng.choice(drawn.blocks[5:-5])
    drawn.put(address, 0x41414141)
    (heap,) = drawn.heaps()
    assert any(one.address == address and one.kind == "header" for one in heap.damage)
    whole = {block.address - 8 for block in heap.blocks}
    lost = [one for one in drawn.blocks if one[0] not in whole]
    assert {one[0] for one in lost} <= {address}, (address, size)


def test_a_link_that_is_overwritten_is_named(seed: int) -> None:
    rng = random.Random(seed)
    drawn = DrawnRlsf(rng).draw()
    address = rng.choice([one[0] for one in drawn.blocks if not one[2]])
    drawn.put(address + 8, 0x41414141)
    (heap,) = drawn.heaps()
    assert len(heap.damage) == 1
    (damage,) = heap.damage
    assert damage.address <= address + 8 < damage.address + damage.size
    assert "free_link" in (damage.kind, *damage.words)


def test_bytes_of_chance_and_pieces_of_a_pool_never_stop_it(seed: int) -> None:
    rng = random.Random(seed)
    for _ in range(60):
        drawn = DrawnRlsf(rng).draw(rng.randint(1, 40))
        for _ in range(rng.randint(1, 30)):
            drawn.put(
                rng.randrange(RAM, drawn.end, 4), rng.choice((0, 19, 16, rng.getrandbits(32)))
            )
        for heap in drawn.heaps(rng.randint(1, len(drawn.memory))):
            assert heap.start < heap.end
            assert all(
                a.end <= b.address for a, b in zip(heap.blocks, heap.blocks[1:], strict=False)
            )


def test_memory_of_chance_holds_no_heap_of_rlsf(seed: int) -> None:
    rng = random.Random(seed)
    image = MemoryImage(
        segments=(MemorySegment(RAM, rng.randbytes(1 << 18)),), files=("a.raw",), what="raw memory"
    )
    assert all(heap.family != "rlsf" for heap in find_heaps(image))
    zeros = MemoryImage(
        segments=(MemorySegment(RAM, bytes(1 << 18)),), files=("a.raw",), what="raw memory"
    )
    assert find_heaps(zeros) == ()
