"""Counts of the blocks that fit into a pool, and of the bytes that the heap keeps for itself."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from emulation.build import build_image, code_sizes
from emulation.run import EmulatedHeap, Form
from emulation.targets import TARGETS, Target

from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.single_heap import UNTIL_FULL, fill

__all__ = ["CONTROL_POOLS", "DENSITY_POOL", "FREE_POOLS", "SIZES", "control", "density", "sizes"]

DENSITY_POOL = 250_000
SIZES = (4, 8, 16, 24, 32, 64, 128, 256, 512)
CONTROL_POOLS = (4096, 262_144)
FREE_POOLS = (2048, 4096, 16384)

#: Our heap by the models' names: how it is made.
OWN = {
    "heapscope": (Form.AUTO, 0),
    "heapscope-16": (Form.AUTO, 16),
    "heapscope-wide": (Form.WIDE, 0),
}

INFO = 0x4000_0000  # where the emulated heap writes what it says of itself
#: hs_heap_info_t, whose fields are words on every target.
INFO_FIELDS = ("total", "control", "bitmap", "free")


def density(names: Sequence[str]) -> dict[str, Any]:
    """For each allocator's model, and for our heap itself: blocks by size, and free bytes at the
    start, as it says and in truth. Missing: it makes no heap of that size."""
    rows: dict[str, Any] = {}
    for name in names:
        empty = fill(name, base=POOL_BASE, size=DENSITY_POOL, block=1, most=0)
        if empty is None:
            continue
        blocks = {}
        for size in SIZES:
            full = fill(name, base=POOL_BASE, size=DENSITY_POOL, block=size, most=UNTIL_FULL)
            assert full is not None
            blocks[str(size)] = full.blocks
        rows[name] = {"reported": empty.reported_free, "free": empty.free, "blocks": blocks}
    return rows


def control(names: Sequence[str]) -> dict[str, Any]:
    """Bytes of control data by size of the pool; our own without the bitmap, which is counted
    apart. None: it makes no heap of that size."""
    rows: dict[str, Any] = {}
    for name in names:
        begun = {size: _empty(name, size) for size in (*CONTROL_POOLS, *FREE_POOLS)}
        rows[name] = {
            "control": {str(s): begun[s] and begun[s]["control"] for s in CONTROL_POOLS},
            "free": {str(s): begun[s] and begun[s]["free"] for s in FREE_POOLS},
            "bitmap": {},
        }
    for name, (form, alignment) in OWN.items():
        if name not in rows:
            continue
        chip = TARGETS["x86-32"]
        reported = {size: describe(chip, size, form, alignment) for size in CONTROL_POOLS}
        rows[name]["control"] = {str(size): row["control"] for size, row in reported.items()}
        rows[name]["bitmap"] = {str(size): row["bitmap"] for size, row in reported.items()}
    return rows


def _empty(name: str, size: int) -> dict[str, int] | None:
    row = fill(name, base=POOL_BASE, size=size, block=1, most=0)
    return None if row is None else {"control": row.control, "free": row.free}


def describe(target: Target, size: int, form: Form, alignment: int = 0) -> dict[str, int]:
    """The figures of a new heap on a chip."""
    image = build_image(target)
    heap = EmulatedHeap(target, image, size, form=form, alignment=alignment, counted=False)
    heap.machine.map(INFO, 64)
    heap.machine.call("hs_heap_info", heap.heap, INFO)
    data = heap.machine.read(INFO, 4 * len(INFO_FIELDS))
    words = [int.from_bytes(data[i : i + 4], "little") for i in range(0, len(data), 4)]
    return dict(zip(INFO_FIELDS, words, strict=True))


def sizes(targets: Sequence[Target]) -> dict[str, dict[str, int]]:
    """Bytes of code and constants of each of the heap's files, optimised for size."""
    return {target.name: dict(code_sizes(target)) for target in targets}
