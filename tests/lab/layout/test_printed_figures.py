"""The allocator that printed a heap summary is among those that its figures leave, to the byte."""

from __future__ import annotations

import random

import pytest

from heapscope.memory.layout.printed_figures import (
    FLAVOURS,
    Printer,
    RegionFigures,
    printers,
    prints,
    table_bytes,
)
from heapscope.native.config import HeldBlock, NativeConfig, NativeRegion
from heapscope.native.library import allocator_names
from heapscope.native.state import NativeState

START = 0x3FFB_0000
CAPS = (0x1804, 0, 0)
NAMES = [
    name
    for name in allocator_names()
    if name.startswith("idf-") and "+" not in name and not name.endswith("-host")
]
SIZES = (6_432, 15_072, 22_308, 113_840, 250_004)


def config(allocator: str, size: int, blocks: tuple[HeldBlock, ...] = ()) -> NativeConfig:
    region = NativeRegion(
        start=START, size=size, caps=CAPS, kind=0, allocator=allocator, blocks=blocks
    )
    return NativeConfig(regions=(region,), malloc_small_caps=0x1800)


def printed(allocator: str, size: int, random: random.Random) -> RegionFigures:
    """A heap with some blocks and holes, as the release prints it."""
    with NativeState(config(allocator, size)) as state:
        for _ in range(random.randrange(12)):
            state.request(random.randrange(1, size // 10))
        blocks = state.blocks(0)
    with NativeState(config(allocator, size, tuple(holed(blocks, random)))) as state:
        (row,) = state.regions()
    return RegionFigures(
        size=size,
        free=row.reported_free,
        used=row.reported_allocated,
        used_blocks=row.used_blocks,
        free_blocks=row.free_blocks,
        largest=row.largest_reported,
    )


def holed(blocks: tuple[HeldBlock, ...], random: random.Random) -> list[HeldBlock]:
    """Some used blocks become holes; holes side by side are one."""
    held_blocks: list[HeldBlock] = []
    for block in blocks:
        used = block.used and random.random() < 0.7
        if held_blocks and not used and not held_blocks[-1].used:
            whole = block.address + block.size - held_blocks[-1].address
            held_blocks[-1] = HeldBlock(held_blocks[-1].address, whole, False)
        else:
            held_blocks.append(HeldBlock(block.address, block.size, used))
    return held_blocks


@pytest.mark.parametrize("flavour", ["", "+light"])
@pytest.mark.parametrize("name", NAMES)
def test_the_allocator_is_among_those_that_its_figures_leave(
    name: str, flavour: str, seed: int
) -> None:
    draw = random.Random(f"{seed} {name}{flavour}")
    for _ in range(8):
        regions = [printed(name + flavour, size, draw) for size in SIZES]
        result = printers(regions)
        assert Printer(allocator=name, flavour=flavour) in result, regions
        tables = {tuple(table_bytes(one.allocator, size) for size in SIZES) for one in result}
        assert len(tables) == 1  # the bytes of the tables leave one table
        assert {FLAVOURS[one.flavour] for one in result} == {FLAVOURS[flavour]}


def test_the_rounding_of_the_largest_block_tells_the_first_tlsf() -> None:
    """Figures of one region of espressif/esp-idf#9469."""
    region = RegionFigures(
        size=129_984, free=20_836, used=107_524, used_blocks=1, free_blocks=1, largest=16_384
    )
    assert {one.allocator for one in printers([region])} == {"idf-4.3.0"}


@pytest.mark.parametrize("field", ["free", "used", "used_blocks"])
def test_a_figure_that_is_wrong_leaves_no_allocator(field: str) -> None:
    right = RegionFigures(
        size=113_840, free=45_764, used=67_200, used_blocks=1, free_blocks=1, largest=45_056
    )
    assert "idf-5.1" in {one.allocator for one in printers([right])}
    values = {**vars(right), field: getattr(right, field) + 2}
    assert printers([RegionFigures(**values)]) == ()


def test_a_region_that_an_allocator_refuses_was_not_printed_by_it() -> None:
    region = RegionFigures(size=240, free=8, used=4, used_blocks=1, free_blocks=1)
    assert table_bytes("idf-4.4.2", 240) is None
    assert not prints(Printer(allocator="idf-4.4.2"), region)
    assert printers([]) == ()
