"""Heap states of real devices, as their users posted them: the request that failed there fails
here, and the one that was served is served, by the same region."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from heapscope.base import capabilities
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.native.events import NativeWriter, event_dtype
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

KINDS = {
    "DRAM": ("8BIT|DEFAULT", "INTERNAL|DMA|32BIT", ""),
    "D/IRAM": ("", "DMA|8BIT|INTERNAL|DEFAULT", "32BIT|EXEC"),
    "SPIRAM": ("SPIRAM|DEFAULT", "", "8BIT|32BIT"),
}
MALLOC, FREE_LIST_HEAP = 1, 36  # hs_event_kind_t; what the 4.2 allocator keeps of a region


def caps(kind: str) -> tuple[int, int, int]:
    first, second, third = (capabilities.parse(text) for text in KINDS[kind])
    return first, second, third


def with_hole(start: int, size: int, largest: int, kind: str) -> Region:
    """A region under 4.2 with one used block, and behind it one free block of `largest` bytes."""
    used = size - FREE_LIST_HEAP - (largest + 4 if largest else 0)
    return Region(
        start=start,
        size=size,
        kind=kind,
        caps=caps(kind),
        allocator="idf-4.2",
        startup_use=max(used, 0),
        optional=True,
    )


def ask(layout: Layout, path: Path, *requests: tuple[int, str]) -> ReplayResult:
    """Allocates sizes with capabilities ("" is malloc) one after the other."""
    events = np.zeros(len(requests), dtype=event_dtype())
    events["kind"] = MALLOC
    events["key"] = np.arange(len(requests))
    events["size"] = [size for size, _ in requests]
    events["caps"] = [capabilities.parse(text) if text else 0 for _, text in requests]
    with NativeWriter() as writer:
        writer.events(events)
        writer.finish()
        path.write_bytes(b"".join(writer.take()))
    return replay(path, layout)


def internal(*regions: Region) -> Layout:
    rule = MallocRule(small=capabilities.parse("DEFAULT|INTERNAL"))
    return Layout(name="case", regions=regions, malloc=rule, source="case")


def test_the_second_tls_buffer_of_a_micropython_board_finds_no_place(tmp_path: Path) -> None:
    """micropython issue 5303: 45936 bytes free in all, one region with 26716 in a piece."""
    layout = internal(
        with_hole(0x3FFAFF10, 240, 0, "DRAM"),
        with_hole(0x3FFB6388, 7288, 0, "DRAM"),
        with_hole(0x3FFB9A20, 16648, 0, "DRAM"),
        with_hole(0x3FFCC870, 79760, 26716, "DRAM"),
        with_hole(0x3FFE0440, 15072, 15036, "D/IRAM"),
        with_hole(0x3FFE4350, 113840, 4092, "D/IRAM"),
    )
    result = ask(layout, tmp_path / "t.hst", (16717, ""), (16717, ""), (4429, ""))
    served = {region.start: region.allocations for region in result.regions if region.allocations}
    assert served == {0x3FFCC870: 2}  # the first buffer, and the smaller one that was its fix
    failure = result.failures[0]
    assert (failure.event, failure.size) == (1, 16717)
    assert failure.free == 26716 - 16720 - 4 + 15036 + 4092
    assert failure.largest_allocatable == 15036


def test_a_tlsf_region_serves_its_reported_largest_block_and_no_more(tmp_path: Path) -> None:
    """micropython issue 8940: 112208 free in a piece, 110592 reported, 110592 served, 1612 left."""
    region = Region(
        start=0x3FFE4350,
        size=112208 + 8 + 852 + 20,  # the pool's own words, the tables, the heap structure
        kind="D/IRAM",
        caps=caps("D/IRAM"),
        allocator="idf-5.5",
    )
    more = ask(internal(region), tmp_path / "more.hst", (110593, ""))
    assert more.summary.failures == 1
    assert more.regions[0].largest_free == 112208
    assert more.regions[0].largest_reported == 110592
    served = ask(internal(region), tmp_path / "served.hst", (110592, ""))
    assert served.summary.failures == 0
    assert served.regions[0].free == 1612


def test_36000_bytes_fail_with_100_kb_free(tmp_path: Path) -> None:
    """esp-idf issue 13588: the sum of the free bytes says nothing; the largest piece has 34000."""
    layout = internal(
        with_hole(0x3FC98000, 200 * 1024, 34000, "DRAM"),
        with_hole(0x3FCE0000, 20 * 1024, 20 * 1024 - 40 - 100, "DRAM"),
        with_hole(0x3FCF0000, 32 * 1024, 32 * 1024 - 40 - 100, "DRAM"),
    )
    result = ask(layout, tmp_path / "t.hst", (36000, ""), (34000, ""))
    assert [failure.size for failure in result.failures] == [36000]


def test_a_stack_fails_in_internal_memory_with_megabytes_free_outside(tmp_path: Path) -> None:
    """esp-idf issue 5783: 3112 bytes left inside, 2136 in a piece, 3.2 MB in PSRAM."""
    layout = internal(
        with_hole(0x3F804AD4, 4175144, 3248820, "SPIRAM"),
        with_hole(0x3FFB2730, 15448, 0, "DRAM"),
        with_hole(0x3FFB9A20, 16648, 40, "DRAM"),
        with_hole(0x3FFE4350, 113840, 2136, "D/IRAM"),
    )
    stack = (3072, "INTERNAL|8BIT")
    result = ask(layout, tmp_path / "t.hst", stack, (3072, "DEFAULT"), (2136, "INTERNAL|8BIT"))
    assert [failure.event for failure in result.failures] == [0]
    assert [region.allocations for region in result.regions] == [1, 0, 0, 1]
