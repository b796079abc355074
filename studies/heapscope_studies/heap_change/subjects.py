"""Which allocators are compared: all that the native library has, ours among them."""

from __future__ import annotations

from heapscope.answers.upgrade.heaps import is_ours
from heapscope.memory.layout.allocator import placements
from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.library import allocator_names
from heapscope.native.single_heap import fill
from heapscope.native.structs import Struct
from heapscope_studies.data_file import read_published

__all__ = ["LIGHT", "PUBLISHED", "filled", "is_ours", "names", "plain_names"]

LIGHT = "+light"  #: with light poisoning

PUBLISHED = read_published("heap_change")


def names() -> tuple[str, ...]:
    """Ours first, then the others without poisoning, then those with it, each placement once; task
    tracking is left out, since the published builds had none, and so are tables of TLSF for sizes
    that the published pool has not."""
    plain = [name for name in placements() if "-fl" not in name]
    light = [name + LIGHT for name in plain if name + LIGHT in allocator_names()]
    return tuple(sorted([*plain, *light], key=lambda name: (not is_ours(name), name in light)))


def plain_names() -> tuple[str, ...]:
    return tuple(name for name in names() if not name.endswith(LIGHT))


def filled(name: str, block: int, *, most: int) -> Struct | None:
    """Blocks of one size in the published pool. None: no heap of this sort can be made there."""
    return fill(name, base=POOL_BASE, size=PUBLISHED["counts"]["pool"], block=block, most=most)
