"""A layout in the terms of the native library."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from heapscope.layout import capabilities
from heapscope.layout.layout import Layout, Region
from heapscope.native.config import NativeConfig, NativeNeed, NativeRegion

__all__ = ["CAPSETS", "Need", "native_config", "served_capsets"]

#: A request asked about: bytes and capabilities (0: malloc's own rule).
Need = tuple[int, int]

#: Capability sets whose low-water marks a replay keeps, where the layout has such memory.
CAPSETS = ("DMA", "INTERNAL", "8BIT", "32BIT", "EXEC", "IRAM_8BIT", "SPIRAM")


def native_config(
    layout: Layout,
    *,
    needs: Sequence[Need],
    capsets: Iterable[int] | None,
    buckets: int,
    explain: int | None = None,
) -> NativeConfig:
    """malloc's own set (0) is always among the capability sets, and the first."""
    kinds = layout.kinds
    sets = served_capsets(layout) if capsets is None else tuple(capsets)
    return NativeConfig(
        regions=tuple(_region(region, kinds) for region in layout.regions),
        malloc_small_caps=layout.malloc.small,
        malloc_threshold=layout.malloc.threshold,
        malloc_large_caps=layout.malloc.large,
        malloc_fallback_caps=layout.malloc.fallback,
        request_max=layout.request_max,
        capsets=tuple(dict.fromkeys((0, *sets))),
        needs=tuple(NativeNeed(size=size, caps=caps) for size, caps in needs),
        timeline_buckets=buckets,
        explain=explain,
    )


def served_capsets(layout: Layout) -> tuple[int, ...]:
    """Those of CAPSETS that at least one region has over its three priorities."""
    masks = [capabilities.parse(name) for name in CAPSETS]
    has = [region.caps[0] | region.caps[1] | region.caps[2] for region in layout.regions]
    return tuple(mask for mask in masks if any(caps & mask == mask for caps in has))


def _region(region: Region, kinds: tuple[str, ...]) -> NativeRegion:
    return NativeRegion(
        start=region.start,
        size=region.size,
        caps=region.caps,
        kind=kinds.index(region.kind),
        allocator=region.allocator,
        iram_alias=region.iram_alias,
        startup_use=region.startup_use,
        optional=region.optional,
    )
