"""One pool with one allocator and nothing else: for like with like."""

from __future__ import annotations

from collections.abc import Callable

from heapscope.base.capabilities import ALL, DEFAULT, INTERNAL
from heapscope.base.errors import InputError
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import Layout, MallocRule, Region

POOL_BASE = 0x2000_0000  #: 4096-aligned, as the oracles' pools are; SRAM of a Cortex-M
POOL_MIN = 64
POOL_MAX = 1 << 30


def pool_layout(size: int, allocator: str = "idf-5.5") -> Layout:
    """A single region "pool" with every capability."""
    if not POOL_MIN <= size <= POOL_MAX:
        raise InputError(
            f"a pool of {size} bytes cannot be replayed",
            remedy=f"give {POOL_MIN} to {POOL_MAX} bytes",
        )
    name = parse_allocator(allocator)
    region = Region(start=POOL_BASE, size=size, kind="pool", caps=(ALL, 0, 0), allocator=name)
    return Layout(
        name=f"one pool of {size:,} bytes, {name}",
        regions=(region,),
        malloc=MallocRule(small=DEFAULT | INTERNAL),
        source="--pool",
    )


def last_that_works(bad: int, good: int, works: Callable[[int], bool], *, step: int) -> int:
    """By bisection: the last multiple of `step` that works on the way from the size `good` to the
    size `bad`."""
    while abs(good - bad) > step:
        middle = (good + bad) // 2 // step * step
        bad, good = (bad, middle) if works(middle) else (middle, good)
    return good
