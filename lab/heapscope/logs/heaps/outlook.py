"""The fate of requests that are made in a state of a device's log."""

from __future__ import annotations

import enum
from collections.abc import Sequence
from dataclasses import dataclass, replace

from heapscope.base.request import Request
from heapscope.logs.heaps.belief import Belief, belief_of, doubted
from heapscope.logs.heaps.exact import ExactRun, run_exactly
from heapscope.logs.heaps.hole import HoleHeap, hole_heap
from heapscope.logs.heaps.left import RegionLeft, left_of, left_of_row, spread
from heapscope.logs.heaps.state_memory import StateMemory
from heapscope.logs.heaps.worlds import Fate, HeapBounds, follow
from heapscope.logs.reader.state import START, HeapState, StateRegion
from heapscope.memory.layout.allocator import lists_blocks
from heapscope.memory.layout.layout import MallocRule, Region
from heapscope.native.config import HeldBlock
from heapscope.native.status import StatusError

_SIZES_LOG = 26  # no chip has a region of 64 MB
_LARGE = 1 << 14  # bytes: an allocator that makes no heap of them has too short tables


class Reply(enum.StrEnum):
    YES = "yes"
    NO = "no"
    DEPENDS = "it depends"


class Method(enum.StrEnum):
    """How the answer was found."""

    BLOCKS = "every block is known"
    HOLES = "each heap has one hole at most"
    BOUNDS = "bounds over every arrangement of the holes"


@dataclass(frozen=True, kw_only=True)
class RequestOutlook:
    """`regions`: indices of those that may serve it; `address`: of its block, where all is
    known."""

    request: Request
    answer: Reply
    regions: tuple[int, ...]
    address: int | None = None


@dataclass(frozen=True, kw_only=True)
class Outlook:
    """`left`: each region afterwards, None where that is not known."""

    requests: tuple[RequestOutlook, ...]
    left: tuple[RegionLeft | None, ...]
    method: Method
    allocators: tuple[str, ...]  # those whose figures the log prints
    misses: int  # regions whose figures none of them prints
    may_miss: bool  # memory that was not printed may serve what fails here


@dataclass(frozen=True, kw_only=True)
class Believed:
    """The heaps of a state by one allocator. None: a region without a heap. `unsure`: regions whose
    figures this allocator does not print, by index; `strange`: those of them whose largest block
    alone it does not print, so that their size alone bounds them."""

    allocator: str
    heaps: tuple[HoleHeap | None, ...]
    beliefs: tuple[Belief | None, ...]
    unsure: tuple[int, ...]
    strange: tuple[int, ...]

    @property
    def misses(self) -> tuple[int, int]:
        return len(self.unsure), len(self.strange)


# ---- allocators ---------------------------------------------------------------------------------


def believed(
    state: HeapState, memory: StateMemory, allocators: Sequence[str]
) -> tuple[Believed, ...]:
    """By each of the allocators that prints the figures of the most regions: one region whose lines
    are damaged does not speak against them all."""
    results = [heaps_by(state, memory, name) for name in allocators]
    fewest = min((one.misses for one in results), default=(0, 0))
    return tuple(one for one in results if one.misses == fewest)


def heaps_by(state: HeapState, memory: StateMemory, allocator: str) -> Believed:
    """The heaps of a state by one allocator."""
    heaps: list[HoleHeap | None] = []
    beliefs: list[Belief | None] = []
    unsure: list[int] = []
    strange: list[int] = []
    for index, (region, place) in enumerate(zip(state.regions, memory.regions, strict=True)):
        heap = _heap(region, replace(place, allocator=allocator), memory)
        belief = None if heap is None else belief_of(heap, region)
        too_large = heap is None and region.size >= _LARGE
        if belief is None and (state.form != START or too_large):
            unsure.append(index)
        if belief is None and heap is not None:
            belief, printed = doubted(heap, region)
            strange += [] if printed else [index]
        heaps.append(heap)
        beliefs.append(belief)
    return Believed(
        allocator=allocator,
        heaps=tuple(heaps),
        beliefs=tuple(beliefs),
        unsure=tuple(unsure),
        strange=tuple(strange),
    )


def _heap(region: StateRegion, place: Region, memory: StateMemory) -> HoleHeap | None:
    """The heap; None: the allocator makes none of the region. Where a dump is not whole, its end is
    not known: the heap is then one whose tables end where the first block begins, which decides all
    but how many bytes there are."""
    sizes = [region.size] if region.size < 1 << _SIZES_LOG else []
    if region.first is not None and not region.blocks:
        sizes += [1 << log for log in range(region.size.bit_length(), _SIZES_LOG)]
    for size in sizes:
        try:
            heap = hole_heap(replace(place, size=size), memory.rules[0], memory.request_max)
        except StatusError:
            continue
        if size == sizes[-1] or region.first in (None, heap.first):
            return heap
    return None  # too small, or larger than memory can be


# ---- requests -----------------------------------------------------------------------------------


