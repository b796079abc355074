"""Broken in what derives bounds from machine code, and in what it reads."""

from __future__ import annotations

from mutant import Mutant

BOUNDS_TEST = "tests/device/test_bounds.py"

BOUNDS = (
    Mutant(
        "bounds of the heap",
        "a loop does not state its bound",  # the comment within is left out
        "device/src/heap/bins.h::bin_least",
        "best_size = hs_at(heap, head)[HS_SIZE]; for",
        "best_size = hs_at(heap, head)[HS_SIZE]; for",
        BOUNDS_TEST,
    ),
    Mutant(
        "bounds",
        "a loop without a statement is passed once",
        "emulation/bounds.py::Bounds._limit",
        'raise CodeError(f"{source}: no bound is stated beside this loop")',
        "return Limit(1, 0, source)",
        BOUNDS_TEST,
    ),
    Mutant(
        "bounds",
        "a loop makes one round less than it may",
        "emulation/bounds_paths.py::passes_before",
        "before = max(allowed.passes - 1, 0)",
        "before = max(allowed.passes - 2, 0)",
        BOUNDS_TEST,
    ),
    Mutant(
        "bounds",
        "a call in place of a return costs nothing",
        "emulation/bounds.py::Bounds.targets",
        "return [block.calls]",
        "return [] if block.ends else [block.calls]",
        BOUNDS_TEST,
    ),
    Mutant(
        "bounds of the time with a lock",
        "the lock is given back at once",
        "emulation/bounds_held.py::Held._edges",
        "after = max(held + step, 0)",
        "after = held",
        BOUNDS_TEST,
    ),
)
