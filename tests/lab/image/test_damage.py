"""Bytes that no allocator wrote are found and explained, and nothing else is called damaged."""

from __future__ import annotations

import struct
from random import Random

import pytest
from tests.lab.image.drawn_heap import START, DrawnHeap

from heapscope.answers.image.answer import answer_of
from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import Damage, ImageBlock, ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols

TLSF = [
    "idf-4.3.2",
    "idf-4.4.2+light",
    "idf-5.1",
    "idf-5.2+track",
    "idf-5.1+track",
    "idf-5.3+light",
]
TLSF += ["idf-5.5", "idf-5.5+full"]
FILL = 0x5A


def damaged(drawn: DrawnHeap, random: Random, at: int, size: int) -> tuple[ImageHeap, bytes]:
    """The heap with bytes written over, and what was there."""
    memory = drawn.memory(random)
    old = bytes(memory[at - START : at - START + size])
    memory[at - START : at - START + size] = bytes([FILL]) * size
    (heap,) = find_heaps(drawn.image(memory))
    return heap, old


def neighbours(drawn: DrawnHeap, random: Random) -> tuple[ImageHeap, ImageBlock, ImageBlock]:
    """The sound heap, and two used blocks of it without slack, side by side."""
    pairs: list[tuple[ImageBlock, ImageBlock]] = []
    while not pairs:
        drawn.step(random)
        (heap,) = find_heaps(drawn.image(drawn.memory(random)))
        pairs = _pairs(drawn, heap)
    return heap, *random.choice(pairs)


def _pairs(drawn: DrawnHeap, heap: ImageHeap) -> list[tuple[ImageBlock, ImageBlock]]:
    return [
        (first, second)
        for first, second in zip(heap.blocks, heap.blocks[1:], strict=False)
        if first.used
        and second.used
        and drawn.live[first.given][1] + first.given + heap.coat.behind == first.end
    ]


@pytest.mark.parametrize("allocator", TLSF)
@pytest.mark.parametrize("size", [5, 12, 40])
def test_an_overflow_is_one_damage_with_its_block(allocator: str, size: int, seed: int) -> None:
    random = Random(f"{seed} {allocator} {size}")
    drawn = DrawnHeap.draw(allocator, random)
    sound, first, second = neighbours(drawn, random)
    begin = first.given + drawn.live[first.given][1]
    size = min(size, second.end - begin)
    heap, old = damaged(drawn, random, begin, size)
    (found,) = heap.damage
    skipped = next(i for i, byte in enumerate(old) if byte != FILL)
    assert (found.address, found.kind, found.source) == (begin + skipped, "overflow", first.address)
    assert (found.before, found.after) == (first.address, second.address)
    assert begin <= found.address < found.address + found.size <= begin + size
    assert {one.address: one.size for one in heap.blocks} == {
        one.address: one.size for one in sound.blocks
    }


@pytest.mark.parametrize("allocator", TLSF)
def test_what_is_written_at_random_is_never_called_damage_elsewhere(
    allocator: str, seed: int
) -> None:
    """Not one claim is about bytes that nobody wrote."""
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    for _ in range(30):
        at = START + random.randrange(80, 50_000)  # behind what finds a heap without a list
        size = random.choice((4, 8, 16, 40))  # less of a size word may leave it plausible
        heap, _ = damaged(drawn, random, at, size)
        assert all(_touches(one, at, size) for one in heap.damage), (at, size, heap.damage)


def _touches(damage: Damage, at: int, size: int) -> bool:
    return damage.address < at + size and at < damage.address + damage.size


def test_a_write_after_free_is_told_where_the_pattern_shows_it(seed: int) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+full", random)
    hole = max((one for one in drawn.blocks if not one.used), key=lambda one: one.size)
    heap, _ = damaged(drawn, random, hole.address + 40, 4)
    (found,) = heap.damage
    assert (found.kind, found.block, found.address) == (
        "write_after_free",
        hole.address,
        hole.address + 40,
    )


