"""A layout in the terms of the native library."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.memory.layout.layout import Layout, MallocRule, Region, Tenant
from heapscope.memory.layout.placement import Placement, PlacementRule
from heapscope.native.config import NativeConfig, NativeRegion, NativeRule, NativeTenant
from heapscope.simulation.replay.rule_names import rule_names
from heapscope.trace.all_names import AllNames

_TASKS = 1 << 20  #: one past the highest index of a task that a trace can have (format/SPEC.md)

#: Capability sets whose low-water marks a replay keeps, where the layout has such memory.
CAPSETS = ("DMA", "INTERNAL", "8BIT", "32BIT", "EXEC", "IRAM_8BIT", "SPIRAM")


def native_config(
    layout: Layout,
    *,
    needs: Sequence[Request],
    capsets: Iterable[int] | None,
    buckets: int,
    explain: int | None = None,
    placement: Placement | None = None,
    names: AllNames | None = None,
) -> NativeConfig:
    """malloc's own set (0) is always among the capability sets, and the first. `placement`: rules
    for this layout, which has their private heaps; `names`: of the trace, for rules that ask for
    them."""
    rules = placement or Placement(file="", rules=())
    alone = not layout.chip and len(layout.regions) == 1
    tasks, sites, heaps = rule_names(rules, names)
    kinds = layout.kinds
    sets = served_capsets(layout) if capsets is None else tuple(capsets)
    return heap_config(
        (_region(region, kinds.index(region.kind), alone=alone) for region in layout.regions),
        layout.malloc,
        layout.request_max,
        capsets=tuple(dict.fromkeys((0, *sets))),
        needs=tuple(needs),
        timeline_buckets=buckets,
        explains=explain is not None,
        explain_event=explain or 0,
        rules=tuple(map(_rule, rules.rules)),
        rule_tasks=tasks,
        rule_sites=sites,
        rule_heaps=heaps,
        tenants=tuple(_tenants(layout.tenants, names)),
    )


def heap_config(
    regions: Iterable[NativeRegion], malloc: MallocRule, request_max: int, **more: Any
) -> NativeConfig:
    """`more`: other fields of the configuration."""
    return NativeConfig(
        regions=tuple(regions),
        malloc_small_caps=malloc.small,
        malloc_threshold=malloc.threshold,
        malloc_large_caps=malloc.large,
        malloc_fallback_caps=malloc.fallback,
        request_max=request_max,
        hardware=malloc.hardware,
        **more,
    )


def bare_region(region: Region, *, kind: int = 0, **more: Any) -> NativeRegion:
    """The memory of a region and its allocator alone. `more`: other fields."""
    return NativeRegion(
        start=region.start,
        size=region.size,
        caps=region.caps,
        kind=kind,
        allocator=region.allocator,
        iram_alias=region.iram_alias,
        **more,
    )


def served_capsets(layout: Layout) -> tuple[int, ...]:
    """Those of CAPSETS that at least one region has over its three priorities."""
    masks = [capabilities.parse(name) for name in CAPSETS]
    has = [region.caps[0] | region.caps[1] | region.caps[2] for region in layout.regions]
    return tuple(mask for mask in masks if any(caps & mask == mask for caps in has))


def _tenants(tenants: Iterable[Tenant], names: AllNames | None) -> Iterator[NativeTenant]:
    """A task that the trace has by the same name is the same task."""
    first = _TASKS
    known: dict[str, int] = {}
    if names is not None:
        first = max(names.tasks.known, default=0) + 1
        known = {names.tasks[index]: index for index in {0, *names.tasks.known}}
    for tenant in tenants:
        task = known.setdefault(tenant.task, first)
        first += task == first
        yield NativeTenant(
            size=tenant.size, count=tenant.count, caps=tenant.caps, task=task, name=tenant.task
        )


def _rule(rule: PlacementRule) -> NativeRule:
    return NativeRule(
        size_min=rule.size_min,
        size_max=rule.size_max,
        regions=_bits(rule.regions),
        fallback=rule.fallback,
        high=rule.high,
    )


def _bits(indices: tuple[int, ...]) -> int:
    return sum(1 << index for index in indices)


def _in_set(region: Region) -> int:
    """hs_lab_region_t.in_set"""
    if region.private is not None:
        return 0
    return 3 if region.added else 2 if region.startup_stack else 1


def _region(region: Region, kind: int, *, alone: bool) -> NativeRegion:
    """`alone`: a pool, whose heap is not one of several."""
    return bare_region(
        region,
        kind=kind,
        startup_use=region.startup_use,
        optional=region.optional,
        private_heap=0 if region.private is None else 1 + region.private.own_memory,
        taken_from=0 if region.private is None else _bits(region.private.taken_from),
        blocks=region.blocks,
        holes=region.holes,
        in_set=0 if alone else _in_set(region),
    )
