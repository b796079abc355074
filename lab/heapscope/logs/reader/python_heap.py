"""The heap of MicroPython's and CircuitPython's collector, which lies in a block of the C heap."""

from __future__ import annotations

from dataclasses import dataclass, field

from heapscope.native.log import Fact

_REGIONS_MAX = 64  # of one list


@dataclass(kw_only=True)
class PythonHeap:
    """Bytes. None: not told."""

    total: int | None = None
    used: int | None = None
    free: int | None = None  # as mem_info tells it
    largest: int | None = None
    mem_free: int | None = None  # as gc.mem_free() tells it
    infos: int = 0  # mem_info was printed so often
    line: int = 0
    quote: str = ""

    def take(self, fact: Fact) -> None:
        self.line, self.quote = fact.line, fact.quote
        if fact.kind == "meminfo":
            self.total, self.used, self.free = fact.total, fact.used, fact.free
            self.infos += 1
        elif fact.kind == "meminfo_more":
            self.largest = fact.largest
        elif fact.free is not None:
            self.mem_free = fact.free


@dataclass(frozen=True, kw_only=True)
class TupleRegion:
    total: int
    free: int
    largest: int
    min: int
    line: int


@dataclass(kw_only=True)
class HeapTuples:
    """idf_heap_info(): a list of regions without addresses, perhaps on several lines."""

    regions: list[TupleRegion] = field(default_factory=list)
    quote: str = ""

    def take(self, fact: Fact) -> None:
        if self.regions and fact.line > self.regions[-1].line + 1:
            self.regions = []
        if len(self.regions) == _REGIONS_MAX:
            return
        self.quote = fact.quote
        self.regions.append(
            TupleRegion(
                total=fact.total or 0,
                free=fact.free or 0,
                largest=fact.largest or 0,
                min=fact.min or 0,
                line=fact.line,
            )
        )
