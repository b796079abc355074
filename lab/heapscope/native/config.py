"""The memory that a replay runs on, in the terms of lab.h."""

from __future__ import annotations

import functools
from collections.abc import Callable
from dataclasses import dataclass, is_dataclass
from typing import Any, NamedTuple

from heapscope.base.request import Request
from heapscope.native.library import ffi, load
from heapscope.native.status import Status, StatusError

ALL_RULES = (1 << 64) - 1
_NO_REGION = 0xFFFF_FFFF


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
    holes: tuple[int, ...] = ()


@dataclass(frozen=True, kw_only=True)
class NativeRule:
    """hs_lab_rule_t."""

    size_min: int
    size_max: int
    regions: int
    fallback: bool
    high: bool = False


@dataclass(frozen=True, kw_only=True)
class NativeRuleName:
    """hs_lab_rule_name_t: rules by bit."""

    index: int
    rules: int


@dataclass(frozen=True, kw_only=True)
class NativeRuleNames:
    """hs_lab_rule_names_t: the rules of some indices, and of all others."""

    names: tuple[NativeRuleName, ...] = ()
    others: int = ALL_RULES


@dataclass(frozen=True, kw_only=True)
class NativeTenant:
    """hs_lab_tenant_t."""

    size: int
    count: int
    caps: int
    task: int
    name: str


@dataclass(frozen=True, kw_only=True)
class NativeHardware:
    """hs_lab_hardware_t: alignments in bytes; 0 in `internal`: no such rule."""

    internal: int = 0
    external: int = 0
    axi: int = 0
    simd: int = 0
    encrypted: int = 0


NO_ALIGNMENTS = NativeHardware()


@dataclass(frozen=True, kw_only=True)
class NativeConfig:
    """hs_lab_config_t."""

    regions: tuple[NativeRegion, ...]
    malloc_small_caps: int
    malloc_threshold: int = 0xFFFF_FFFF
    malloc_large_caps: int = 0
    malloc_fallback_caps: int = 0
    request_max: int = 0
    hardware: NativeHardware = NO_ALIGNMENTS
    capsets: tuple[int, ...] = ()
    needs: tuple[Request, ...] = ()
    timeline_buckets: int = 0
    explains: bool = False
    explain_event: int = 0
    rules: tuple[NativeRule, ...] = ()
    rule_tasks: NativeRuleNames = NativeRuleNames()
    rule_sites: NativeRuleNames = NativeRuleNames()
    rule_heaps: NativeRuleNames = NativeRuleNames()
    tenants: tuple[NativeTenant, ...] = ()


class Prepared:
    """A hs_lab_config_t with the arrays it points to, alive as long as this is."""

    def __init__(self, config: NativeConfig) -> None:
        load()  # declares the structs
        self._kept: list[Any] = []
        kind = ffi.typeof("hs_lab_config_t")
        self.pointer: Any = ffi.new("hs_lab_config_t *", self._fields(config, kind))

    def _fields(self, record: Any, kind: Any) -> dict[str, Any]:
        """The record as cffi takes it for the struct `kind`, whose bytes are 0 before. An array
        stands beside its count."""
        built: dict[str, Any] = {}
        types = _field_types(kind)
        for name, value in vars(record).items():
            if not value:
                continue
            field = types[name]
            if field.kind == "pointer":
                rows = [self._value(one, field.item) for one in value]
                self._kept.append(ffi.new(ffi.getctype(field.item, "[]"), rows))
                built[name], built[f"{name.removesuffix('s')}_count"] = self._kept[-1], len(rows)
            else:
                built[name] = self._value(value, field)
        return built

    def _value(self, value: Any, kind: Any) -> Any:
        if isinstance(value, int):
            return value  # most are
        if isinstance(value, str):
            return value.encode("ascii")
        return self._fields(value, kind) if is_dataclass(value) else value


@functools.cache
def _field_types(kind: Any) -> dict[str, Any]:
    return {name: field.type for name, field in kind.fields}


def set_up(make: Callable[..., Any], config: Any, *, what: str) -> Any:
    """The native object of `make(config, status, where)`. StatusError: it cannot be built; its
    `where` is the region at fault."""
    status, where = ffi.new("int *"), ffi.new("uint32_t *", _NO_REGION)
    built = make(config, status, where)
    if built == ffi.NULL:
        region = None if where[0] == _NO_REGION else int(where[0])
        code = status[0] or Status.MEMORY
        raise StatusError(f"{what} cannot be set up", status=code, where=region)
    return built
