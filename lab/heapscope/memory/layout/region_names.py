"""Regions by the names under which they are shown: "0x3ffb0000 DRAM", an address, or a kind."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.layout.allocator import parse_allocator
from heapscope.memory.layout.layout import Layout


def find_regions(layout: Layout, text: str) -> tuple[int, ...]:
    """Indices of the regions that a user means, in list order; a kind means all regions of it.
    InputError lists the valid names and points to the nearest."""
    wanted = " ".join(text.lower().split())
    address = _address(wanted)
    results = tuple(
        index
        for index, region in enumerate(layout.regions)
        if wanted in (region.name.lower(), region.kind.lower()) or region.start == address
    )
    if results:
        return results
    names = [*layout.kinds, *(region.name for region in layout.regions)]
    known = {name.lower(): name for name in names}
    near = did_you_mean(wanted, known)
    raise InputError(
        f"unknown region '{printable(text)}'",
        remedy=f"{near}valid: {', '.join(names)}",
    )


def with_allocators(layout: Layout, text: str) -> Layout:
    """ "idf-4.2,D/IRAM=tlsf": a name alone is for all regions; what stands later counts."""
    for part in text.split(","):
        where, equals, name = part.rpartition("=")
        chosen = find_regions(layout, where) if equals else range(len(layout.regions))
        allocator = parse_allocator(name)
        regions = tuple(
            replace(region, allocator=allocator) if index in chosen else region
            for index, region in enumerate(layout.regions)
        )
        layout = replace(layout, regions=regions)
    return layout


def _address(text: str) -> int | None:
    try:
        return int(text, 0)
    except ValueError:
        return None
