"""One heap with a single hole, as its allocator's model has it: what a request does to the hole.

In ESP-IDF's allocators whether a request is served depends on the largest hole alone: TLSF finds a
block if there is one in a size class that is large enough throughout, the free list if one is as
large. So what holds for one hole holds for the largest of many (docs/reference/models.md)."""

from __future__ import annotations

import functools
from dataclasses import dataclass

from heapscope.base.request import Request
from heapscope.logs.heaps.arrangement import HEADER, arrange
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock, NativeConfig
from heapscope.native.state import NativeState
from heapscope.native.status import StatusError
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import bare_region, heap_config

_SMALLEST = (4, 8, 12, 16)  # bytes of a hole, in one release or another
GRANULE = 4  #: every payload of these allocators is a multiple of it


@dataclass(frozen=True)
class Served:
    """A request that a hole served. `rest`: bytes that are left of the hole; `cost`: by so many
    fewer the release counts as free."""

    rest: int
    cost: int


class HoleHeap:
    """The heap of one region. StatusError: the allocator makes none of it."""

    def __init__(self, region: Region, malloc: MallocRule, request_max: int) -> None:
        self.region = region
        self._malloc, self._request_max = malloc, request_max
        self._rows: dict[int, Struct | None] = {}
        self._taken: dict[tuple[int, Request], Served | None] = {}
        self._least: dict[Request, int | None] = {}
        with NativeState(self.config(())) as state:
            (row,) = state.regions()
            (block,) = state.blocks(0)
        self.first: int = block.address
        self.whole: int = row.free  # payload bytes if nothing is allocated
        self.around: int = row.around
        self.reported_less: int = row.reported_less
        #: The whole heap, where it is too small for a hole beside a used block.
        self.smallest = next((size for size in _SMALLEST if self._loads(size)), self.whole)

    def config(self, blocks: tuple[HeldBlock, ...]) -> NativeConfig:
        region = bare_region(self.region, blocks=blocks)
        return heap_config((region,), self._malloc, self._request_max)

    def largest_hole(self) -> int:
        """Besides one that is the whole heap."""
        return self.whole - HEADER - self.least_used

    def row(self, hole: int) -> Struct | None:
        """The figures of the heap with this hole; None: there can be no such hole."""
        if hole not in self._rows:
            blocks = self._with(hole)
            self._rows[hole] = None if blocks is None else self._described(blocks)
        return self._rows[hole]

    def take(self, hole: int, request: Request) -> Served | None:
        """None: the hole does not serve it, or there is no such hole."""
        key = hole, request
        if key not in self._taken:
            self._taken[key] = self._try(hole, request)
        return self._taken[key]

    def least(self, request: Request) -> int | None:
        """The smallest hole that serves it; None: not even the whole heap does. A search by halves:
        a larger hole serves whatever a smaller one does."""
        if request not in self._least:
            self._least[request] = self._search(request)
        return self._least[request]

    def _search(self, request: Request) -> int | None:
        if self.take(self.whole, request) is None:
            return None
        below, above = 0, self.largest_hole() // GRANULE
        if above <= 0 or self.take(above * GRANULE, request) is None:
            return self.whole
        while above - below > 1:
            middle = (below + above) // 2
            if self.take(middle * GRANULE, request) is None:
                below = middle
            else:
                above = middle
        return above * GRANULE

    @property
    def least_used(self) -> int:
        """The smallest used block, of a byte: poisoning stands around it."""
        return max(self.smallest, self.around + 1 + GRANULE - 1 & ~(GRANULE - 1))

    def _with(self, hole: int) -> tuple[HeldBlock, ...] | None:
        if hole == self.whole:
            return arrange(self.first, [hole], used=0, used_blocks=0, least=GRANULE)
        used = self.whole - HEADER - hole
        if hole < self.smallest or used < self.least_used:
            return None
        return arrange(self.first, [hole], used=used, used_blocks=1, least=GRANULE)

    def _loads(self, hole: int) -> bool:
        blocks = arrange(
            self.first, [hole], used=self.whole - HEADER - hole, used_blocks=1, least=GRANULE
        )
        return hole == self.whole or (blocks is not None and self._described(blocks) is not None)

    def _described(self, blocks: tuple[HeldBlock, ...]) -> Struct | None:
        try:
            with NativeState(self.config(blocks)) as state:
                return state.regions()[0]
        except StatusError:
            return None

    def _try(self, hole: int, request: Request) -> Served | None:
        blocks = self._with(hole)
        if blocks is None:
            return None
        with NativeState(self.config(blocks)) as state:
            (before,) = state.regions()
            if state.request(request.size, caps=request.caps, regions=1).region is None:
                return None
            (after,) = state.regions()
            return Served(rest=after.free, cost=before.counted_free - after.counted_free)


@functools.lru_cache(maxsize=1024)
def hole_heap(region: Region, malloc: MallocRule, request_max: int) -> HoleHeap:
    """The same region stands in every summary of a log."""
    return HoleHeap(region, malloc, request_max)
