"""Where the bytes are at one moment of a trace, blocks one by one."""

from __future__ import annotations

import functools
import itertools
from collections import Counter
from dataclasses import dataclass

from heapscope.answers.upgrade.parts import Parts, parts_of
from heapscope.answers.upgrade.state import Meter
from heapscope.memory.layout.attempts import regions_for
from heapscope.memory.layout.layout import Layout, Region
from heapscope.native.moment import pieces, stop_before
from heapscope.native.reader import NativeReader
from heapscope.native.single_heap import fill
from heapscope.simulation.replay.run import replay

PIECE_BLOCK = 1  # HS_LAB_PIECE_BLOCK
_SIZES = range(1, 65)  # whose blocks show the smallest one, and the step from one to the next


@dataclass(frozen=True, kw_only=True)
class Excess:
    """The bytes that blocks have beyond their requests. `minimum`: of the smallest blocks, beyond
    the step of sizes; `rounded`: the rest of what such a block has on an empty heap, up to the next
    step or size class; `whole`: what a block has besides, as too little would have been left, or
    for its alignment."""

    rounded: int = 0
    minimum: int = 0
    whole: int = 0

    @property
    def total(self) -> int:
        return self.rounded + self.minimum + self.whole


@dataclass(frozen=True, kw_only=True)
class HeapMoment:
    """After one event (None: before the first). `moving`: the old block of a realloc under way."""

    parts: Parts
    excess: Excess
    moving: int
    largest_free: int


def look(
    meter: Meter, layout: Layout, event: int | None, *, least: int | None = None
) -> HeapMoment:
    """Replays up to the event. `least`: the free bytes that were seen within it."""
    if event is None:
        start = meter.measure(layout).start
        parts, largest = start.parts, start.largest_free
        return HeapMoment(parts=parts, excess=Excess(), moving=0, largest_free=largest)
    assert meter.trace is not None
    stopped = _Stopped(meter, layout, event)
    replay(meter.trace, layout, capsets=meter.sets, buckets=0, observer=stopped)
    assert stopped.parts is not None
    return HeapMoment(
        parts=stopped.parts,
        excess=stopped.excess,
        moving=0 if least is None else stopped.parts.free - least,
        largest_free=stopped.largest_free,
    )


class _Stopped:
    """Ends a replay after an event and looks at its heaps."""

    def __init__(self, meter: Meter, layout: Layout, event: int) -> None:
        self._meter = meter
        self._layout = layout
        self._event = event
        self.parts: Parts | None = None
        self.excess = Excess()
        self.largest_free = 0

    def begin(self, reader: NativeReader) -> None:
        stop_before(reader, self._event + 1)

    def end(self, reader: NativeReader) -> None:
        rows = reader.regions()
        chosen = sorted(regions_for(self._layout, self._meter.caps))
        self.parts = parts_of(rows[index] for index in chosen)
        self.largest_free = self._meter.row(reader).largest_free
        results = [
            excess_of(_blocks(reader, index, region), region, rows[index].rounding)
            for index, region in enumerate(self._layout.regions)
            if index in chosen and rows[index].has_heap
        ]
        names = ("rounded", "minimum", "whole")
        self.excess = Excess(**{name: sum(getattr(one, name) for one in results) for name in names})


Blocks = Counter[tuple[int, int]]  # (bytes asked for, bytes of the raw block): how many


def _blocks(reader: NativeReader, index: int, region: Region) -> Blocks:
    rows = pieces(reader, index, region.start, region.end)
    used = rows[rows["state"] == PIECE_BLOCK]
    return Counter(zip(used["requested"].tolist(), used["size"].tolist(), strict=True))


def excess_of(blocks: Blocks, region: Region, rounding: int) -> Excess:
    """Divides the `rounding` of a region's blocks. The bytes that poisoning and tracking add to
    every block do not belong to it."""
    count = blocks.total()
    if count == 0:
        return Excess()
    beyond = sum((size - queried) * n for (queried, size), n in blocks.items())
    around = (beyond - rounding) // count
    fresh = {request: _fresh(region, request) for request, _ in blocks}
    sizes = [_fresh(region, query) or 0 for query in _SIZES]
    least = sizes[0]
    step = min((b - a for a, b in itertools.pairwise(sizes) if b > a), default=1)
    minimum = rounded = 0
    for (requested, size), n in blocks.items():
        given = fresh[requested] or size
        needed = requested + around
        below = max(0, least - -(-needed // step) * step) if given == least else 0
        minimum += below * n
        rounded += (given - needed - below) * n
    return Excess(rounded=rounded, minimum=minimum, whole=rounding - rounded - minimum)


@functools.lru_cache(maxsize=1 << 14)
def _fresh(region: Region, requested: int) -> int | None:
    """Raw bytes of such a block where nothing else is; None: it does not fit. Size classes may
    depend on the region."""
    row = fill(region.allocator, base=region.start, size=region.size, block=requested, most=1)
    return row.used if row is not None and row.blocks else None
