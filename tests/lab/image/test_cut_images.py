"""Memory that ends inside a heap: what is behind its end is not known, and nothing is damaged."""

from __future__ import annotations

from pathlib import Path
from random import Random

import pytest

import heapscope as hs
from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.answers.image.result import ImageResult
from heapscope.base.errors import InputError
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment

from .drawn_heap import START, DrawnHeap
from .dumps import captured

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


@pytest.mark.parametrize("part", [0.5, 0.9])
def test_a_truncated_core_dump_still_names_its_blocks(tmp_path: Path, part: float) -> None:
    data = captured("c3_none.core")
    path, shorter = tmp_path / "whole.core", tmp_path / "truncated.core"
    path.write_bytes(data)
    shorter.write_bytes(data[: int(part * len(data))])
    whole, truncated = hs.image(str(path)), hs.image(str(shorter))
    assert rows(truncated) == rows(whole)
    sentence = "of blocks that are not in the image may point at them"
    assert any(sentence in line for line in truncated.verdict)
    assert not any("not in the image" in line for line in whole.verdict)


def rows(result: ImageResult) -> list[tuple[int, int, bool]]:
    return [(one.address, one.bytes, one.used) for one in result.blocks]


def test_a_dump_in_flash_that_begins_erased_is_found(tmp_path: Path) -> None:
    path = tmp_path / "flash.bin"
    path.write_bytes(b"\xff" * 0x2_0000 + captured("c3_514_light.core") + b"\xff" * 5000)
    assert hs.image(str(path)).tasks
    path.write_bytes(b"\xff" * 0x2_0000 + bytes(5000))
    with pytest.raises(InputError, match="begins erased"):
        hs.image(str(path))
