"""Requests in the last state of a log, against random heaps of which all is known."""

from __future__ import annotations

import re
from dataclasses import dataclass
from random import Random

import pytest

from heapscope.base.request import Request
from heapscope.logs.heaps.hole import HoleHeap
from heapscope.logs.heaps.outlook import Reply, RequestOutlook, outlook
from heapscope.logs.heaps.state_allocators import allocators_of
from heapscope.logs.heaps.state_view import StateView, view_of
from heapscope.logs.reader.device import device_of
from heapscope.logs.reader.facts import read_log
from heapscope.logs.reader.reading import LogReading
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock, NativeConfig
from heapscope.native.state import NativeState
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import bare_region, heap_config

DRAM = (0x1004, 0x80A, 0)  # 8BIT|DEFAULT, then INTERNAL|DMA|32BIT
DIRAM = (0, 0x180C, 0x3)  # DMA|8BIT|INTERNAL|DEFAULT, then 32BIT|EXEC
MALLOC = 0x1800
#: Where an ESP32's heaps lie, which a firmware's static use cuts shorter.
PLACES = (
    (0x3FFA_E6E0, 6432, DRAM, False),
    (0x3FFB_8000, 65_536, DRAM, False),
    (0x3FFE_0440, 15_072, DIRAM, True),
    (0x3FFE_4350, 113_840, DIRAM, True),
)


@dataclass(frozen=True, kw_only=True)
class Device:
    """The true state of a device, of which its log tells a part."""

    heaps: tuple[HoleHeap, ...]
    blocks: tuple[tuple[HeldBlock, ...], ...]

    def config(self, *, lowest_first: bool = False) -> NativeConfig:
        pairs = zip(self.heaps, self.blocks, strict=True)
        regions = (
            bare_region(
                heap.region,
                blocks=blocks,
                holes=tuple(one.address for one in blocks if not one.used) if lowest_first else (),
            )
            for heap, blocks in pairs
        )
        return heap_config(regions, MallocRule(small=MALLOC), request_max=0)

    def rows(self) -> tuple[Struct, ...]:
        with NativeState(self.config()) as state:
            return state.regions()

    def summary(self, caps: int = 4) -> str:
        """heap_caps_print_heap_info(caps)"""
        lines = [f"Heap summary for capabilities 0x{caps:08X}:"]
        rows = self.rows()
        for row, blocks in zip(rows, self.blocks, strict=True):
            lines += [
                f"  At 0x{row.start:08x} len {row.size} free {row.reported_free} allocated "
                f"{row.reported_allocated} min_free {row.reported_free}",
                f"    largest_free_block {row.largest_reported} alloc_blocks {row.used_blocks} "
                f"free_blocks {row.free_blocks} total_blocks {len(blocks)}",
            ]
        free = sum(row.reported_free for row in rows)
        largest = max(row.largest_reported for row in rows)
        used = sum(row.reported_allocated for row in rows)
        lines += [
            "  Totals:",
            f"    free {free} allocated {used} min_free {free} largest_free_block {largest}",
        ]
        return "\n".join(lines) + "\n"

    def dump(self) -> str:
        """heap_caps_dump(MALLOC_CAP_8BIT)"""
        lines = []
        for heap, blocks in zip(self.heaps, self.blocks, strict=True):
            lines.append(f"Showing data for heap: 0x{heap.region.start:08x} ")
            lines += [
                f"Block 0x{block.address:08x} data, size: {block.size} bytes, "
                f"Free: {'No' if block.used else 'Yes'} "
                for block in blocks
            ]
        return "\n".join(lines) + "\n"


def random_device(random: Random, allocator: str, *, holes: int = 6) -> Device:
    """Two to four heaps with at most so many holes each."""
    places = sorted(random.sample(PLACES, random.randint(2, 4)))
    heaps = [
        HoleHeap(
            Region(start=start, size=size, kind="", caps=caps, allocator=allocator, iram_alias=x),
            MallocRule(small=MALLOC),
            0,
        )
        for start, size, caps, x in places
    ]
    return Device(
        heaps=tuple(heaps),
        blocks=tuple(_random_blocks(random, heap, random.randint(0, holes)) for heap in heaps),
    )


