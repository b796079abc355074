"""Pools of a trace, replayed natively (lab/native/pools/pools.h)."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.native.events import Events
from heapscope.native.library import ffi, load
from heapscope.native.status import check
from heapscope.native.structs import Struct, values

POOL_SIZES_MAX = 32  #: HS_LAB_POOL_SIZES_MAX

Series = NDArray[np.uint64]


@dataclass(frozen=True, kw_only=True)
class PoolRule:
    """hs_lab_pool_rule_t: bytes. `follow`: it is not known how these pools grow; they do so as
    recorded, and no other sizes can be tried."""

    follow: bool = True
    pool: int = 0
    block: int = 0
    align: int = 1
    sizes: tuple[int, ...] = ()  # of first blocks, ascending; at most POOL_SIZES_MAX


@dataclass(frozen=True, kw_only=True)
class PoolRun:
    """Bytes after each event, and what was counted."""

    allocated: Series
    used: Series
    totals: Struct


def replay_pools(
    events: Events,
    chosen: NDArray[np.uint8],
    rule: PoolRule,
    *,
    initial: int = 0,
    increment: int = 0,
) -> PoolRun:
    """The pools with `chosen[index]`, with these sizes (initial 0: as recorded). StatusError: sizes
    that no pool of this rule can have."""
    allocated, used = (np.zeros(len(events), np.uint64) for _ in range(2))
    lib = load()
    reported = vars(rule) | {"sizes": len(rule.sizes), "size": rule.sizes}
    out = ffi.new("hs_lab_pool_totals_t *")
    events = np.ascontiguousarray(events)
    status = lib.hs_lab_pools_replay(
        ffi.from_buffer("hs_lab_event_t[]", events),
        len(events),
        ffi.from_buffer("uint8_t[]", np.ascontiguousarray(chosen)),
        len(chosen),
        initial,
        increment,
        ffi.new("hs_lab_pool_rule_t *", reported),
        ffi.from_buffer("uint64_t[]", allocated),
        ffi.from_buffer("uint64_t[]", used),
        out,
    )
    check(status, f"pools of {initial} and {increment} bytes")
    return PoolRun(allocated=allocated, used=used, totals=values(out))
