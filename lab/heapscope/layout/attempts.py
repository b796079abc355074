"""In which order regions are tried: ESP-IDF's heap_caps_malloc, as the native library does it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.layout import capabilities
from heapscope.layout.layout import Layout, Region

__all__ = ["Attempt", "attempts", "malloc_attempts", "tried"]

PRIORITIES = 3


@dataclass(frozen=True, kw_only=True)
class Attempt:
    """One heap that is asked. A region may be asked once at each priority."""

    priority: int
    index: int  # of the region in the layout
    region: Region


def attempts(layout: Layout, caps: int) -> tuple[Attempt, ...]:
    """What a request with these capabilities tries, in turn, until one has a block. Empty: it fails
    without asking. Regions too small for a heap are skipped by the replay, and listed here."""
    return tried(layout.regions, caps)


def malloc_attempts(layout: Layout, size: int) -> tuple[Attempt, ...]:
    """The same for malloc(size), its fallback included."""
    rule = layout.malloc
    first = rule.small if size <= rule.threshold else rule.large
    fallback = tried(layout.regions, rule.fallback) if rule.fallback else ()
    return tried(layout.regions, first) + fallback


def tried(regions: tuple[Region, ...], caps: int) -> tuple[Attempt, ...]:
    """A region is asked at a priority if it shares a bit with the request there and has all of its
    bits over the three. EXEC is to be had in words only, so it adds 32BIT and excludes the rest."""
    if caps & capabilities.EXEC:
        if caps & (capabilities.EIGHT_BIT | capabilities.DMA):
            return ()
        caps |= capabilities.WORD
    return tuple(
        Attempt(priority=priority, index=index, region=region)
        for priority in range(PRIORITIES)
        for index, region in enumerate(regions)
        if region.caps[priority] & caps and region.all_caps & caps == caps
    )