def _random_blocks(random: Random, heap: HoleHeap, holes: int) -> tuple[HeldBlock, ...]:
    """Used blocks with so many holes between them, in any place."""
    left, sizes = heap.whole, list[tuple[int, bool]]()
    while left:
        want_hole = holes > 0 and random.random() < 0.5 and not (sizes and not sizes[-1][1])
        least = heap.smallest if want_hole else heap.least_used
        most = left // (1 if random.random() < 0.2 else random.choice((2, 4, 8, 16)))
        size = min(max(least, int(most * random.random())) + 3 & ~3, left)
        if left - size < 4 + heap.least_used:
            size = left  # too little would be left for another block
        elif left - size - 4 > 0 and want_hole:
            holes -= 1
        is_used = not (want_hole and size >= heap.smallest)
        if size < heap.least_used:
            is_used = False
        sizes.append((size, is_used))
        left -= size + (4 if left > size else 0)
    address, blocks = heap.first, []
    for size, is_used in sizes:
        blocks.append(HeldBlock(address, size, is_used))
        address += size + 4
    return tuple(blocks)


def view(text: str, *, chip: str = "esp32") -> StateView:
    """The state that a text tells."""
    reading = LogReading()
    read_log([text.encode()], reading)
    result = view_of(reading, device_of(reading, chip=chip))
    assert result is not None
    return result


def truth(
    device: Device, requests: tuple[Request, ...], *, lowest_first: bool
) -> tuple[tuple[bool, ...], tuple[Struct, ...]]:
    """Which requests the device serves, and its heaps afterwards."""
    with NativeState(device.config(lowest_first=lowest_first)) as state:
        served = tuple(
            state.request(one.size, caps=one.caps).region is not None for one in requests
        )
        return served, state.regions()


def agrees(answer: RequestOutlook, served: bool) -> bool:
    return answer.answer != (Reply.NO if served else Reply.YES)


ALLOCATORS = (
    "idf-3.3", "idf-4.2", "idf-4.2+light", "idf-4.3.0", "idf-4.3.0+light", "idf-4.3.2",
    "idf-4.4.0+light", "idf-4.4.2", "idf-5.1", "idf-5.1+light", "idf-5.3", "idf-5.5",
    "idf-5.5+light",
)  # fmt: skip


def random_requests(random: Random, device: Device) -> tuple[Request, ...]:
    """Near what a heap has, or far below; of one size or of many."""
    row = random.choice(device.rows())
    near = row.largest_reported // random.choice((1, 1, 2, 3, 7)) + random.randint(-40, 40)
    top = random.choice((100, 1000, 8000, 40_000))
    one = max(1, near) if random.random() < 0.6 else 1 + int(top * random.random())
    alike = random.random() < 0.5
    return tuple(
        Request(
            size=one if alike else max(1, int(one * random.random() * 1.5)),
            caps=random.choice((0, 0, 0, 4, 8, 0x804)),
        )
        for _ in range(random.randint(1, 12))
    )


