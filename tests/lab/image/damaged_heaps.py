"""How much of a damaged heap `heapscope image` still reads, and what it says of the damage.

    tests/lab/image/damaged_heaps.py [ROUNDS [ALLOCATOR...]]

Every model of an allocator lays a heap of drawn blocks as the memory of a device, and one write
damages it: behind a block, in front of one, into a header, into a free block, or anywhere. The
bytes are text, pointers, a fill, zero or noise. The sound heap is the truth. "Silent": a block that
is neither listed nor in the bytes that the answer calls unproved.
"""

from __future__ import annotations

import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from random import Random

sys.path.insert(0, str(Path(__file__).parents[3]))

from tests.lab.image.drawn_heap import START, TASK, DrawnHeap
from tests.lab.image.test_libc_heaps import RanProgram

from heapscope.answers.image.find import find_heaps
from heapscope.answers.image.heap import ImageHeap
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbol, FirmwareSymbols

DRAWN: tuple[str, ...] = (
    "idf-3.3",
    "idf-4.2+light",
    "idf-4.4.2",
    "idf-5.1",
    "idf-5.1+light",
    "idf-5.3+full",
)
DRAWN += ("idf-5.5", "idf-5.5+light", "heap_4", "heap_4-4", "umm", "umm:32", "sys_heap")
DRAWN += ("heapscope", "heapscope-16", "heapscope-wide")
LIBRARIES = ("newlib", "nano", "pico")
KINDS = ("overflow", "underflow", "header", "free", "anywhere")
CONTENTS = ("text", "pointers", "fill", "zero", "noise")


def written(random: Random, content: str, size: int) -> bytes:
    if content == "text":
        return (b"GET /index.html HTTP/1.1\r\nHost: device.local\r\nAccept: */*\r\n\r\n" * 2)[:size]
    if content == "pointers":
        words = [START + 4 * random.randrange(10_000) for _ in range(17)]
        return b"".join(word.to_bytes(4, "little") for word in words)[:size]
    if content == "noise":
        return random.randbytes(size)
    return bytes([0 if content == "zero" else 0x5A]) * size


def position(random: Random, heap: ImageHeap, kind: str) -> tuple[int, int]:
    """Where the write begins, and how many bytes it has."""
    blocks = [block for block in heap.blocks if block.used][1:-1]
    free = [block for block in heap.blocks if not block.used]
    block = random.choice(blocks)
    if kind == "overflow":
        return block.end, random.choice((4, 8, 16, 40, 64, random.randint(1, 64)))
    if kind == "underflow":
        size = random.choice((4, 8, 16))
        return block.address - size, size
    if kind == "header":
        return block.address - 4, random.choice((1, 2, 4))
    if kind == "free":
        return random.choice(free).address + random.choice((0, 0, 4, 8, 24)), 4
    return random.randrange(heap.first, heap.end - 64), random.choice((1, 4, 16))


class Damaged:
    """One sound heap, and its memory after one write."""

    def __init__(self, sound: ImageHeap, memory: bytes, at: int, start: int) -> None:
        self.sound, self.memory, self.at, self.start = sound, bytearray(memory), at, start
        self.changed: list[int] = []

    def write(self, data: bytes) -> None:
        offset = self.at - self.start
        old = self.memory[offset : offset + len(data)]
        self.memory[offset : offset + len(old)] = data[: len(old)]
        self.changed = [self.at + n for n, one in enumerate(old) if one != data[n]]

    def hits_a_header(self) -> bool:
        """The whole word in front of a block, which no byte of a program's is in."""
        return any(
            {block.address - 4 + n for n in range(4)} <= set(self.changed)
            for block in self.sound.blocks
        )

    def compare(self, heap: ImageHeap | None, count: Counter[str]) -> None:
        blocks = {one.address: one for one in heap.blocks} if heap else {}
        gaps = heap.gaps if heap else ()
        near = set(self._near())
        missing = [
            one
            for one in self.sound.blocks
            if one.address not in near
            and (one.address not in blocks or blocks[one.address][1:3] != one[1:3])
        ]
        silent = [
            one
            for one in missing
            if not any(gap.start <= one.address < gap.end for gap in gaps)
            and (one.address not in blocks or heap is None or heap.order_known)
        ]
        count["blocks"] += len(self.sound.blocks)
        count["missing"] += len(missing)
        count["silent"] += len(silent)
        count["no heap"] += heap is None
        known = {one.address for one in self.sound.blocks}
        count["invented"] += sum(one not in known for one in blocks if one not in near)
        count["images with silent ones"] += bool(silent)
        claims = heap.damage if heap else ()
        touching = [one for one in claims if self._touches(one.address, one.size)]
        count["false"] += len(claims) - len(touching)
        if self.hits_a_header():
            count["headers"] += 1
            count["named"] += bool(touching)

    def _near(self) -> Iterator[int]:
        """The blocks that the write itself may have taken away: that of the first changed byte, and
        those of the others, whose headers are gone."""
        low, high = min(self.changed, default=0), max(self.changed, default=0)
        blocks = self.sound.blocks
        for before, block in zip((blocks[0], *blocks), blocks, strict=False):
            if block.address - 8 <= high and low < block.end:
                yield before.address
                yield block.address
            if before.address - 8 <= high and low < before.end:
                yield block.address

    def _touches(self, address: int, size: int) -> bool:
        return any(address <= one < address + size for one in self.changed)


