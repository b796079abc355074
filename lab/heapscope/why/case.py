"""One request that was refused, or nearly: what stood in its way at that moment. Plain data, which
the terminal, the JSON and a report's section show alike."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["REASONS", "Case", "Holder", "Hole", "Piece", "RegionState", "Request"]

#: Why a region did not serve a request, by RegionState.reason.
REASONS = {
    "served": "it could have served it",
    "capability": "it lacks a capability that was asked for",
    "not asked": "no rule sends the request there, or one sends it elsewhere",
    "rule": "requests of this size are refused before any region is asked",
    "no heap": "it is too small for a heap",
    "size": "even empty it could not hold it",
    "full": "it has fewer bytes free in all",
    "fragmentation": "it has the bytes free, but not in one piece",
    "rounding": "its largest piece would hold it, but the allocator does not look there",
    "alignment": "it would have served it but for its alignment",
}


@dataclass(frozen=True, kw_only=True)
class Request(Record):
    """What was asked for. Bytes; `align` 0: none; `old_size` belongs to realloc. `call` is malloc,
    calloc, aligned or realloc, or "need" for a request that was only asked about. `after`: it is
    asked once the event is over, else in the event."""

    event: int | None  # null: before the first event
    after: bool
    call: str
    size: int
    align: int
    old_size: int
    capabilities: str
    task: str
    site: str
    mark: str  # the last mark before it; empty: none


@dataclass(frozen=True, kw_only=True)
class RegionState(Record):
    """A region at that moment, bytes. `reason` is a key of REASONS, `detail` what it lacks.
    `capacity`: the largest such request that it would serve if it were empty."""

    index: int  # in the layout
    start: int
    size: int
    kind: str
    allocator: str
    eligible: bool
    reason: str
    detail: str
    capacity: int
    free: int
    largest_free: int
    largest_allocatable: int
    used_blocks: int
    free_blocks: int

    @property
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"


@dataclass(frozen=True, kw_only=True)
class Piece(Record):
    """A stretch of a region. `what` is "free", "block" (of the trace) or "other" (start-up's, or
    the allocator's own); sizes in bytes, `size` with the allocator's rounding. `inside`: part of
    the hole, else its neighbour. `since`: event of the block's (last re)allocation."""

    what: str
    address: int
    size: int
    inside: bool
    requested: int
    task: str
    site: str
    since: int | None
    age: int | None  # events
    mark: str  # the last mark before its allocation; empty: none


@dataclass(frozen=True, kw_only=True)
class Holder(Record):
    """All blocks of one task and site in a hole; payload bytes; `since`: event of the oldest one's
    (last re)allocation."""

    task: str
    site: str
    blocks: int
    live: int
    largest: int
    since: int | None
    mark: str  # the last mark before it; empty: none


@dataclass(frozen=True, kw_only=True)
class Hole(Record):
    """The best hole: the contiguous span that would have held the request if the fewest live bytes
    were gone. Bytes. `pieces` has what lies in it and its two neighbours, in the order of
    addresses; `pieces_left_out` counts those beyond what is listed. `holders` has all blocks in it,
    most bytes first."""

    region: int  # in the layout
    start: int
    size: int
    free: int  # of it, free already
    live: int  # payload of the blocks in it
    blocks: int
    pieces: tuple[Piece, ...]
    pieces_left_out: int
    holders: tuple[Holder, ...]


@dataclass(frozen=True, kw_only=True)
class Case(Record):
    """`served`: the request fitted (a need that was never short, at its closest moment).
    `short_by`: bytes between it and the largest that could have been served; negative: to spare."""

    request: Request
    served: bool
    free: int  # in the regions that could serve it
    largest_allocatable: int
    short_by: int
    regions: tuple[RegionState, ...]
    hole: Hole | None  # null: no blocks whose absence would have helped
    holder: str  # the task that held most in these regions; empty: nothing was held
    holder_live: int  # payload bytes of it
    sentences: tuple[str, ...]
