"""Whether one block would still be served, from what a heap summary tells."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from heapscope.capture.esp_idf.logged_memory import LoggedMemory, RegionKind
from heapscope.capture.esp_idf.rounding import ByteRange, ReportedRegion, RoundingRule, room
from heapscope.capture.esp_idf.summary import HeapSummary, LoggedRegion
from heapscope.layout import capabilities
from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Row

MALLOC = capabilities.DEFAULT | capabilities.INTERNAL


class Answer(enum.StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "cannot be told"


class RegionRoom(LoggedRegion):
    """A region of a heap summary with what its figures mean, in the order in which requests try
    them."""

    memory: RegionKind = figure("The kind of memory that its address is of.", hidden=True)
    largest_free: ByteRange | None = figure(
        "True largest payload of a free block; null: no rule of the version gives these figures."
    )
    largest_allocatable: ByteRange | None = figure(
        "The largest request that would be served; null: as above."
    )

    @property
    @computed("Kind of memory; DMA pool: inside another region; empty: not known.")
    def kind(self) -> str:
        return self.memory.name

    @property
    @computed("All capabilities, by name; null: not known.")
    def capabilities(self) -> str | None:
        return None if self.memory.caps is None else capabilities.format(self.memory.all_caps)

    @property
    def name(self) -> str:
        return f"{self.kind or 'heap'} {self.start:#010x}"


class RegionAnswer(Row):
    """One region of the summary that was asked."""

    region: RegionRoom = figure("The region.", hidden=True)
    answer: Answer | None = figure("Whether it fits there; null: may not be asked.")

    @property
    @computed("Address.")
    def start(self) -> int:
        return self.region.start


@dataclass(frozen=True, kw_only=True)
class NeedAnswer:
    """`served`: the region that would serve it, None where that cannot be told; `why`: a clause,
    empty when the regions say it all."""

    answer: Answer
    regions: tuple[RegionAnswer, ...]
    served: RegionRoom | None = None
    why: str = ""


def figures_of(state: LoggedRegion) -> ReportedRegion:
    return ReportedRegion(length=state.length, free=state.free, largest=state.largest)


def rooms_of(
    summary: HeapSummary, memory: LoggedMemory, rules: Sequence[RoundingRule]
) -> tuple[RegionRoom, ...]:
    rooms = []
    for state, kind in zip(summary.regions, memory.kinds(summary.regions), strict=True):
        found = room(figures_of(state), rules)
        free, served = (None, None) if found is None else (found.largest_free, found.allocatable)
        rooms.append(
            RegionRoom(**vars(state), memory=kind, largest_free=free, largest_allocatable=served)
        )
    return tuple(rooms)


def largest(rooms: Sequence[RegionRoom], caps: int) -> ByteRange | None:
    """The largest request with these capabilities (0: malloc's) that the printed regions would
    serve; None: none of them may be asked."""
    found = [
        one.largest_allocatable or ByteRange(least=0, most=one.free or 0)
        for one in rooms
        if _may_serve(one.memory, caps or MALLOC)
    ]
    if not found:
        return None
    return ByteRange(least=max(i.least for i in found), most=max(i.most for i in found))


def ask(
    size: int, caps: int, summary: HeapSummary, rooms: Sequence[RegionRoom], memory: LoggedMemory
) -> NeedAnswer:
    """Region by region, and overall in the order in which requests try them."""
    bits = caps or MALLOC
    regions = tuple(RegionAnswer(region=one, answer=_region(one, size, bits)) for one in rooms)
    if _impossible(size, bits, memory):
        why = "no memory has these capabilities, or the chip takes no request of this size"
        nowhere = tuple(replace(one, answer=None) for one in regions)
        return NeedAnswer(answer=Answer.NO, regions=nowhere, why=why)
    overall = _overall([one.answer for one in regions])
    others = _unprinted(bits, size, summary, memory)
    why = ""
    if overall == Answer.NO and others:
        why = "regions that may serve it are not in the summary"
    elif overall == Answer.NO and caps == 0 and _psram(rooms, size):
        why = "it fits in PSRAM, which malloc uses only with CONFIG_SPIRAM_USE_MALLOC"
    elif overall == Answer.NO and caps == 0 and _psram_unprinted(rooms, size, memory):
        why = (
            "the PSRAM that the log adds to the heap is not in the summary; malloc uses it with "
            "CONFIG_SPIRAM_USE_MALLOC"
        )
    if overall == Answer.NO and why:
        overall = Answer.UNKNOWN
    elif overall == Answer.YES and _only_assumed(regions):
        why = "if its region has these capabilities: the chip is not known"
    served = None if others else _served(regions, bits)
    return NeedAnswer(answer=overall, regions=regions, served=served, why=why)


def _may_serve(kind: RegionKind, bits: int) -> bool:
    """A region of unknown capabilities is taken to have them: it was printed among the others."""
    return kind.caps is None or kind.all_caps & bits == bits


def _region(one: RegionRoom, size: int, bits: int) -> Answer | None:
    if not _may_serve(one.memory, bits):
        return None
    asked = size
    if bits & capabilities.EXEC:
        asked += 4 * one.memory.iram_alias  # for the address of the data side
        bits |= capabilities.WORD
    if bits & capabilities.WORD:
        asked = (asked + 3) & ~3
    served = one.largest_allocatable
    if served is None:
        return Answer.NO if asked > (one.free or one.length) else Answer.UNKNOWN
    if asked <= served.least:
        return Answer.YES
    return Answer.NO if asked > served.most else Answer.UNKNOWN


def _overall(answers: Sequence[Answer | None]) -> Answer:
    if Answer.YES in answers:
        return Answer.YES
    return Answer.UNKNOWN if Answer.UNKNOWN in answers else Answer.NO


def _in_order(regions: Sequence[RegionAnswer], bits: int) -> Iterator[RegionAnswer]:
    """The order in which heap_caps_malloc tries them: by priority, then by their list, which is
    the order of the summary."""
    for priority in range(3):
        for one in regions:
            caps = one.region.memory.caps
            shares = priority == 0 if caps is None else bool(caps[priority] & bits)
            if shares and one.answer is not None:
                yield one


def _served(regions: Sequence[RegionAnswer], bits: int) -> RegionRoom | None:
    """The first that does not say no, if it says yes."""
    told = (one for one in _in_order(regions, bits) if one.answer != Answer.NO)
    first = next(told, None)
    return first.region if first is not None and first.answer == Answer.YES else None


def _impossible(size: int, bits: int, memory: LoggedMemory) -> bool:
    if bits & capabilities.EXEC and bits & (capabilities.EIGHT_BIT | capabilities.DMA):
        return True
    return memory.chip is not None and 0 < memory.chip.request_max < size


def _unprinted(bits: int, size: int, summary: HeapSummary, memory: LoggedMemory) -> bool:
    """Whether a region that is not in the log may serve it. One that is missing among the printed
    ones shows in the totals by its free bytes."""
    if summary.caps is None or not summary.complete or summary.missing_free >= size:
        return True
    return memory.others_may_serve(bits, summary.caps)


def _only_assumed(regions: Sequence[RegionAnswer]) -> bool:
    return all(one.region.memory.caps is None for one in regions if one.answer == Answer.YES)


def _psram(rooms: Sequence[RegionRoom], size: int) -> bool:
    """Whether malloc's last resort, DEFAULT alone, may find it."""
    found = (
        _region(one, size, capabilities.DEFAULT)
        for one in rooms
        if one.memory.caps is not None and not one.memory.all_caps & capabilities.INTERNAL
    )
    return any(answer in (Answer.YES, Answer.UNKNOWN) for answer in found)


def _psram_unprinted(rooms: Sequence[RegionRoom], size: int, memory: LoggedMemory) -> bool:
    """Whether it may fit there, by what the log's start tells alone."""
    printed = any(one.memory.all_caps & capabilities.SPIRAM for one in rooms)
    return size <= memory.psram and not printed
