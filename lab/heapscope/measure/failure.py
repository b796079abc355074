"""One request that the replayed heap could not serve, and why."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.rows.bound import BEFORE
from heapscope.rows.figure import WORD, figure
from heapscope.rows.row import Row

__all__ = ["FailureRegion", "FailureRow", "FailureSpan", "merged"]


class FailureRegion(Row):
    """A region at the moment of the failure, bytes. Not eligible: it lacks a capability."""

    start: int = figure("Address of its first byte.", most=WORD)
    kind: str = figure("Memory kind.")
    eligible: bool = figure("Whether its capabilities would have allowed it to serve the request.")
    free: int = figure("Free payload bytes.", "B", most=WORD)
    largest_free: int = figure("Payload bytes of the largest free block, true.", "B", most=WORD)
    largest_allocatable: int = figure(
        "Bytes of the largest request that would have succeeded.", "B", most=WORD
    )

    @property
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"


class FailureRow(Row):
    """One request that the replayed heap could not serve."""

    number: int = figure("Its place among all failed requests, from 1.", least=1)
    event: int = figure("Number of the heap event.")
    time: int = figure("Its time, clock ticks.", "ticks")
    task: str = figure("Task that asked.")
    site: str = figure("Call site; empty: unknown.")
    call: str = figure("malloc, calloc, aligned or realloc.")
    size: int = figure("Bytes asked for.", "B")
    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule."
    )
    align: int = figure("Alignment asked for, bytes; 0: none.", "B")
    old_size: int = figure("realloc: bytes of the block before; otherwise 0.", "B")
    regions: tuple[FailureRegion, ...] = figure(
        "Every region at that moment, in the order in which they are tried."
    )

    @property
    def free(self) -> int:
        """Free bytes in the regions that could have served it."""
        return sum(region.free for region in self.regions if region.eligible)

    @property
    def largest_allocatable(self) -> int:
        return max((r.largest_allocatable for r in self.regions if r.eligible), default=0)


class FailureSpan(Row):
    """How many requests failed in a span of heap events, the bytes that they asked for together,
    and the largest of them."""

    first_event: int = figure("Its first heap event.", bound=BEFORE)
    events: int = figure("How many heap events it has.", bound=BEFORE)
    failures: int = figure("Requests that failed in it.", bound=BEFORE)
    bytes: int = figure("Bytes that they asked for together.", "B", bound=BEFORE)
    largest: int = figure("The largest of them; 0: none failed.", bound=BEFORE)


def merged(spans: Sequence[FailureSpan], most: int) -> list[FailureSpan]:
    """The same failures in at most so many spans."""
    part = -(-len(spans) // most) if spans else 1
    groups = [spans[at : at + part] for at in range(0, len(spans), part)]
    return [
        FailureSpan(
            first_event=group[0].first_event,
            events=sum(span.events for span in group),
            failures=sum(span.failures for span in group),
            bytes=sum(span.bytes for span in group),
            largest=max(span.largest for span in group),
        )
        for group in groups
    ]
