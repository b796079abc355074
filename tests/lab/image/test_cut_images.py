"""Memory that ends inside a heap: what is behind its end is not known, and nothing is damaged."""

from __future__ import annotations

from random import Random

import pytest

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment

from .drawn_heap import START, DrawnHeap

ALLOCATORS = ("idf-3.3", "idf-4.4.2", "idf-5.1+light", "idf-5.3+full", "idf-5.5", "heapscope")


def _heaps(memory: bytes) -> tuple[ImageHeap, ...]:
    image = MemoryImage(segments=(MemorySegment(START, memory),), files=("a",), what="drawn")
    return find_heaps(image)


@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_no_block_that_leads_out_of_the_image_is_damaged(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    memory = bytes(DrawnHeap.draw(allocator, random).memory(random))
    sound = {block.address: block for heap in _heaps(memory) for block in heap.blocks}
    assert sound
    for _ in range(3):
        cut = random.randrange(len(memory) // 2, len(memory)) // 4 * 4
        for heap in _heaps(memory[:cut]):
            assert heap.damage == ()
            for block in heap.blocks:
                known = sound[block.address]
                assert (block.size, block.used) == (known.size, known.used)


def test_a_free_block_of_ours_is_as_long_as_its_bits_say(seed: int) -> None:
    """Its words are written over, so that the bitmap alone tells its end: the last bit of the block
    and the first one of the next, where the shortest block has one bit for both."""
    random = Random(f"bits {seed}")
    memory = bytearray(DrawnHeap.draw("heapscope", random).memory(random))
    (sound,) = _heaps(bytes(memory))
    free = [block for block in sound.blocks if not block.used and block.size <= 128]
    assert free
    for block in free:
        damaged = bytearray(memory)
        at = block.address + 8 - START
        damaged[at : at + 4] = b"\xff\xff\xff\x7f"
        (heap,) = _heaps(bytes(damaged))
        assert (block.address, block.size) in {(one.address, one.size) for one in heap.blocks}
