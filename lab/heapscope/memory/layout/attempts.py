"""The order in which regions are tried, as ESP-IDF's heap_caps_malloc and the replay do it, and the
blocks that start-up takes in that order."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapscope.memory.layout.layout import Layout, Region
from heapscope.native.attempts import attempts as native_attempts


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One heap that is asked. A region may be asked once at each priority."""

    priority: int
    index: int  # of the region in the layout
    region: Region


def attempts(layout: Layout, caps: int) -> tuple[Attempt, ...]:
    """The attempts of a request with these capabilities: it makes them in turn until a region has a
    block. Empty: it fails without asking any region. Regions that are too small for a heap are
    listed here, and the replay skips them."""
    return tried(layout.regions, layout.malloc.caps_of(caps))


def malloc_attempts(layout: Layout, size: int) -> tuple[Attempt, ...]:
    """The same for malloc(size), its fallback included."""
    rule = layout.malloc
    first = rule.small if size <= rule.threshold else rule.large
    fallback = tried(layout.regions, rule.fallback) if rule.fallback else ()
    return tried(layout.regions, first) + fallback


def tried(regions: tuple[Region, ...], caps: int) -> tuple[Attempt, ...]:
    """The same for regions that are no layout yet. The rule is the one of the native library
    (device/src/regions/caps.h)."""
    has = [region.caps for region in regions]
    return tuple(
        Attempt(priority=priority, index=index, region=regions[index])
        for index, priority in native_attempts(has, caps)
    )


#: Bytes of a region that no block can have. The 4.2 allocator needs these, the fewest of all.
#: Another allocator needs more; the replay carries bytes that then do not fit to the next region.
_OVERHEAD = 36
_SMALLEST = 4  # bytes of a block
_MOST_CONTROL = 4096  # with a bit for each 8 bytes, more than the tables of any allocator here


def spread_startup(regions: tuple[Region, ...], *, use: int, caps: int) -> tuple[Region, ...]:
    """Gives `use` bytes to the regions that malloc (capabilities `caps`) tries, in its order, one
    block each. Regions with start-up stacks are not heaps yet at that time."""
    taken = dict.fromkeys(range(len(regions)), 0)
    left = use
    usable = (a.index for a in tried(regions, caps) if not a.region.startup_stack)
    order = list(dict.fromkeys(usable))
    for index in order:
        taken[index] = min(left, max(0, regions[index].size - _OVERHEAD) & ~3)
        left -= taken[index]
    if order:
        _carry(order, taken, regions)
        taken[order[-1]] += left  # the replay reports it as unplaced
    return tuple(replace(r, startup_use=taken[i]) for i, r in enumerate(regions))


def _carry(order: list[int], taken: dict[int, int], regions: tuple[Region, ...]) -> None:
    """The replay carries on only to regions with start-up use of their own. So where the last
    region used is nearly full, the next one is opened with the smallest block there is."""
    used = [place for place, index in enumerate(order) if taken[index] > _SMALLEST]
    if not used or used[-1] + 1 == len(order):
        return
    last, following = order[used[-1]], order[used[-1] + 1]
    if regions[last].size - taken[last] < _MOST_CONTROL + regions[last].size // 64:
        taken[last] -= _SMALLEST
        taken[following] = _SMALLEST


def regions_for(layout: Layout, caps: int) -> frozenset[int]:
    """Indices of the regions that a request with these capabilities may be served by, those without
    a heap included; caps 0: by malloc's rule, its fallback included."""
    rule = layout.malloc
    sets = (rule.small, rule.large, rule.fallback) if caps == 0 else (caps,)
    return frozenset(a.index for one in sets if one for a in tried(layout.regions, one))
