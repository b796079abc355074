"""Whether one block would still be served, from what a heap summary tells."""

from __future__ import annotations

import enum
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.capture.esp_idf.logged_memory import LoggedMemory, RegionKind
from heapscope.capture.esp_idf.rounding import ByteRange, ReportedRegion, Room, RoundingRule, room
from heapscope.capture.esp_idf.summary import HeapSummary, LoggedRegion
from heapscope.layout import capabilities

__all__ = ["Answer", "NeedAnswer", "RegionRoom", "ask", "figures_of", "largest", "rooms_of"]

MALLOC = capabilities.DEFAULT | capabilities.INTERNAL


class Answer(enum.StrEnum):
    YES = "yes"
    NO = "no"
    UNKNOWN = "cannot be told"


@dataclass(frozen=True, kw_only=True)
class RegionRoom:
    """One region of a summary with what its figures mean. `room` None: no rule gives them."""

    state: LoggedRegion
    kind: RegionKind
    room: Room | None

    @property
    def name(self) -> str:
        kind = self.kind.name or "heap"
        return f"{kind} {self.state.start:#010x}"


@dataclass(frozen=True, kw_only=True)
class NeedAnswer:
    """`regions`: an answer for each region of the summary, None where it may not be asked;
    `served_by`: index of the region that would serve it, None where that cannot be told."""

    size: int
    caps: int  # 0: malloc's own
    answer: Answer
    regions: tuple[Answer | None, ...]
    served_by: int | None
    why: str  # a clause; "" when the regions say it all

    @property
    def capabilities(self) -> str:
        return "malloc" if self.caps == 0 else capabilities.format(self.caps)


def figures_of(state: LoggedRegion) -> ReportedRegion:
    return ReportedRegion(length=state.length, free=state.free, largest=state.largest)


def rooms_of(
    summary: HeapSummary, memory: LoggedMemory, rules: Sequence[RoundingRule]
) -> tuple[RegionRoom, ...]:
    return tuple(
        RegionRoom(state=state, kind=kind, room=room(figures_of(state), rules))
        for state, kind in zip(summary.regions, memory.kinds(summary.regions), strict=True)
    )


def largest(rooms: Sequence[RegionRoom], caps: int) -> ByteRange | None:
    """The largest request with these capabilities (0: malloc's) that the printed regions would
    serve; None: none of them may be asked."""
    found = [
        ByteRange(least=0, most=one.state.free or 0) if one.room is None else one.room.allocatable
        for one in rooms
        if _may_serve(one.kind, caps or MALLOC)
    ]
    if not found:
        return None
    return ByteRange(least=max(i.least for i in found), most=max(i.most for i in found))


def ask(
    size: int, caps: int, summary: HeapSummary, rooms: Sequence[RegionRoom], memory: LoggedMemory
) -> NeedAnswer:
    """Region by region, and overall in the order in which requests try them."""
    bits = caps or MALLOC
    answers = tuple(_region(one, size, bits) for one in rooms)
    order = tuple(_order(rooms, bits))
    overall = _overall([answer for answer in answers if answer is not None])
    others = _unprinted(bits, size, summary, memory)
    why = ""
    if _impossible(size, bits, memory):
        answers, overall, order = (None,) * len(rooms), Answer.NO, ()
        why = "no memory has these capabilities, or the chip takes no request of this size"
    elif overall == Answer.NO and others:
        overall = Answer.UNKNOWN
        why = "regions that may serve it are not in the summary"
    elif overall == Answer.NO and caps == 0 and _psram(rooms, size):
        overall = Answer.UNKNOWN
        why = "it fits in PSRAM, which malloc uses only with CONFIG_SPIRAM_USE_MALLOC"
    elif overall == Answer.NO and caps == 0 and _psram_unprinted(rooms, size, memory):
        overall = Answer.UNKNOWN
        why = (
            "the PSRAM that the log adds to the heap is not in the summary; malloc uses it with "
            "CONFIG_SPIRAM_USE_MALLOC"
        )
    elif overall == Answer.YES and _only_assumed(rooms, answers):
        why = "if its region has these capabilities: the chip is not known"
    return NeedAnswer(
        size=size,
        caps=caps,
        answer=overall,
        regions=answers,
        served_by=None if others else _served_by(order, answers),
        why=why,
    )


def _may_serve(kind: RegionKind, bits: int) -> bool:
    """A region of unknown capabilities is taken to have them: it was printed among the others."""
    return kind.caps is None or kind.all_caps & bits == bits


def _region(one: RegionRoom, size: int, bits: int) -> Answer | None:
    if not _may_serve(one.kind, bits):
        return None
    asked = size
    if bits & capabilities.EXEC:
        asked += 4 * one.kind.iram_alias  # for the address of the data side
        bits |= capabilities.WORD
    if bits & capabilities.WORD:
        asked = (asked + 3) & ~3
    if one.room is None:
        return Answer.NO if asked > (one.state.free or one.state.length) else Answer.UNKNOWN
    served = one.room.allocatable
    if asked <= served.least:
        return Answer.YES
    return Answer.NO if asked > served.most else Answer.UNKNOWN


def _overall(answers: Sequence[Answer]) -> Answer:
    if Answer.YES in answers:
        return Answer.YES
    return Answer.UNKNOWN if Answer.UNKNOWN in answers else Answer.NO


def _order(rooms: Sequence[RegionRoom], bits: int) -> Iterator[int]:
    """Indices as heap_caps_malloc tries them: by priority, then as the list has them, which is how
    the summary prints them."""
    for priority in range(3):
        for index, one in enumerate(rooms):
            caps = one.kind.caps
            shares = priority == 0 if caps is None else bool(caps[priority] & bits)
            if shares and _may_serve(one.kind, bits):
                yield index


def _served_by(order: Sequence[int], answers: Sequence[Answer | None]) -> int | None:
    for index in order:
        if answers[index] == Answer.YES:
            return index
        if answers[index] == Answer.UNKNOWN:
            return None
    return None


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


def _only_assumed(rooms: Sequence[RegionRoom], answers: Sequence[Answer | None]) -> bool:
    pairs = zip(rooms, answers, strict=True)
    return all(one.kind.caps is None for one, answer in pairs if answer == Answer.YES)


def _psram(rooms: Sequence[RegionRoom], size: int) -> bool:
    """Whether malloc's last resort, DEFAULT alone, may find it."""
    found = (
        _region(one, size, capabilities.DEFAULT)
        for one in rooms
        if one.kind.caps is not None and not one.kind.all_caps & capabilities.INTERNAL
    )
    return any(answer in (Answer.YES, Answer.UNKNOWN) for answer in found)


def _psram_unprinted(rooms: Sequence[RegionRoom], size: int, memory: LoggedMemory) -> bool:
    """Whether it may fit there, by what the log's start tells alone."""
    printed = any(one.kind.all_caps & capabilities.SPIRAM for one in rooms)
    return size <= memory.psram and not printed
