"""Whether a request is served, by figures of one kind of memory and not of regions."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.base.capabilities import DEFAULT, DMA, EIGHT_BIT, INTERNAL, SPIRAM, WORD
from heapscope.base.request import Request
from heapscope.base.wording import size
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.reader.artefacts import may_be_power
from heapscope.logs.reader.figures import LoggedFigure, LoggedFigures
from heapscope.logs.reader.reading import LogReading

#: By a request's capabilities without those that all of malloc's memory has: the
#: names of figures of that very memory, and of memories that it is a part of.
_KINDS = {
    DMA: (("dma",), ("internal", "dram", "8bit", "default", "any")),
    DMA | INTERNAL: (("dma",), ("internal", "dram", "8bit", "default", "any")),
    INTERNAL: (("internal", "dram"), ("8bit", "default", "any")),
    SPIRAM: (("spiram",), ()),
    0: (("8bit", "default", "any"), ()),
}
_OF_MALLOC = ("any", "default", "8bit", "internal", "dram", "tasmota", "python")
_MALLOC = DEFAULT | EIGHT_BIT | WORD
_CALLS = {DMA: "MALLOC_CAP_DMA", SPIRAM: "MALLOC_CAP_SPIRAM", INTERNAL: "MALLOC_CAP_INTERNAL"}


@dataclass(frozen=True, kw_only=True)
class _Memory:
    """The last state of one memory."""

    name: str
    line: int
    free: int | None
    largest: int | None

    @property
    def bound(self) -> int:
        return min(one for one in (self.free, self.largest) if one is not None)


def memories_of(request: Request) -> tuple[str, ...]:
    """The names of the memory of figures that it would be served from, the closest first."""
    own, wider = _KINDS.get(request.caps & ~_MALLOC, ((), ()))
    return (*own, *wider) if request.caps else _OF_MALLOC


def own_memory(reading: LogReading, request: Request) -> RequestFit | None:
    """By figures of the memory that has the request's capabilities, or of one that it is a part
    of; None: none are reported."""
    own, wider = _KINDS.get(request.caps & ~_MALLOC, ((), ()))
    if request.caps & ~_MALLOC == INTERNAL and not request.caps & EIGHT_BIT:
        wider = ()  # memory for whole words alone may serve it, which is in no other figure
    for name in own:
        memory = _last(reading.figures, name)
        if memory is not None:
            return _by_own(reading, request, memory)
    bounds = [one for name in wider if (one := _last(reading.figures, name)) is not None]
    least = min(bounds, key=lambda one: one.bound, default=None)
    if least is None:
        return None
    if request.size > least.bound and not may_be_power(reading, least.bound):
        return _refused(request, least)
    return RequestFit.of(
        request,
        line=least.line,
        why="the log tells figures of memory that this kind is a part of, and none of it alone",
        settles=_settles(request),
    )


def other_memory(reading: LogReading, request: Request, row: RequestFit, of: str) -> RequestFit:
    """A request for any memory that is larger than a block of internal memory, the only one whose
    figures are known, may be served by PSRAM. `of`: the memory of `row`."""
    psram = _last(reading.figures, "spiram")
    if row.fits is not False or of not in ("internal", "dram", "dma") or psram is None:
        return row
    if request.size > psram.bound:
        return row
    has = "a block of" if psram.largest is not None else "what is free of"
    return RequestFit.of(
        request,
        line=row.line,
        why=f"no block of internal memory is as large, and {has} PSRAM is, {size(psram.bound)}: "
        "malloc takes it with CONFIG_SPIRAM_USE_MALLOC",
        settles="print heap_caps_get_largest_free_block(MALLOC_CAP_DEFAULT) before the request",
    )


def _by_own(reading: LogReading, request: Request, memory: _Memory) -> RequestFit:
    unsure = memory.largest is not None and may_be_power(reading, memory.largest)
    if request.size > memory.bound and not (unsure and request.size < 2 * memory.bound):
        return _refused(request, memory)
    if memory.largest is not None and request.size <= memory.largest:
        return RequestFit.of(
            request,
            fits=True,
            largest=memory.largest,
            line=memory.line,
            why="the largest free block of that memory is as large",
        )
    return RequestFit.of(
        request,
        line=memory.line,
        why=f"the log tells what is free of that memory, {size(memory.free or 0)}, and not its "
        "largest block",
        settles=_settles(request),
    )


def _refused(request: Request, memory: _Memory) -> RequestFit:
    what = "largest free block" if memory.bound == memory.largest else "free bytes"
    of = "of all that malloc has" if memory.name == "any" else f"({memory.name})"
    return RequestFit.of(
        request,
        fits=False,
        short=request.size - memory.bound,
        largest=memory.largest,
        line=memory.line,
        why=f"the {what} {of}, {size(memory.bound)}, bounds it",
    )


def _settles(request: Request) -> str:
    names = [name for bit, name in _CALLS.items() if request.caps & bit]
    return (
        f"print heap_caps_get_largest_free_block({'|'.join(names or ['MALLOC_CAP_8BIT'])}) before "
        "the request"
    )


def _last(figures: LoggedFigures, name: str) -> _Memory | None:
    free, largest = figures.series.get((name, "free")), figures.series.get((name, "largest"))
    if free is None and largest is None:
        return None
    block: LoggedFigure | None = None if largest is None else largest.last
    if free is not None:
        block = figures.of_moment(free.last, name, "largest")
    lines = [one.line for one in (None if free is None else free.last, block) if one is not None]
    return _Memory(
        name=name,
        line=max(lines),
        free=None if free is None else free.last.value,
        largest=None if block is None else block.value,
    )
