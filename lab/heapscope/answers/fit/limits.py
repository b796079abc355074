"""The sizes of pool that a heap is made on, and those that have to survive for a pool to count."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.memory.layout.pool import POOL_MAX, POOL_MIN, last_that_works
from heapscope.native.steps import has_heap

STEP = 8  #: bytes; pools are multiples of it
OTHERS = 64  #: sizes above the pool's own
SHARE = 0.02  #: of the pool's size, over which they are spread

_PARTS = 50 * OTHERS  # 1 / SHARE, times OTHERS


def window(pool: int) -> tuple[int, ...]:
    """The pool's own size and, for k = 1 to 64, pool + pool * 0.02 * k / 64 with the second term
    rounded down to a multiple of 8; each once, ascending. Below 25,600 bytes 2 % has fewer than 64
    multiples of 8: then these are all of them. In whole numbers, so that no rounding of the host's
    decides."""
    return tuple(dict.fromkeys(_member(pool, k) for k in range(OTHERS + 1)))


def top(pool: int) -> int:
    """The largest of the window."""
    return _member(pool, OTHERS)


def judged_by(size: int) -> tuple[int, ...]:
    """The pools in whose windows a size is, ascending: those that fall with it."""
    results = set()
    for k in range(OTHERS + 1):
        # _member(., k) goes up with every step of the pool, so at most one pool has it as its k-th.
        near = size * _PARTS // (_PARTS + k) // STEP * STEP
        for pool in (near - STEP, near, near + STEP):
            if pool > 0 and _member(pool, k) == size:
                results.add(pool)
    return tuple(sorted(results))


def _member(pool: int, k: int) -> int:
    return pool + pool * k // (_PARTS * STEP) * STEP


TIMES = 64  #: how many times what has to be held the largest pool tried is
LEAST_TRIED = 1 << 20  #: bytes; for small traces the largest pool tried is this


@dataclass(frozen=True, kw_only=True)
class Limits:
    """Bytes, multiples of 8. Between the two there is a heap on every size."""

    least: int
    most: int
    ended: bool  # `most` is the allocator's own limit, not just the largest that is tried


def most_tried(floor: int) -> int:
    """The largest pool that is tried for a trace that has to hold `floor` bytes."""
    return min(POOL_MAX, max(LEAST_TRIED, TIMES * floor)) // STEP * STEP


def find_limits(allocator: str, base: int, highest: int) -> Limits | None:
    """A heap that fits also fits on a larger pool, up to the largest that its allocator knows; so
    both ends are found by halving. None: it makes a heap on no power of two up to `highest`."""

    def works(size: int) -> bool:
        return has_heap(allocator, base, size)

    powers = [1 << bit for bit in range(POOL_MIN.bit_length() - 1, highest.bit_length())]
    tried = [(size, works(size)) for size in (*powers, highest)]
    good = [size for size, built in tried if built]
    if not good:
        return None
    below = max((size for size, created in tried if not created and size < good[0]), default=0)
    above = min((size for size, output in tried if not output and size > good[-1]), default=0)
    least = last_that_works(below, good[0], works, step=STEP) if below else good[0]
    most = last_that_works(above, good[-1], works, step=STEP) if above else good[-1]
    return Limits(least=least, most=most, ended=bool(above))
