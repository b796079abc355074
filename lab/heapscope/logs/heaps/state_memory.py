"""The memory that a state's heaps lie in: what each may serve, and how requests find them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from heapscope.base import capabilities
from heapscope.base.request import Request
from heapscope.logs.reader.logged_memory import LoggedMemory, RegionKind, known_chip
from heapscope.logs.reader.state import HeapState, StateRegion
from heapscope.memory.layout.attempts import tried
from heapscope.memory.layout.build import THRESHOLD
from heapscope.memory.layout.layout import MallocRule, Region

_PLAIN = capabilities.DEFAULT | capabilities.INTERNAL
_POOL = "DMA pool"


@dataclass(frozen=True, kw_only=True)
class StateMemory:
    """`regions`: those of the state, in their order, without an allocator yet. `rules`: the ways in
    which malloc may find them, one where that is known. `known`: the chip is."""

    regions: tuple[Region, ...]
    rules: tuple[MallocRule, ...]
    request_max: int
    known: bool
    caps: int | None  # that every printed region has
    logged: LoggedMemory
    psram: int = 0  # bytes of it that the start added to the heap, where no region of it is printed

    def order(self, request: Request, rule: MallocRule) -> tuple[int, ...]:
        """The regions that it asks, in turn."""
        return tuple(dict.fromkeys(self._order(request, rule)))

    def _order(self, request: Request, rule: MallocRule) -> list[int]:
        if self.request_max and request.size > self.request_max:
            return []
        first = rule.small if request.size <= rule.threshold else rule.large
        own = rule.caps_of(request.caps)
        sets = [own] if own else [first, *([rule.fallback] * bool(rule.fallback))]
        return [attempt.index for caps in sets for attempt in tried(self.regions, caps)]

    def may_miss(self, request: Request, rule: MallocRule) -> bool:
        """Whether memory that was not printed, as it lacks a capability, may serve it."""
        if self.caps is None:
            return True
        last = rule.small if 0 < self.psram < request.size else rule.fallback or rule.small
        caps = rule.caps_of(request.caps) or last
        return self.logged.others_may_serve(caps, self.caps)


def memory_of(state: HeapState, chip: str, idf: str, *, psram: int = 0) -> StateMemory:
    """`chip`, `idf`: as the log tells them, or empty; `psram`: bytes of it that the start added to
    the heap. Without a chip every region is taken to serve malloc, since it was printed among the
    others."""
    data = known_chip(chip) if chip else None
    memory = LoggedMemory(data, idf)
    kinds = memory.kinds(state.regions)
    regions = tuple(
        _region(region, kind, state.caps) for region, kind in zip(state.regions, kinds, strict=True)
    )
    version = memory.version
    plain = MallocRule(small=_PLAIN)
    if version is not None:
        plain = MallocRule(small=version.malloc, hardware=version.hardware)
    if any(region.all_caps & capabilities.SPIRAM for region in regions):
        psram = 0
    return StateMemory(
        regions=regions,
        rules=_rules(regions, plain, psram),
        request_max=0 if data is None else data.request_max,
        known=data is not None,
        caps=state.caps,
        logged=memory,
        psram=psram,
    )


def _region(region: StateRegion, kind: RegionKind, printed: int | None) -> Region:
    assumed = _PLAIN | capabilities.parse("8BIT|32BIT") | (printed or 0)
    return Region(
        start=region.start,
        size=region.size,
        kind=kind.name or "heap",
        caps=region.caps or kind.caps or (assumed, 0, 0),
        allocator="",
        iram_alias=kind.iram_alias,
        holes=region.holes,
    )


def external_rule(plain: MallocRule, *, threshold: int) -> MallocRule:
    """malloc where PSRAM is its memory too."""
    return replace(
        plain,
        threshold=threshold,
        large=capabilities.DEFAULT | capabilities.SPIRAM,
        fallback=capabilities.DEFAULT,
    )


def _rules(regions: Sequence[Region], plain: MallocRule, psram: int) -> tuple[MallocRule, ...]:
    """PSRAM is malloc's where start-up kept a pool of internal memory back; without one it may be
    or not."""
    external = external_rule(plain, threshold=THRESHOLD)
    if any(region.kind == _POOL for region in regions):
        return (external,)
    if psram or any(region.all_caps & capabilities.SPIRAM for region in regions):
        return (plain, external)
    return (plain,)
