"""Requests made on heaps of which every block is known, by the models of their allocators."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.base.request import Request
from heapscope.logs.heaps.hole import HoleHeap
from heapscope.memory.layout.layout import MallocRule
from heapscope.native.config import HeldBlock, NativeRegion
from heapscope.native.state import NativeState
from heapscope.native.structs import Struct
from heapscope.simulation.replay.config import bare_region, heap_config


@dataclass(frozen=True)
class Placed:
    """The outcome of a request. `region` None: it failed."""

    region: int | None
    address: int


@dataclass(frozen=True)
class ExactRun:
    """`rows`: the heaps afterwards. `open_order`: a request met two holes of one size class that
    differ in size, and TLSF takes the one that was freed last, which a dump does not tell."""

    placed: tuple[Placed, ...]
    rows: tuple[Struct, ...]
    open_order: bool


def run_exactly(
    heaps: Sequence[HoleHeap | None],
    blocks: Sequence[tuple[HeldBlock, ...]],
    requests: Sequence[Request],
    malloc: MallocRule,
    request_max: int,
    *,
    lowest_first: bool,
) -> ExactRun:
    """`heaps`: None where a region has none. The holes of one size class are taken from the lowest
    address on, or from the highest."""
    config = heap_config(
        (
            _region(heap, held, lowest_first=lowest_first)
            for heap, held in zip(heaps, blocks, strict=True)
        ),
        malloc,
        request_max,
    )
    placed, is_open = [], False
    with NativeState(config) as state:
        for request in requests:
            before = [state.blocks(index, holes=True) for index in range(len(heaps))]
            served = state.request(request.size, caps=request.caps)
            placed.append(Placed(served.region, served.address))
            if served.region is not None:
                heap = heaps[served.region]
                assert heap is not None
                is_open |= not heap.region.holes and _has_twins(
                    heap, before[served.region], served.address
                )
        return ExactRun(tuple(placed), state.regions(), is_open)


def _region(
    heap: HoleHeap | None, held: tuple[HeldBlock, ...], *, lowest_first: bool
) -> NativeRegion:
    assert heap is not None
    lowest = tuple(block.address for block in held if not block.used) if lowest_first else ()
    holes = heap.region.holes or lowest
    return bare_region(heap.region, blocks=held, holes=holes)


def _has_twins(heap: HoleHeap, holes: Sequence[HeldBlock], address: int) -> bool:
    """Whether another hole of the same size class has another size."""
    taken = next(hole for hole in holes if hole.address <= address < hole.address + hole.size)
    return any(
        hole.size != taken.size and _class_of(heap, hole.size) == _class_of(heap, taken.size)
        for hole in holes
    )


def _class_of(heap: HoleHeap, hole: int) -> int:
    """The largest request that the hole serves, which every hole of its class serves."""
    row = heap.row(hole)
    return hole if row is None else int(row.largest_allocatable)
