"""One request that was refused, or nearly: what stood in its way at that moment. Plain data, which
the terminal, the JSON and a report's section show alike."""

from __future__ import annotations

from heapscope.base.rows.figure import WORD, computed, figure, in_bytes
from heapscope.base.rows.row import Row

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


class CaseRequest(Row):
    """The request. Bytes."""

    event: int | None = figure("Its heap event, from 0; null: before the first one.")
    after: bool = figure("It is asked once the event is over, else in the event.")
    call: str = figure(
        "The call; need: it was only asked about.",
        choices=("malloc", "calloc", "aligned", "realloc", "need"),
    )
    size: int = figure("Bytes asked for.", "B")
    align: int = figure("Alignment; 0: none.")
    old_size: int = figure("Bytes of the block that a realloc would change.", "B")
    capabilities: str = figure("Capabilities joined with |; malloc: malloc's own rule.")
    task: str = figure("Task that asked; empty for a need.")
    site: str = figure("Call site; empty: the trace does not tell.")
    mark: str = figure("The last mark before it; empty: none.")


class RegionState(Row):
    """A region at that moment, bytes."""

    index: int = figure("Its place in the layout, private heaps of rules last.")
    start: int = figure("Address.", most=WORD)
    size: int = in_bytes("Bytes of the region.")
    kind: str = figure("Memory kind.")
    allocator: str = figure("Its allocator.")
    eligible: bool = figure("The request may be served here.")
    reason: str = figure(
        "Why it did not serve the request: lacks a capability; no rule sends it here; "
        "refused by rule before any region is asked; too small for a heap; too small "
        "even when empty; fewer bytes free in all; the bytes are free but in pieces; a "
        "piece is large enough but the allocator does not look there; it would have "
        "served it but for its alignment.",
        choices=REASONS,
        heading="why not",
    )
    detail: str = figure("The capabilities that it lacks; else empty.")
    capacity: int = in_bytes(
        "The largest such request that it would serve if it were empty.", "when empty", wide=True
    )
    free: int = in_bytes("Free payload bytes.", "free")
    largest_free: int = in_bytes("Payload bytes of its largest free block.", "largest free")
    largest_allocatable: int = in_bytes(
        "The largest request that it would serve now.", "largest allocatable"
    )
    used_blocks: int = figure("Blocks in use.")
    free_blocks: int = figure("Free blocks.")

    @property
    @computed("The region, for people.", heading="Region", hidden=True)
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"


class Stretch(Row):
    """A stretch of a region. Headers lie between pieces."""

    what: str = figure(
        "Free, a block of the trace, or start-up's and the allocator's own.",
        choices=("free", "block", "other"),
    )
    address: int = figure("Where it starts, behind its header.", most=WORD, heading="Address")
    size: int = in_bytes("Bytes, with the allocator's rounding.", "bytes")
    inside: bool = figure("Part of the hole; false: its neighbour.")
    requested: int = figure("Payload bytes of a block.", "B")
    task: str = figure("Who holds the block; else empty.", heading="held by")
    site: str = figure("Where it was allocated; empty: the trace does not tell.", heading="Site")
    since: int | None = figure(
        "Heap event of its last (re)allocation; null: no block.", heading="since event"
    )
    age: int | None = figure("Heap events since then.", heading="age in events", wide=True)
    mark: str = figure(
        "The last mark before its allocation; empty: none.", heading="mark", wide=True
    )


class Holder(Row):
    """All blocks of one task and site in a hole."""

    task: str = figure("Task.", heading="Task")
    site: str = figure("Call site; empty: the trace does not tell.", heading="Site")
    blocks: int = figure("How many blocks.", heading="blocks", rest="sum")
    live: int = figure("Their payload bytes.", "B", "bytes", rest="sum")
    largest: int = figure("Payload bytes of the largest one.", "B", "largest", rest="most")
    since: int | None = figure(
        "Heap event of the oldest one's last (re)allocation.",
        heading="oldest since event",
        rest="least",
    )
    mark: str = figure("The last mark before it; empty: none.", heading="mark")


class MomentHolder(Row):
    """The blocks of one task and site in the regions that could serve the request."""

    task: str = figure("Task.", heading="Task")
    site: str = figure("Call site; empty: the trace does not tell.", heading="Site")
    blocks: int = figure("How many blocks.", heading="blocks", rest="sum")
    live: int = figure("Their payload bytes.", "B", "bytes", rest="sum")
    hole: int = in_bytes(
        "The largest contiguous span without its blocks: the hole that it keeps from closing.",
        "hole without them",
    )
    verdict: str = figure(
        "The verdict of `heapscope leaks`; empty: nothing of it stays.",
        heading="over the run",
    )


class Hole(Row):
    """The best hole: the contiguous span that would have held the request if the fewest live bytes
    were gone (docs/design/why.md)."""

    region: int = figure("Its region's place in the layout.")
    start: int = figure("Address.", most=WORD)
    size: int = in_bytes("Bytes.")
    free: int = in_bytes("Bytes of it that are free already.")
    live: int = in_bytes("Payload bytes of the blocks in it.")
    blocks: int = figure("Blocks in it.")
    pieces: tuple[Stretch, ...] = figure(
        "The pieces of it and its two neighbours, by address, at most 64."
    )
    pieces_left_out: int = figure("Pieces beyond those.")
    holders: tuple[Holder, ...] = figure("Who holds its blocks, most bytes first.")


class Case(Row):
    """One request that was refused, or nearly."""

    request: CaseRequest = figure("The request.")
    served: bool = figure("It fitted, or would have.")
    free: int = figure("Bytes free in the regions that could serve it.", "B")
    largest_allocatable: int = figure("The largest request that one of them would serve.")
    short_by: int = figure("size minus largest_allocatable; negative: to spare.", least=None)
    regions: tuple[RegionState, ...] = figure("Every region, in the layout's order.")
    hole: Hole | None = figure("null: no blocks whose absence would have helped.")
    holders: tuple[MomentHolder, ...] = figure(
        "Who holds most in those regions, by task and site, most bytes first; at most five."
    )
    held: int = figure("Payload bytes of all blocks in those regions.", "B")
    nature: str = figure(
        "The fault, in a word; empty: it was served.",
        choices=(
            *("leak", "fragmentation", "rounding", "alignment", "divided memory"),
            *("too large a request", "wrong memory", "too small a memory", "leak or use"),
            *("start-up", ""),
        ),
    )
    holder: str = figure("The task that held most in those regions; empty: none.")
    holder_live: int = figure("Its payload bytes.", "B")
    sentences: tuple[str, ...] = figure(
        "The sentences that tell people what happened, why, and who stands in the way."
    )
