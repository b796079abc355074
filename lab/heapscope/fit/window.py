"""The sizes that have to survive for a pool to count as large enough."""

from __future__ import annotations

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
    found = set()
    for k in range(OTHERS + 1):
        # _member(., k) goes up with every step of the pool, so at most one pool has it as its k-th.
        near = size * _PARTS // (_PARTS + k) // STEP * STEP
        for pool in (near - STEP, near, near + STEP):
            if pool > 0 and _member(pool, k) == size:
                found.add(pool)
    return tuple(sorted(found))


def _member(pool: int, k: int) -> int:
    return pool + pool * k // (_PARTS * STEP) * STEP