def test_slack_and_payload_are_not_called_damaged(seed: int) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.1+light", random)
    address, (_, size) = max(drawn.live.items(), key=lambda one: one[1][1])
    heap, _ = damaged(drawn, random, address, size)
    assert not heap.damage


class Names:
    """Symbols of a firmware with FreeRTOS's heap, whose end is known from a variable."""

    END = START - 4

    def address(self, name: str) -> int | None:
        return {"ucHeap": START, "pxEnd": self.END}.get(name)


def test_a_damaged_heap_of_freertos_is_walked_by_its_symbols(seed: int) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("heap_4", random)
    block = next(one for one in drawn.blocks[3:] if one.used)
    memory = drawn.memory(random)
    at = block.address - START - 4
    memory[at : at + 4] = bytes([FILL]) * 4
    end = drawn.blocks[-1].address + drawn.blocks[-1].size
    segments = (MemorySegment(START - 4, end.to_bytes(4, "little") + bytes(memory)),)
    image = MemoryImage(segments=segments, files=("drawn",), what="drawn")
    (heap,) = find_heaps(image, Names())
    (found,) = heap.damage
    assert (found.address, found.block, found.kind) == (block.address - 4, block.address, "header")
    others = [one for one in drawn.blocks if one.address != block.address]
    assert [(one.address, one.size, one.used) for one in heap.blocks] == others


def freed_again(drawn: DrawnHeap, heap: ImageHeap, random: Random) -> tuple[bytearray, int]:
    """The memory after a second free of a block that the allocator did not refuse: it becomes the
    head of its list once more."""
    memory = drawn.memory(random)
    block = random.choice([one for one in heap.blocks if not one.used]).address
    link = block - 8
    at = [head for head in range(0, heap.first - START, 4) if link == word(memory, START + head)]
    before, first = block, link
    while not at:  # not the head of its list
        before = word(memory, before + 4) + 8
        first = before - 8
        at = [
            head for head in range(0, heap.first - START, 4) if first == word(memory, START + head)
        ]
    null = word(memory, first + 12)
    for address, value in ((block, first), (block + 4, null), (first + 12, link)):
        struct.pack_into("<I", memory, address - START, value)
    struct.pack_into("<I", memory, at[-1], link)
    return memory, block


def word(memory: bytearray, address: int) -> int:
    result: int = struct.unpack_from("<I", memory, address - START)[0]
    return result


