"""Heaps in a given state, without a trace."""

from __future__ import annotations

from dataclasses import replace

import pytest

from heapscope.native.config import HeldBlock, NativeConfig, NativeRegion
from heapscope.native.state import NativeState
from heapscope.native.status import Status, StatusError

START = 0x3FFB_0000
CAPS = (0x1804, 0, 0)


def region(*blocks: HeldBlock, start: int = START, allocator: str = "idf-5.5") -> NativeRegion:
    return NativeRegion(
        start=start, size=65_536, caps=CAPS, kind=0, allocator=allocator, blocks=blocks
    )


def config(*regions: NativeRegion) -> NativeConfig:
    return NativeConfig(regions=regions, malloc_small_caps=0x1800)


def test_blocks_are_taken_as_they_are_and_requests_follow() -> None:
    with NativeState(config(region())) as fresh:
        (whole,) = fresh.blocks(0)
    used = HeldBlock(whole.address, 132, True)  # malloc alone would make a block of 136 bytes
    hole = HeldBlock(used.address + 136, 1000, False)
    last = HeldBlock(hole.address + 1004, whole.size - 136 - 1004, True)
    with NativeState(config(region(used, hole, last))) as state:
        assert state.blocks(0) == (used, hole, last)
        (row,) = state.regions()
        assert (row.free, row.free_blocks, row.used_blocks) == (1000, 1, 2)
        assert (row.largest_free, row.largest_allocatable, row.largest_reported) == (1000, 992, 992)
        assert row.reported_free == row.reported_minimum_free == 1000 + 8
        assert state.request(993).region is None
        served = state.request(500)
        assert (served.region, served.address, served.held) == (0, hole.address, 512)
        assert state.regions()[0].free == 1000 - 516


def test_a_request_may_be_built_from_one_region_alone() -> None:
    second = 0x3FFC_0000
    with NativeState(config(region(), region(start=second))) as state:
        assert state.request(100).region == 0
        assert state.request(100, regions=0b10).region == 1
        assert state.request(100, caps=1 << 10).region is None  # nothing has SPIRAM


def test_task_tracking_takes_a_block_more_for_each_that_a_program_gets() -> None:
    second = 0x3FFC_0000
    regions = (
        region(allocator="idf-5.5+track"),
        replace(region(start=second, allocator="idf-5.5+track"), size=131_072),
    )
    with NativeState(config(*regions)) as state:
        for number in (1, 2):
            assert state.request(100).region == 0
            assert [row.used_blocks for row in state.regions()] == [number, number]
        assert state.request(100, regions=0b10).region == 1  # the heap itself: nobody lists it
        assert [row.used_blocks for row in state.regions()] == [2, 3]


@pytest.mark.parametrize(
    ("blocks", "status"),
    [
        ([HeldBlock(START, 100, True)], Status.FORMAT),  # not where the heap begins
        ([HeldBlock(START + 808, 100, True)], Status.FORMAT),  # not to its end
        ([HeldBlock(0xFFFF_FFFF, 0xFFFF_FFFF, True)], Status.FORMAT),
        (
            [HeldBlock(START + 808, 100, False), HeldBlock(START + 912, 64_620, False)],
            Status.FORMAT,
        ),
    ],
)
def test_blocks_that_do_not_make_up_the_heap_are_refused(
    blocks: list[HeldBlock], status: Status
) -> None:
    with pytest.raises(StatusError) as caught:
        NativeState(config(region(), region(*blocks, start=START)))
    assert (caught.value.status, caught.value.where) == (status, 1)


def test_blocks_of_another_allocator_are_laid_where_they_can_be() -> None:
    used, free = HeldBlock(START + 8, 120, True), HeldBlock(START + 136, 65_392, False)
    with NativeState(config(region(used, free, allocator="heap_4"))) as state:
        assert state.blocks(0) == (used, free)
    for blocks in ([used], [used, free._replace(size=65_384)]):
        with pytest.raises(StatusError) as caught:
            NativeState(config(region(*blocks, allocator="heap_4")))
        assert (caught.value.status, caught.value.where) == (Status.FORMAT, 0)