def drawn_heap(name: str, random: Random) -> tuple[ImageHeap, bytes]:
    while True:
        drawn = DrawnHeap.draw(name, random)
        memory = bytes(drawn.memory(random))
        heaps = find_heaps(drawn.image(memory))
        if len(heaps) == 1 and _is_large(heaps[0]):
            return heaps[0], memory


def _is_large(heap: ImageHeap) -> bool:
    free = sum(not one.used for one in heap.blocks)
    return free > 1 and len(heap.blocks) - free > 24


def names_of(name: str, heap: ImageHeap) -> FirmwareSymbols | None:
    if name.startswith("heap_4"):
        rows = [FirmwareSymbol(heap.start, heap.size, "ucHeap")]
        rows += [FirmwareSymbol(TASK + 512, 4, "pxEnd")]
        return FirmwareSymbols(rows, file="app.elf")
    return None


def once(name: str, random: Random, count: Counter[str], *, symbols: bool) -> None:
    kind, content = random.choice(KINDS), random.choice(CONTENTS)
    if name in LIBRARIES:
        ran = RanProgram.of(name)
        (sound,) = ran.heaps()
        memory, start, names = bytes(ran.memory), 0x2000_0000, ran.symbols if symbols else None
        task = b""
    else:
        sound, memory = drawn_heap(name, random)
        start, names = START, names_of(name, sound) if symbols else None
        task = TASK.to_bytes(4, "little") * 128 + (sound.end - 8).to_bytes(4, "little")
    at, size = position(random, sound, kind)
    damaged = Damaged(sound, memory, at, start)
    damaged.write(written(random, content, size))
    segments = [MemorySegment(start, bytes(damaged.memory))]
    if task:
        segments.insert(0, MemorySegment(TASK, task))
    image = MemoryImage(segments=tuple(segments), files=("a",), what="drawn", symbols=names)
    heaps = find_heaps(image)
    heap = next((one for one in heaps if one.start < sound.end and sound.start < one.end), None)
    count["other heaps"] += len(heaps) - (heap is not None)
    damaged.compare(heap, count)


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 60
    columns: tuple[str, ...] = ("blocks", "missing", "silent", "invented", "no heap", "other heaps")
    columns += ("false", "headers", "named")
    print(f"{'':<22}", *(f"{one:>9}" for one in columns))
    for name in sys.argv[2:] or (*DRAWN, *LIBRARIES):
        for symbols in (False, True):
            if symbols and not name.startswith("heap_4") and name not in LIBRARIES:
                continue
            if not symbols and name in ("nano", "pico"):
                continue
            count: Counter[str] = Counter()
            random = Random(f"damage {name}")
            for _ in range(rounds):
                once(name, random, count, symbols=symbols)
            title = f"{name}{', symbols' if symbols else ''}"
            print(f"{title:<22}", *(f"{count[one]:>9,}" for one in columns), flush=True)


if __name__ == "__main__":
    main()
