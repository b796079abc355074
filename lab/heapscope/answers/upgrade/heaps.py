"""The same regions with other allocators on them."""

from __future__ import annotations

from heapscope.base.errors import InputError
from heapscope.memory.layout.allocator import flavoured
from heapscope.memory.layout.layout import Layout, Region

OURS = "heapscope"  #: the name, or how it begins, of the forms of our heap


def is_ours(name: str) -> bool:
    return base_of(name).partition("-")[0] == OURS


def base_of(name: str) -> str:
    """ "idf-5.5" of "idf-5.5+light+track"."""
    return name.partition("+")[0]


def flavour_of(name: str) -> str:
    """ "+light+track" of "idf-5.5+light+track"; empty if missing."""
    return name.removeprefix(base_of(name))


def flavours(layout: Layout) -> str:
    """The flavour of the first region. The others have the same, unless a user chose allocators."""
    return flavour_of(layout.regions[0].allocator)


def with_heap(layout: Layout, allocator: str) -> Layout:
    """One allocator everywhere; our heap finds the form that a region's memory allows by itself."""
    return layout.with_allocators(lambda region: allocator)


def with_heaps_of(layout: Layout, source: Layout) -> Layout:
    """Each region with the allocator that `source` has at its place; where `source` has no memory,
    with that of its largest region."""
    largest = max(source.regions, key=lambda region: region.size)

    def allocator(region: Region) -> str:
        return next(filter(region.overlaps, source.regions), largest).allocator

    return layout.with_allocators(allocator)


def with_flavour(layout: Layout, flavour: str) -> Layout | None:
    """The same allocators built with `flavour` ("", "+light", ...); None: one has no such build."""
    try:
        return layout.with_allocators(lambda r: flavoured(base_of(r.allocator), flavour))
    except InputError:
        return None
