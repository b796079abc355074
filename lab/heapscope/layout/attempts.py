"""In which order regions are tried: ESP-IDF's heap_caps_malloc, as the replay does it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.layout.layout import Layout, Region
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
    return tried(layout.regions, caps)


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
