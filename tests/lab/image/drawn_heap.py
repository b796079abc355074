"""Heaps that a model made of drawn requests, as the memory of a device."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from random import Random

from heapscope.answers.image.heap import Coat
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock
from heapscope.native.state import NativeState
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import bare_region, heap_config

START, SIZE = 0x3FFB_0000, 60_000
TASK = 0x3FFA_0000  # a control block, in other memory
RULE = MallocRule(small=0x1800)

NO_COAT = Coat()
COATS = {
    "": NO_COAT,
    "+light": Coat(size=4, front=8),
    "+full": Coat(size=4, front=8, fills=True),
    "+track": Coat(owner=0, front=4),
    "+light+track": Coat(size=4, owner=8, front=12, counted=4),
    "+full+track": Coat(size=4, owner=8, front=12, counted=4, fills=True),
}
IN_POISON = Coat(size=8, owner=4, front=12)


def region(allocator: str, start: int = START, size: int = SIZE) -> Region:
    return Region(start=start, size=size, kind="DRAM", caps=(0x180C, 0, 0), allocator=allocator)


def state_of(one: Region) -> NativeState:
    filled = bare_region(one, blocks=one.blocks, holes=one.holes)
    return NativeState(heap_config((filled,), RULE, 0))


def coat_of(allocator: str) -> Coat:
    name, plus, flavour = allocator.partition("+")
    if "track" in flavour and name.startswith(("idf-3", "idf-4", "idf-5.1")):
        return Coat(size=8, owner=4, front=12, fills="full" in flavour)
    return COATS[plus + flavour]


@dataclass
class DrawnHeap:
    """`live`: what requests gave, with the bytes that they asked for, by the program's address."""

    allocator: str
    state: NativeState
    live: dict[int, tuple[Struct, int]]

    @classmethod
    def draw(cls, allocator: str, random: Random, *, steps: int = 400) -> DrawnHeap:
        drawn = cls(allocator, state_of(region(allocator)), {})
        for _ in range(steps):
            drawn.step(random)
        return drawn

    @property
    def least(self) -> int:
        """The least bytes of a request: our own heap has slots for smaller ones, not blocks."""
        return 9 if self.allocator.startswith("heapscope") else 1

    def step(self, random: Random) -> int | None:
        """The address that a request gave; None: it failed, or a block was freed."""
        if self.live and random.random() < 0.45:
            address = random.choice(sorted(self.live))
            self.state.free(self.live.pop(address)[0])
            return None
        size = random.choice((random.randint(self.least, 60), random.randint(9, 2000)))
        served = self.state.request(size)
        if served.region is None:
            return None
        self.live[served.address] = served, size
        return int(served.address)

    @property
    def blocks(self) -> tuple[HeldBlock, ...]:
        return self.state.blocks(0)

    def memory(self, random: Random) -> bytearray:
        """With text in every used block, and the poison and owners that the firmware would have."""
        data = bytearray(self.state.memory(0))
        coat = coat_of(self.allocator)
        for block in self.blocks:
            at = block.address - START
            if block.used:
                size = self.live[block.address + coat.front][1]
                begin = at + coat.front
                data[begin : begin + size] = random.randbytes(size)
                self._put(data, at, size, coat)
            elif coat.fills:
                data[at + 8 : at + block.size - 4] = b"\xfe" * (block.size - 12)
        return data

    def _put(self, data: bytearray, at: int, size: int, coat: Coat) -> None:
        words = {} if coat.owner is None else {at + coat.owner: TASK}
        if coat.size is not None:
            words[at] = 0xABBA1234
            words[at + coat.size] = size + coat.counted
            words[at + coat.front + size] = 0xBAAD5678
        for offset, word in words.items():
            struct.pack_into("<I", data, offset, word)

    def image(self, memory: bytes | bytearray) -> MemoryImage:
        task = struct.pack("<12II16s", TASK + 256, *([0] * 11), TASK + 128, b"main") + bytes(512)
        segments = (MemorySegment(TASK, task), MemorySegment(START, bytes(memory)))
        return MemoryImage(segments=segments, files=("drawn",), what="drawn")