@pytest.mark.parametrize("allocator", ["idf-4.3.2", "idf-5.1", "idf-5.5"])
def test_a_block_that_is_in_its_list_twice_was_freed_twice(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    (sound,) = find_heaps(drawn.image(drawn.memory(random)))
    memory, block = freed_again(drawn, sound, random)
    (heap,) = find_heaps(drawn.image(memory))
    assert [one.source for one in heap.damage if one.kind == "double_free"] == [block]
    assert heap.blocks == sound.blocks
    assert not heap.order_known or len(heap.free_order) == sum(not one.used for one in sound.blocks)


@pytest.mark.parametrize("allocator", ["idf-4.3.2", "idf-5.1", "idf-5.5"])
def test_a_used_block_in_a_list_was_freed_twice(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    (sound,) = find_heaps(drawn.image(drawn.memory(random)))
    memory = drawn.memory(random)
    block = random.choice([one for one in sound.blocks if one.used]).address
    heads = range(sound.first - START - 4, 0, -4)  # of the largest bins, which are empty
    at = next(head for head in heads if word(memory, START + head) % 8 == 0)
    struct.pack_into("<I", memory, at, block - 8)
    (heap,) = find_heaps(drawn.image(memory))
    assert ("double_free", block) in [(one.kind, one.source) for one in heap.damage]


def test_what_still_points_at_a_block_that_was_written_after_its_free(seed: int) -> None:
    random = Random(seed)
    drawn = DrawnHeap.draw("idf-5.5+full", random)
    hole = max((one for one in drawn.blocks if not one.used), key=lambda one: one.size)
    memory = drawn.memory(random)
    at = hole.address + 40 - START
    memory[at : at + 4] = bytes([FILL]) * 4
    data = 0x3FFE_0000
    words = bytearray(2048)
    words[400:404] = (hole.address + 8).to_bytes(4, "little")
    image = MemoryImage(
        segments=(MemorySegment(START, bytes(memory)), MemorySegment(data, bytes(words))),
        files=("t.bin",),
        what="",
        symbols=FirmwareSymbols([FirmwareSymbol(data + 396, 8, "session")], file="app.elf"),
    )
    (found,) = answer_of(image, idf="5.5").damage
    assert (found.kind, found.source) == ("write_after_free", hole.address)
    assert "session+4" in found.found_in
    assert "The program still has its address in " in found.text


@pytest.mark.parametrize("allocator", ["umm", "umm:32", "sys_heap", "heapscope", "heap_4"])
def test_a_damaged_heap_is_known_by_its_blocks_alone(allocator: str, seed: int) -> None:
    """No name leads to it: every block but the two at the damage is there."""
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    while len(drawn.blocks) < 45:
        drawn.step(random)
    (sound,) = find_heaps(drawn.image(drawn.memory(random)))
    number = random.randrange(2 * len(sound.blocks) // 3, len(sound.blocks) - 5)
    heap, _ = damaged(drawn, random, sound.blocks[number].address - 4, 4)
    rest = {(one.address, one.size) for one in sound.blocks} - {
        (one.address, one.size) for one in sound.blocks[number - 1 : number + 1]
    }
    assert rest <= {(one.address, one.size) for one in heap.blocks}
    assert heap.damage or allocator == "heapscope"  # whose words are all in front


def test_a_size_that_leads_over_other_blocks_is_what_is_wrong(seed: int) -> None:
    """And not the block that it leads to."""
    random = Random(seed)
    for allocator in ("idf-3.3", "idf-5.1", "heap_4", "sys_heap"):
        drawn = DrawnHeap.draw(allocator, random)
        while len(drawn.blocks) < 40:
            drawn.step(random)
        (sound,) = find_heaps(drawn.image(drawn.memory(random)))
        block = next(one for one in sound.blocks[8:] if one.used)
        far = sound.blocks[-6].address - block.address + 4
        sizes = {"idf-3.3": block.address + far, "heap_4": far | 0x8000_0000, "idf-5.1": far}
        value = sizes.get(allocator, (far // 8 << 1 | 1) << 16) & ~3 | (allocator == "sys_heap")
        memory = drawn.memory(random)
        memory[block.address - 4 - START : block.address - START] = value.to_bytes(4, "little")
        (heap,) = find_heaps(drawn.image(memory))
        lost = [one for one in sound.blocks if one not in heap.blocks and one != block]
        assert len(lost) <= 1, (allocator, lost)
        assert any(one.block == block.address for one in heap.damage), allocator


@pytest.mark.parametrize("allocator", ["idf-3.3", "idf-5.1", "heap_4", "umm", "sys_heap"])
def test_no_block_is_lost_without_a_word(allocator: str, seed: int) -> None:
    """Each is listed, or in the bytes in which no block proves itself; and none is invented."""
    random = Random(f"{seed} {allocator}")
    drawn = DrawnHeap.draw(allocator, random)
    while len(drawn.blocks) < 45:
        drawn.step(random)
    (sound,) = find_heaps(drawn.image(drawn.memory(random)))
    for _ in range(4):
        number = random.randrange(10, len(sound.blocks) - 8)
        near = {one.address for one in sound.blocks[number - 1 : number + 2]}
        begin = sound.blocks[number].address - 8
        memory = drawn.memory(random)
        memory[begin - START : begin + 8 - START] = b"GET /ind"
        (heap,) = find_heaps(drawn.image(memory))
        there = {one.address: one.size for one in heap.blocks}
        for one in sound.blocks:
            unproved = any(gap.start <= one.address < gap.end for gap in heap.gaps)
            assert one.address in near or unproved or there.get(one.address) == one.size
        assert all(begin - 8 <= one.address < begin + 16 for one in heap.damage)