@pytest.mark.cells(1)
@pytest.mark.parametrize("allocator", ALLOCATORS)
def test_no_answer_contradicts_the_device(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    decided = requested = 0
    for _ in range(4):
        device = random_device(random, allocator, holes=random.choice((1, 2, 6)))
        seen = view(device.summary())
        assert allocator in [one.allocator for one in seen.views] or allocator == "idf-4.3.2"
        for _ in range(3):
            requests = random_requests(random, device)
            result = outlook(seen.state, seen.memory, seen.views, requests)
            for order in (False, True):
                served, rows = truth(device, requests, lowest_first=order)
                for answer, one in zip(result.requests, served, strict=True):
                    assert agrees(answer, one), (device, requests, answer)
                for left, row in zip(result.left, rows, strict=True):
                    assert left is not None
                    assert left.free is not None
                    assert left.free[0] <= row.reported_free <= left.free[1]
                    assert left.largest[0] <= row.largest_reported <= left.largest[1]
                    assert left.allocatable[0] <= row.largest_allocatable <= left.allocatable[1]
            decided += sum(one.answer != Reply.DEPENDS for one in result.requests)
            requested += len(requests)
    print(f"{allocator}: {decided} of {requested} requests decided")
    assert decided > requested / 2


@pytest.mark.cells(1)
@pytest.mark.parametrize("allocator", ["idf-4.3.2", "idf-4.4.2+light", "idf-5.1", "idf-5.5"])
def test_a_dump_tells_every_answer_and_what_is_left_to_the_byte(allocator: str, seed: int) -> None:
    random = Random(f"{seed} {allocator}")
    for _ in range(10):
        device = random_device(random, allocator)
        requests = random_requests(random, device)
        seen = view(device.summary() + device.dump())
        views = [one for one in seen.views if one.allocator == allocator]
        result = outlook(seen.state, seen.memory, views, requests)
        for order in (False, True):
            served, rows = truth(device, requests, lowest_first=order)
            for answer, one in zip(result.requests, served, strict=True):
                assert agrees(answer, one), (device, requests, answer)
            for left, row in zip(result.left, rows, strict=True):
                assert left is not None
                assert left.free is not None
                assert left.free[0] <= row.reported_free <= left.free[1]
                assert left.largest[0] <= row.largest_reported <= left.largest[1]


def damaged(random: Random, text: str) -> str:
    """A number changed, or a line lost, doubled, cut or moved."""
    lines = text.splitlines()
    for _ in range(random.randint(1, 4)):
        at = random.randrange(len(lines))
        numbers = list(re.finditer(r"\b(?:0x[0-9a-f]+|\d+)\b", lines[at]))
        match random.randrange(5):
            case 0 if numbers:
                one = random.choice(numbers)
                value = random.choice((0, 1, 3, 4_294_967_295, -1, random.randrange(1 << 33)))
                lines[at] = lines[at][: one.start()] + str(value) + lines[at][one.end() :]
            case 1:
                del lines[at]
            case 2:
                lines.insert(random.randrange(len(lines)), lines[at])
            case 3:
                lines[at] = lines[at][: random.randrange(len(lines[at]) + 1)]
            case _:
                lines[at] += random.choice((" 7", "\x1b[0m", "free", "\0"))
        lines = lines or [""]
    return "\n".join(lines)


@pytest.mark.slow
def test_no_damage_to_a_log_breaks_the_answer(seed: int) -> None:
    random = Random(seed)
    for _ in range(20):
        device = random_device(random, random.choice(ALLOCATORS), holes=3)
        text = damaged(random, random.choice((device.summary(), device.dump())) + device.summary())
        reading = LogReading()
        read_log([text.encode()], reading)
        chip = random.choice(("esp32", "esp32c6", None))
        seen = view_of(reading, device_of(reading, chip=chip))
        if seen is not None:
            requests = random_requests(random, device)
            result = outlook(seen.state, seen.memory, seen.views, requests)
            assert len(result.requests) == len(requests)


def test_the_smallest_regions_have_a_heap_or_none() -> None:
    """A region of 240 bytes has room for one block that keeps its task, and for no
    hole beside it."""
    for name in allocators_of("", tracking=True):
        for size in range(16, 400, 4):
            region = Region(start=0x3FFB_0000, size=size, kind="DRAM", caps=DRAM, allocator=name)
            try:
                heap = HoleHeap(region, MallocRule(small=MALLOC), 0)
            except StatusError:
                continue
            assert heap.smallest <= max(heap.whole, 16), (name, size)
            assert heap.least(Request(size=1)) in (None, *range(heap.whole + 1)), (name, size)