def outlook(
    state: HeapState, memory: StateMemory, views: Sequence[Believed], requests: Sequence[Request]
) -> Outlook:
    """The answer that all of `views`, and all ways of malloc, give together."""
    results = [_one(memory, view, rule, requests) for view in views for rule in memory.rules]
    steps, lefts, methods = zip(*results, strict=True)
    may_miss = bool(state.missing) or any(
        memory.may_miss(request, rule) for request in requests for rule in memory.rules
    )
    merged = [
        _merged(request, each)
        for request, each in zip(requests, zip(*steps, strict=True), strict=True)
    ]
    return Outlook(
        requests=tuple(_guarded(one, may_miss) for one in merged),
        left=tuple(spread(each) for each in zip(*lefts, strict=True)),
        method=max(methods, key=list(Method).index),
        allocators=tuple(dict.fromkeys(view.allocator for view in views)),
        misses=min((len(view.unsure) for view in views), default=0),
        may_miss=may_miss,
    )


def _guarded(one: RequestOutlook, may_miss: bool) -> RequestOutlook:
    """A request that fails in the printed regions may be served by others."""
    fails = one.answer == Reply.NO and may_miss
    return replace(one, answer=Reply.DEPENDS) if fails else one


def _merged(request: Request, each: Sequence[tuple[Fate, int | None]]) -> RequestOutlook:
    steps = [step for step, _ in each]
    addresses = {address for _, address in each}
    may_serve = any(step.may_serve for step in steps)
    may_fail = any(step.may_fail for step in steps)
    answer = Reply.DEPENDS if may_serve and may_fail else Reply.YES if may_serve else Reply.NO
    return RequestOutlook(
        request=request,
        answer=answer,
        regions=tuple(sorted({region for step in steps for region in step.regions})),
        address=addresses.pop() if len(addresses) == 1 else None,
    )


_Outcome = tuple[
    tuple[tuple[Fate, int | None], ...], tuple[RegionLeft | None, ...], Method
]  #: steps with the address of each block, the heaps afterwards, how it was found


def _one(
    memory: StateMemory, view: Believed, rule: MallocRule, requests: Sequence[Request]
) -> _Outcome:
    """Where every block of the regions that are asked is known, on the heaps themselves; else, or
    where a dump leaves open which of two holes comes first, by bounds."""
    results = {index for request in requests for index in memory.order(request, rule)}
    beliefs = [view.beliefs[index] for index in sorted(results)]
    known = all(belief is None or belief.exact for belief in beliefs) and not view.unsure
    if known and any(belief is not None and belief.others for belief in beliefs):
        exact = _exactly(memory, view, rule, requests)
        if exact is not None:
            return exact
    method = Method.BOUNDS
    if known and not any(belief is not None and belief.others for belief in beliefs):
        method = Method.HOLES
    return _by_bounds(memory, view, rule, requests, method)


def _by_bounds(
    memory: StateMemory,
    view: Believed,
    rule: MallocRule,
    requests: Sequence[Request],
    method: Method,
) -> _Outcome:
    start = tuple(None if belief is None else _bounds(belief) for belief in view.beliefs)

    def order(request: Request) -> tuple[int, ...]:
        return memory.order(request, rule)

    lists = _lists(view, memory) if lists_blocks(view.allocator) else None
    steps, world = follow(view.heaps, start, requests, order, lists=lists)
    lefts = tuple(
        None if heap is None or belief is None or bounds is None else left_of(heap, belief, bounds)
        for heap, belief, bounds in zip(view.heaps, view.beliefs, world, strict=True)
    )
    return tuple((step, None) for step in steps), lefts, method


def _lists(view: Believed, memory: StateMemory) -> int | None:
    """The largest region, by index; None: none has a heap."""
    known = [index for index, heap in enumerate(view.heaps) if heap is not None]
    return max(known, key=lambda index: memory.regions[index].size, default=None)


def _bounds(belief: Belief) -> HeapBounds:
    return HeapBounds(
        main_least=belief.main[0],
        main_most=belief.main[1],
        others=belief.others,
        total=belief.total,
        cap=belief.cap,
    )


def _exactly(
    memory: StateMemory, view: Believed, rule: MallocRule, requests: Sequence[Request]
) -> _Outcome | None:
    """None: it is open which hole a request takes."""
    places = [
        index
        for index, belief in enumerate(view.beliefs)
        if view.heaps[index] is not None and belief is not None and belief.exact
    ]
    run = run_exactly(
        [view.heaps[index] for index in places],
        [_held(view.beliefs[index]) for index in places],
        requests,
        rule,
        memory.request_max,
        lowest_first=True,
    )
    if run.open_order:
        return None
    steps = tuple(_step(run, places, number) for number in range(len(requests)))
    lefts: list[RegionLeft | None] = [None] * len(view.heaps)
    for index, row in zip(places, run.rows, strict=True):
        lefts[index] = left_of_row(row)
    return steps, tuple(lefts), Method.BLOCKS


def _held(belief: Belief | None) -> tuple[HeldBlock, ...]:
    assert belief is not None
    return belief.blocks


def _step(run: ExactRun, places: Sequence[int], number: int) -> tuple[Fate, int | None]:
    placed = run.placed[number]
    if placed.region is None:
        return Fate(False, True, ()), None
    return Fate(True, False, (places[placed.region],)), placed.address
