"""Broken in the firmware of emulation/firmware, and in how the lab is held against it."""

from __future__ import annotations

from mutant import Mutant

TEST = "tests/device/test_firmware.py"

FIRMWARE = (
    Mutant(
        "addresses of a firmware",
        "a realloc is recorded with half of its size",
        "emulation/firmware/memory.c::realloc",
        "block, moved, size, 0,",
        "block, moved, size / 2, 0,",
        TEST,
    ),
    Mutant(
        "figures that a firmware prints",
        "the least that was free is what is free now",
        "emulation/firmware/proof.py::figures_of",
        "row.minimum_free_reported",
        "row.free",
        TEST,
    ),
    Mutant(
        "blocks that a late listener knows",
        "the walk takes free blocks for used ones",
        "emulation/firmware/recording.c::take_block",
        "used && (uintptr_t)block > slice->after",
        "(uintptr_t)block > slice->after",
        TEST,
    ),
    Mutant(
        "allocations in interrupts",
        "the interrupted task is said to have made them",
        "emulation/firmware/recorder_site.h::HS_RECORDER_IN_INTERRUPT",
        "kernel_in_interrupt()",
        "0",
        TEST,
    ),
    Mutant(
        "predicted change of a firmware",
        "the regions stay in their order",
        "emulation/firmware/changes.py::other_order",
        "replace(layout, regions=regions)",
        "layout",
        TEST,
    ),
)
