"""Layouts that cannot be set up: the cause, and a remedy that works."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace as changed
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay

MakeTrace = Callable[[str], Path]


def one_region(*, size: int, allocator: str = "idf-5.5", optional: bool = False) -> Layout:
    layout = pool_layout(4096, allocator)
    region = changed(layout.regions[0], size=size, optional=optional)
    return changed(layout, regions=(region,), source="one.toml")


def refused(trace: Path, layout: Layout) -> InputError:
    with pytest.raises(InputError) as caught:
        replay(trace, layout)
    return caught.value


def advised(error: InputError) -> int:
    match = re.search(r"at (?:least|most) ([\d,]+) bytes", error.remedy)
    assert match is not None, error.remedy
    return int(match[1].replace(",", ""))


@pytest.mark.parametrize("allocator", ["idf-4.3.2", "idf-5.5", "idf-5.5+light", "tlsf", "o1heap"])
@pytest.mark.parametrize("size", [8, 64])
def test_a_region_too_small_is_reported_the_least_size_that_works(
    trace: MakeTrace, allocator: str, size: int
) -> None:
    events = trace("a 1 1")
    error = refused(events, one_region(size=size, allocator=allocator))
    assert f"one.toml: region at 0x20000000 of {size} B" in error.message
    assert "too small" in error.message
    least = advised(error)
    replay(events, one_region(size=least, allocator=allocator))
    refused(events, one_region(size=least - 4, allocator=allocator))


@pytest.mark.parametrize("allocator", ["umm", "idf-4.3.2"])
def test_a_region_too_large_is_reported_the_largest_size_that_works(
    trace: MakeTrace, allocator: str
) -> None:
    events = trace("a 1 1")
    error = refused(events, one_region(size=1 << 24, allocator=allocator))
    assert "too large" in error.message
    most = advised(error)
    replay(events, one_region(size=most, allocator=allocator))
    refused(events, one_region(size=most + 4, allocator=allocator))


def test_a_region_up_to_the_end_of_the_address_space_is_to_be_shorter(trace: MakeTrace) -> None:
    layout = one_region(size=4096)
    at_end = changed(layout.regions[0], start=(1 << 32) - 4096)
    error = refused(trace("a 1 1"), changed(layout, regions=(at_end,)))
    assert "ends at 2^32" in error.message
    assert error.remedy == "make it 4 bytes shorter"


def test_more_memory_kinds_than_sixteen_are_named(trace: MakeTrace) -> None:
    layout = one_region(size=4096)
    first = layout.regions[0]
    regions = tuple(changed(first, start=first.start + 4096 * n, kind=f"K{n}") for n in range(17))
    error = refused(trace("a 1 1"), changed(layout, regions=regions))
    assert "17 memory kinds, at most 16 are possible: K0, K1" in error.message
    assert "one kind" in error.remedy
    replay(trace("a 1 1"), changed(layout, regions=regions[:16]))


def test_a_layout_without_a_single_heap_is_an_error_of_its_sizes(trace: MakeTrace) -> None:
    error = refused(trace("a 1 1"), one_region(size=64, optional=True))
    assert "one.toml: not one region can hold a heap" in error.message
    assert "too small" in error.message
    assert advised(error) > 64
