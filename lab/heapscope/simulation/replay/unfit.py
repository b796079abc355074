"""Why a layout cannot be set up, and what would."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.capabilities import ALL
from heapscope.base.errors import InputError
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import ADDRESS_END, Layout, MallocRule, Private, Region
from heapscope.memory.layout.pool import last_that_works
from heapscope.native.config import NativeConfig
from heapscope.native.reader import NativeReader
from heapscope.native.status import StatusError
from heapscope.simulation.replay.config import bare_region, heap_config

KINDS_MAX = 16  # HS_LAB_KINDS_MAX
TRIED_MAX = 1 << 20  # bytes; every allocator's least region is far below
STEP = 4  # sizes that are tried; regions are made of words


def check_kinds(layout: Layout) -> None:
    """InputError for more memory kinds than the library keeps apart."""
    if len(layout.kinds) > KINDS_MAX:
        raise InputError(
            f"{_source(layout)}: {len(layout.kinds)} memory kinds, at most {KINDS_MAX} are "
            f"possible: {', '.join(layout.kinds)}",
            remedy="give regions of like memory one kind",
        )


def unfit(error: StatusError, layout: Layout, config: NativeConfig) -> InputError:
    """The error for a layout that the library refused, in the layout's terms."""
    if error.where is None:
        remedy = error.remedy or "close other programs, or replay on less memory"
        return InputError(f"{_source(layout)}: {error.message}", remedy=remedy)
    region = layout.regions[error.where]
    if not region.kind.startswith("pool "):
        parse_allocator(region.allocator)  # raises for a name that the library does not know
    if region.private is not None:
        return _private_unfit(error.where, region.private, layout, config)
    why, remedy = _cause(region)
    return InputError(
        f"{_source(layout)}: region at {region.start:#010x} of {region.size:,} B "
        f"cannot hold a heap of {region.allocator}: {why}",
        remedy=remedy,
    )


def _private_unfit(
    index: int, private: Private, layout: Layout, config: NativeConfig
) -> InputError:
    """Its memory cannot be had, or it cannot hold a heap of its allocator."""
    region = layout.regions[index]
    what = f"{region.kind} of {region.size:,} B"
    plain = replace(region, caps=(ALL, 0, 0), private=None)  # memory of the same size
    if not private.own_memory and _works(plain, region.size):
        before = replace(config, regions=config.regions[:index], rules=())
        largest, where = _largest(private, layout, before)
        return InputError(
            f"{what} finds no room in {where}: the largest block that can be taken there when "
            f"start-up is over is {largest:,} B",
            remedy="make it smaller, or take it from another region",
        )
    why, remedy = _cause(plain)
    return InputError(f"{what} cannot hold a heap of {region.allocator}: {why}", remedy=remedy)


def _largest(private: Private, layout: Layout, before: NativeConfig) -> tuple[int, str]:
    """The largest block where the memory of a private heap comes from, and the name of that place.
    `before`: what is set up before the heap."""
    with NativeReader(before) as reader:
        rows = reader.regions()
        taken_from = private.taken_from
        if not taken_from:
            return reader.capsets()[0].largest_allocatable, "malloc's memory"
    names = " and ".join(layout.regions[index].name for index in taken_from)
    return max(rows[index].largest_allocatable for index in taken_from), names


def no_heap(layout: Layout) -> InputError:
    """The error for a layout in which every region was left without a heap."""
    largest = max(layout.regions, key=lambda region: region.size)
    why, remedy = _cause(largest)
    return InputError(
        f"{_source(layout)}: not one region can hold a heap; the largest, at "
        f"{largest.start:#010x} of {largest.size:,} B with {largest.allocator}: {why}",
        remedy=remedy,
    )


def _source(layout: Layout) -> str:
    return layout.source or layout.name


def _cause(region: Region) -> tuple[str, str]:
    """The fault of the region, and the remedy."""
    if region.end >= ADDRESS_END:
        return "it ends at 2^32, where no address is behind it", f"make it {STEP} bytes shorter"
    other = "or choose another allocator"
    least = _least(region)
    if least is not None:
        return "it is too small", f"make it at least {least:,} bytes, leave it out, {other}"
    most = _most(region)
    if most is not None:
        return "it is too large", f"make it at most {most:,} bytes, {other}"
    return "memory does not suffice", f"close other programs, make it another size, {other}"


def _least(region: Region) -> int | None:
    """The smallest size above the region's own at which its allocator works; None: none.

    A heap that fits also fits in a larger region, up to the largest that its allocator knows.
    """
    bad = good = max(region.size // STEP * STEP, STEP)
    while not _works(region, good):
        bad, good = good, 2 * good
        if good > TRIED_MAX or region.start + good >= ADDRESS_END:
            return None
    return last_that_works(bad, good, lambda size: _works(region, size), step=STEP)


def _most(region: Region) -> int | None:
    """The largest size below the region's own at which its allocator works; None: none."""
    bad = good = region.size // STEP * STEP
    while not _works(region, good):
        bad, good = good, good // 2 // STEP * STEP
        if not good:
            return None
    return last_that_works(bad, good, lambda size: _works(region, size), step=STEP)


def _works(region: Region, size: int) -> bool:
    """Whether the library makes a heap on the region, were it of this size."""
    alone = bare_region(replace(region, size=size))
    try:
        NativeReader(heap_config((alone,), MallocRule(small=0), request_max=0)).close()
    except StatusError:
        return False
    return True
