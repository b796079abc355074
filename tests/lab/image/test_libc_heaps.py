"""The heaps of newlib, newlib-nano and picolibc, of programs that ran with the real libraries."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path
from random import Random

import pytest
import zstandard

import heapscope as hs
from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbols, read_nm

HERE = Path(__file__).parent / "libc"
START, LIVE = 0x2000_0000, 96
LIBRARIES = {"newlib": "newlib", "nano": "newlib-nano", "pico": "picolibc"}


def test_a_heap_that_may_grow_says_so(tmp_path: Path) -> None:
    path = tmp_path / f"{START:08x}.raw"
    path.write_bytes(RanProgram.of("newlib").memory)
    result = hs.image(str(path))
    assert any("_sbrk" in note for note in result.notes)
    assert result.heaps[0].allocator == "newlib"


@dataclass
class RanProgram:
    """The memory of a program that ran, and what it told itself."""

    library: str
    memory: bytearray
    symbols: FirmwareSymbols

    @classmethod
    def of(cls, library: str) -> RanProgram:
        data = zstandard.ZstdDecompressor().decompress((HERE / f"{library}.zst").read_bytes())
        return cls(library, bytearray(data), read_nm(str(HERE / f"{library}.nm")))

    def at(self, name: str) -> int:
        address = self.symbols.address(name)
        assert address is not None
        return address

    def word(self, address: int) -> int:
        result: int = struct.unpack_from("<I", self.memory, address - START)[0]
        return result

    def put(self, address: int, word: int) -> None:
        struct.pack_into("<I", self.memory, address - START, word)

    @property
    def live(self) -> dict[int, int]:
        """The bytes of each block that the program holds."""
        table = self.at("live")
        rows = [(self.word(table + 8 * n), self.word(table + 8 * n + 4)) for n in range(LIVE)]
        return {address: size for address, size in rows if address}

    def heaps(self, *, symbols: bool = True) -> tuple[ImageHeap, ...]:
        image = MemoryImage(
            segments=(MemorySegment(START, bytes(self.memory)),),
            files=("a.raw",),
            what="raw memory",
            symbols=self.symbols if symbols else None,
        )
        return find_heaps(image)


@pytest.fixture(params=sorted(LIBRARIES))
def ran(request: pytest.FixtureRequest) -> RanProgram:
    return RanProgram.of(request.param)


def check(ran: RanProgram, heap: ImageHeap) -> None:
    used = {block.given: block for block in heap.blocks if block.used}
    assert used.keys() == ran.live.keys()
    assert all(used[address].end >= address + size for address, size in ran.live.items())
    assert heap.counted_free == ran.word(ran.at("unused"))
    assert heap.end == ran.word(ran.at("heap_end"))
    assert heap.family == LIBRARIES[ran.library]
    assert (heap.damage, heap.gaps, heap.order_known) == ((), (), True)
    assert len(heap.free_order) == sum(not block.used for block in heap.blocks)


def test_every_block_is_the_program_s(ran: RanProgram) -> None:
    (heap,) = ran.heaps()
    check(ran, heap)


def test_newlib_s_heap_is_found_without_symbols() -> None:
    ran = RanProgram.of("newlib")
    (heap,) = ran.heaps(symbols=False)
    check(ran, heap)


def test_a_heap_whose_end_no_variable_tells_ends_where_its_sizes_do(ran: RanProgram) -> None:
    (heap,) = ran.heaps()
    rows = [one for one in ran.symbols.rows if "top" not in one.name and one.name != "heap_end"]
    ran.symbols = FirmwareSymbols(rows, file="a.elf")
    (again,) = ran.heaps()
    assert again.blocks == heap.blocks


def test_a_damaged_size_is_told_and_the_walk_goes_on(ran: RanProgram, seed: int) -> None:
    random = Random(f"{seed} {ran.library}")
    (sound,) = ran.heaps()
    block = random.choice([one for one in sound.blocks[2:20] if one.used])
    size = block.address - 4
    ran.put(size, 0x5A5A5A5A)
    (heap,) = ran.heaps()
    assert any(one.address <= size < one.address + one.size for one in heap.damage)
    lost = {one.address for one in sound.blocks} - {one.address for one in heap.blocks}
    assert block.address in lost
    assert len(lost) < len(sound.blocks) // 2


def test_a_link_that_leads_nowhere_is_damage(ran: RanProgram, seed: int) -> None:
    random = Random(f"{seed} {ran.library}")
    (sound,) = ran.heaps()
    block = random.choice([one for one in sound.blocks[:-1] if not one.used])
    ran.put(block.address, 0x2000_0001)
    (heap,) = ran.heaps()
    (damage,) = heap.damage
    assert (damage.address & ~3, damage.source) == (block.address, block.address)


def test_a_chunk_that_its_list_has_twice_was_freed_twice(ran: RanProgram) -> None:
    (sound,) = ran.heaps()
    block = next(one for one in sound.blocks[:-1] if not one.used)
    ran.put(block.address, block.address - (8 if ran.library == "newlib" else 4))
    (heap,) = ran.heaps()
    assert ("double_free", block.address) in [(one.kind, one.source) for one in heap.damage]


def test_damage_at_random_never_ends_in_a_fault(ran: RanProgram, seed: int) -> None:
    random = Random(f"{seed} {ran.library}")
    whole = bytes(ran.memory)
    for _ in range(60):
        ran.memory[:] = whole
        for _ in range(random.randint(1, 8)):
            at = START + 4 * random.randrange(len(whole) // 4)
            ran.put(at, random.choice((0, random.getrandbits(32), ran.word(at) ^ 8, START + 64)))
        ran.heaps()
