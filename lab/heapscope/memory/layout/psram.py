"""External memory and the pool reserved for DMA: heaps that start-up adds at the list's head."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.capabilities import DEFAULT, DMA, INTERNAL, SPIRAM
from heapscope.base.errors import InputError
from heapscope.memory.layout.attempts import tried
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.memory.layout.memory import Memory

POOL_KIND = "DMA pool"

_THRESHOLD_MAX = 131072  # CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL
_POOL_MAX = 262144  # CONFIG_SPIRAM_MALLOC_RESERVE_INTERNAL
_LEAST = 65536  # a page of the memory management unit
_OVERHEAD = 2400  # most that an allocator's tables take of a region
_POOL_LEAST = 2048  # smaller chunks are not worth a heap's tables


def malloc_rule(memory: Memory, psram: Psram | None) -> MallocRule:
    """heap_caps_malloc_default: up to the threshold internal memory first, above it PSRAM, then
    whatever DEFAULT finds."""
    rule = MallocRule(small=memory.version.malloc, hardware=memory.version.hardware)
    if psram is None or psram.threshold is None:
        return rule
    return replace(rule, threshold=psram.threshold, large=DEFAULT | SPIRAM, fallback=DEFAULT)


def add_psram(memory: Memory, regions: tuple[Region, ...], psram: Psram) -> tuple[Region, ...]:
    """`regions` are in list order and have start-up's use in them. A region that is added later
    stands before the others. PSRAM is added first, then the pool is taken, when the start-up stacks
    are already heap."""
    _check(psram)
    external = _external(memory, psram.size)
    chunks, internal = _pool(memory, regions, psram.reserved)
    return (*reversed(chunks), *reversed(external), *internal)


def _check(psram: Psram) -> None:
    """The ranges of the SDK's options."""
    limits = (
        ("threshold", psram.threshold or 0, _THRESHOLD_MAX),
        ("reserve", psram.reserved, _POOL_MAX),
    )
    for name, value, most in limits:
        if not 0 <= value <= most:
            raise InputError(
                f"--psram-{name} of {value} bytes is out of range", remedy=f"give 0 to {most}"
            )
    if psram.threshold is None and psram.reserved:
        raise InputError(
            "a pool for DMA is only reserved where malloc uses PSRAM",
            remedy="leave --psram-reserve out, or give --psram-threshold a size",
        )


def _external(memory: Memory, size: int) -> list[Region]:
    windows = memory.version.psram
    if not windows:
        raise InputError(f"{memory.title} has no PSRAM", remedy="leave --psram out")
    most = sum(window.size for window in windows)
    if not _LEAST <= size <= most or size % 4:
        raise InputError(
            f"{size} bytes of PSRAM on {memory.title}",
            remedy=f"give {_LEAST} to {most} bytes, a multiple of 4",
        )
    regions, left = [], size
    for window in windows:
        part = min(left, window.size)
        left -= part
        if part:
            start = window.start + (window.size - part if window.at_end else 0)
            regions.append(
                Region(
                    start=start,
                    size=part - window.one_short,
                    kind="SPIRAM",
                    caps=window.caps,
                    allocator=memory.allocator,
                    added=True,
                )
            )
    return regions


def _pool(
    memory: Memory, regions: tuple[Region, ...], size: int
) -> tuple[list[Region], tuple[Region, ...]]:
    """The pool's chunks in the order in which they are taken, and what is left of the regions. A
    chunk is cut off a region's start, where the SDK takes a block: so its bytes count once."""
    rest, chunks, left = list(regions), list[Region](), size + 3 & ~3
    while left > 0:
        free = {a.index: _free(rest[a.index]) for a in tried(tuple(rest), DMA | INTERNAL)}
        chunk = min(max(free.values(), default=0), left)
        if chunk < min(left, _POOL_LEAST):
            raise InputError(
                f"a pool of {size} bytes for DMA does not fit into {memory.title}",
                remedy=f"give --psram-reserve 0 to {size - left}",
            )
        index = next(index for index, room in free.items() if room >= chunk)
        region = rest[index]
        chunks.append(
            Region(
                start=region.start,
                size=chunk - 1,  # it ends one byte early, in every version
                kind=POOL_KIND,
                caps=memory.version.pool,
                allocator=memory.allocator,
                added=True,
            )
        )
        rest[index] = replace(region, start=region.start + chunk, size=region.size - chunk)
        left -= chunk
    return chunks, tuple(rest)


def _free(region: Region) -> int:
    return max(0, region.size - region.startup_use - _OVERHEAD) & ~3
