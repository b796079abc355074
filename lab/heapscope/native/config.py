"""The memory that a replay runs on, in the terms of lab.h."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, NamedTuple

from heapscope.native.library import ffi, load

ALL_RULES = (1 << 64) - 1


class HeldBlock(NamedTuple):
    """hs_lab_held_t: a block of a heap as it stands; `size`: raw payload bytes."""

    address: int
    size: int
    used: bool


@dataclass(frozen=True, kw_only=True)
class NativeRegion:
    """hs_lab_region_t."""

    start: int
    size: int
    caps: tuple[int, int, int]
    kind: int
    allocator: str
    iram_alias: bool = False
    startup_use: int = 0
    optional: bool = False
    private_heap: int = 0
    taken_from: int = 0
    in_set: int = 0
    blocks: tuple[HeldBlock, ...] = ()
    lowest_first: bool = False


@dataclass(frozen=True, kw_only=True)
class NativeRule:
    """hs_lab_rule_t."""

    size_min: int
    size_max: int
    regions: int
    fallback: bool


@dataclass(frozen=True, kw_only=True)
class NativeRuleNames:
    """hs_lab_rule_names_t: rules by bit, for each index."""

    rules: tuple[int, ...] = ()
    others: int = ALL_RULES


@dataclass(frozen=True, kw_only=True)
class NativeNeed:
    """hs_lab_need_t; caps 0: malloc's own rule."""

    size: int
    caps: int = 0


@dataclass(frozen=True, kw_only=True)
class NativeConfig:
    """hs_lab_config_t."""

    regions: tuple[NativeRegion, ...]
    malloc_small_caps: int
    malloc_threshold: int = 0xFFFF_FFFF
    malloc_large_caps: int = 0
    malloc_fallback_caps: int = 0
    request_max: int = 0
    capsets: tuple[int, ...] = ()
    needs: tuple[NativeNeed, ...] = ()
    timeline_buckets: int = 0
    explain: int | None = None  # the event to explain
    rules: tuple[NativeRule, ...] = ()
    rule_tasks: NativeRuleNames = NativeRuleNames()
    rule_sites: NativeRuleNames = NativeRuleNames()
    rule_heaps: NativeRuleNames = NativeRuleNames()


class Prepared:
    """A hs_lab_config_t with the arrays it points to, alive as long as this is."""

    def __init__(self, config: NativeConfig) -> None:
        load()  # declares the structs
        self._blocks = [ffi.new("hs_lab_held_t[]", list(r.blocks)) for r in config.regions]
        regions = map(_region, config.regions, self._blocks)
        self._regions = ffi.new("hs_lab_region_t[]", list(regions))
        self._capsets = ffi.new("uint32_t[]", list(config.capsets))
        needs = [{"size": need.size, "caps": need.caps} for need in config.needs]
        self._needs = ffi.new("hs_lab_need_t[]", needs)
        self._rules = ffi.new("hs_lab_rule_t[]", [_rule(rule) for rule in config.rules])
        names = (config.rule_tasks, config.rule_sites, config.rule_heaps)
        self._names = [ffi.new("uint64_t[]", list(one.rules)) for one in names]
        self.pointer: Any = ffi.new("hs_lab_config_t *", self._fields(config))

    def _fields(self, config: NativeConfig) -> dict[str, Any]:
        return {
            "regions": self._regions,
            "region_count": len(config.regions),
            "malloc_threshold": config.malloc_threshold,
            "malloc_small_caps": config.malloc_small_caps,
            "malloc_large_caps": config.malloc_large_caps,
            "malloc_fallback_caps": config.malloc_fallback_caps,
            "request_max": config.request_max,
            "capsets": self._capsets,
            "capset_count": len(config.capsets),
            "needs": self._needs,
            "need_count": len(config.needs),
            "timeline_buckets": config.timeline_buckets,
            "explains": int(config.explain is not None),
            "explain_event": config.explain or 0,
            "rules": self._rules,
            "rule_count": len(config.rules),
            "rule_tasks": _names(self._names[0], config.rule_tasks),
            "rule_sites": _names(self._names[1], config.rule_sites),
            "rule_heaps": _names(self._names[2], config.rule_heaps),
        }


def _rule(rule: NativeRule) -> dict[str, int]:
    return {
        "size_min": rule.size_min,
        "size_max": rule.size_max,
        "regions": rule.regions,
        "fallback": int(rule.fallback),
    }


def _names(rules: Any, names: NativeRuleNames) -> dict[str, Any]:
    return {"rules": rules, "count": len(names.rules), "others": names.others}


def _region(region: NativeRegion, blocks: Any) -> dict[str, Any]:
    return {
        "start": region.start,
        "size": region.size,
        "caps": list(region.caps),
        "kind": region.kind,
        "iram_alias": int(region.iram_alias),
        "startup_use": region.startup_use,
        "optional": int(region.optional),
        "private_heap": region.private_heap,
        "taken_from": region.taken_from,
        "in_set": region.in_set,
        "blocks": blocks,
        "block_count": len(region.blocks),
        "lowest_first": int(region.lowest_first),
        "allocator": region.allocator.encode("ascii"),
    }
