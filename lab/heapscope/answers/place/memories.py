"""The memories that rules can send a block to, and what a block takes of one."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from heapscope.base import capabilities
from heapscope.memory.layout.layout import Layout, Region
from heapscope.native.library import fixed_memory
from heapscope.native.reader import NativeReader
from heapscope.native.single_heap import fill
from heapscope.simulation.replay.config import native_config

INNER = capabilities.INTERNAL | capabilities.EIGHT_BIT  #: what "free internal memory" counts

#: Processor cycles that a byte costs there, against none in internal memory. PSRAM: a line of 32
#: bytes over its bus of 40 MB/s, at 240 MHz. IRAM as bytes: the most that ESP-IDF names for one
#: access, in the help of CONFIG_ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY.
PSRAM_CYCLES = 6
IRAM_CYCLES = 167
_TRIED = (
    1 << 18
)  # size of the scratch heap used to measure per-block overhead (at least four blocks)


@dataclass(frozen=True, kw_only=True)
class FixedPool:
    """A pool of `count` blocks of `block` bytes (device/include/heapscope/fixed.h), whose memory is
    taken from the region `source`."""

    name: str
    block: int
    alignment: int
    source: str
    count: int = 0

    @property
    def memory(self) -> int:
        """Bytes that it takes."""
        return fixed_memory(self.count, self.block, self.alignment) if self.count else 0


@dataclass(frozen=True, kw_only=True)
class PlaceTarget:
    """Regions under one name. `weight`: a byte there, against one in PSRAM; 0: it is fast.
    `room`: bytes free in them before the first event. `pool`: there are no regions yet, but a pool
    of fixed blocks can be made."""

    name: str
    regions: tuple[int, ...]
    weight: float
    room: int
    caps: int  # that all of them have
    pool: FixedPool | None = None


def start_room(layout: Layout) -> tuple[int, ...]:
    """Free bytes of each region before the first event."""
    config = native_config(layout, needs=(), capsets=(), buckets=0)
    with NativeReader(config) as reader:
        return tuple(int(row.free) if row.has_heap else 0 for row in reader.regions())


def targets(layout: Layout, room: tuple[int, ...]) -> tuple[PlaceTarget, ...]:
    """Each internal region whose bytes can be used, then each kind of slow memory."""
    place_targets: list[PlaceTarget] = []
    kinds: dict[str, list[int]] = {}
    for index, region in enumerate(layout.regions):
        if room[index] == 0 or region.word_only:
            continue
        if weight_of(region) == 0:
            if region.all_caps & INNER == INNER:
                place_targets.append(_target(layout, region.name, [index], room))
        else:
            kinds.setdefault(region.kind, []).append(index)
    place_targets += [_target(layout, kind, indices, room) for kind, indices in kinds.items()]
    return tuple(place_targets)


def _target(layout: Layout, name: str, indices: list[int], room: tuple[int, ...]) -> PlaceTarget:
    regions = [layout.regions[index] for index in indices]
    caps = capabilities.ALL
    for region in regions:
        caps &= region.all_caps
    return PlaceTarget(
        name=name,
        regions=tuple(indices),
        weight=max(map(weight_of, regions)),
        room=sum(room[index] for index in indices),
        caps=caps,
    )


def weight_of(region: Region) -> float:
    """A byte of the region against one of PSRAM; 0: it is as fast as any."""
    if region.all_caps & capabilities.EIGHT_BIT:
        outside = region.all_caps & (capabilities.SPIRAM | capabilities.INTERNAL)
        return 1.0 if outside == capabilities.SPIRAM else 0.0
    return IRAM_CYCLES / PSRAM_CYCLES


def taken(allocators: Iterable[str], sizes: np.ndarray) -> np.ndarray:
    """Bytes that a block of each size takes at least, in the one of these heaps that takes least:
    its rounding and its header are in it."""
    names = tuple(dict.fromkeys(allocators))
    each = np.array([[_taken(name, int(size)) for size in sizes] for name in names], dtype=np.int64)
    least: np.ndarray = each.reshape(len(names), -1).min(axis=0)
    return least


def least_beyond(allocators: Iterable[str]) -> int:
    """Bytes that any block takes beyond its size. It is a bound for a block that was resized: some
    heaps round a large new block up to a class of sizes, and cut a resized one at its end."""
    small = np.arange(1, 65)
    return int((taken(allocators, small) - small).min())


def _taken(allocator: str, size: int) -> int:
    space = max(_TRIED, 4 * size)
    empty = fill(allocator, base=0x3F80_0000, size=space, block=size, most=0)
    one = fill(allocator, base=0x3F80_0000, size=space, block=size, most=1)
    if empty is None or one is None or one.blocks == 0:
        return size  # it serves no such block at all
    return max(size, int(empty.free - one.free))
