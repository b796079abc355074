"""The same regions with other allocators on them."""

from __future__ import annotations

from dataclasses import replace

from heapscope.errors import InputError
from heapscope.layout.allocator import flavoured
from heapscope.layout.layout import Layout, Region

OURS = "heapscope"  #: the name, or how it begins, of the forms of our heap


def is_ours(name: str) -> bool:
    return base_of(name).partition("-")[0] == OURS


def base_of(name: str) -> str:
    """ "idf-5.5" of "idf-5.5+light+track"."""
    return name.partition("+")[0]


def flavour_of(name: str) -> str:
    """ "+light+track" of "idf-5.5+light+track"; empty where there is none."""
    return name.removeprefix(base_of(name))


def flavours(layout: Layout) -> str:
    """The flavour of the first region. The others have the same, unless a user chose allocators."""
    return flavour_of(layout.regions[0].allocator)


def with_heap(layout: Layout, allocator: str) -> Layout:
    """One allocator everywhere; our heap finds the form that a region's memory allows by itself."""
    placed = tuple(replace(r, allocator=allocator) for r in layout.regions)
    return replace(layout, regions=placed)


def with_heaps_of(layout: Layout, source: Layout) -> Layout:
    """Each region with the allocator that `source` has at its place; where `source` has no memory,
    with that of its largest region."""
    largest = max(source.regions, key=lambda region: region.size)

    def allocator(region: Region) -> str:
        there = (r for r in source.regions if r.start < region.end and region.start < r.end)
        return next(there, largest).allocator

    regions = tuple(replace(r, allocator=allocator(r)) for r in layout.regions)
    return replace(layout, regions=regions)


def with_flavour(layout: Layout, flavour: str) -> Layout | None:
    """The same allocators built with `flavour` ("", "+light", ...); None: one has no such build."""
    try:
        regions = tuple(
            replace(r, allocator=flavoured(base_of(r.allocator), flavour)) for r in layout.regions
        )
    except InputError:
        return None
    return replace(layout, regions=regions)
