"""Single requests: why one failed, and why one went where it went."""

from __future__ import annotations

from collections.abc import Sequence

from heapscope.base.rows.bound import BEFORE
from heapscope.base.rows.figure import WORD, computed, figure, in_bytes
from heapscope.base.rows.row import Row


class FailureRegion(Row):
    """A region at the moment of the failure, bytes. Not eligible: it lacks a capability."""

    start: int = figure("Address of its first byte.", most=WORD)
    kind: str = figure("Memory kind.")
    eligible: bool = figure("Whether its capabilities would have allowed it to serve the request.")
    free: int = in_bytes("Free payload bytes.", "free")
    largest_free: int = in_bytes("Payload bytes of the largest free block, true.", "largest free")
    largest_allocatable: int = in_bytes(
        "Bytes of the largest request that would have succeeded.", "largest allocatable"
    )

    @property
    @computed("The region, for people.", heading="Region", hidden=True)
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"


class FailureRow(Row):
    """One request that the replayed heap could not serve."""

    number: int = figure("Its place among all failed requests, from 1.", least=1)
    event: int = figure("Number of the heap event.", heading="at event")
    time: int = figure("Its time, clock ticks.", "ticks")
    task: str = figure("Task that asked.", heading="Task")
    site: str = figure("Call site; empty: unknown.", heading="Site")
    call: str = figure("malloc, calloc, aligned or realloc.", heading="Call")
    size: int = figure("Bytes asked for.", "B", "asked for")
    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule.",
        heading="from",
    )
    align: int = figure("Alignment asked for, bytes; 0: none.", "B", "aligned to", wide=True)
    old_size: int = figure(
        "realloc: bytes of the block before; otherwise 0.", "B", "size before", wide=True
    )
    regions: tuple[FailureRegion, ...] = figure(
        "Every region at that moment, in the order in which they are tried."
    )

    @property
    @computed(
        "Free bytes in the regions that could have served it.", "B", "free", hidden=True, last=True
    )
    def free(self) -> int:
        return sum(region.free for region in self.regions if region.eligible)

    @property
    @computed(
        "Bytes of the largest request that one of them would have served.",
        "B",
        "largest allocatable",
        hidden=True,
        last=True,
    )
    def largest_allocatable(self) -> int:
        return max((r.largest_allocatable for r in self.regions if r.eligible), default=0)


class FailureSpan(Row):
    """How many requests failed in a span of heap events, the bytes that they asked for together,
    and the largest of them."""

    first_event: int = figure("Its first heap event.", bound=BEFORE, heading="from event")
    events: int = figure("How many heap events it has.", bound=BEFORE, heading="events", rest="sum")
    failures: int = figure(
        "Requests that failed in it.", bound=BEFORE, heading="failed requests", rest="sum"
    )
    bytes: int = figure(
        "Bytes that they asked for together.", "B", "bytes asked for", bound=BEFORE, rest="sum"
    )
    largest: int = figure(
        "The largest of them; 0: none failed.", "B", "largest", bound=BEFORE, rest="most"
    )


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


class Step(Row):
    """One region that was asked, in turn, or one that was not and why. Bytes as they stood before
    the event."""

    region: int = figure("Address of the region.")
    kind: str = figure("Memory kind.")
    priority: int | None = figure(
        "Priority of the capabilities that let it be asked; null: never asked by capabilities.",
        heading="priority",
    )
    free: int = figure("Bytes of payload in free blocks.", "B", "free")
    largest_free: int = figure("Largest payload of a free block, bytes.", "B", "largest free")
    largest_allocatable: int = figure(
        "Largest request that would have been served, bytes.", "B", "largest allocatable"
    )
    outcome: str = figure(
        "served, too small, no heap, not reached, not asked, or what it lacks.", heading="outcome"
    )

    @property
    @computed("The region, for people.", heading="Region", hidden=True)
    def name(self) -> str:
        return f"{self.region:#010x} {self.kind}"


class Explanation(Row):
    """Why one request went where it went."""

    event: int = figure("The event.")
    call: str = figure("The call.", choices=("malloc", "calloc", "aligned", "realloc"))
    size: int = figure("Bytes asked for.", "B")
    align: int = figure("Alignment asked for; 0: none.")
    capabilities: str = figure("The capabilities as asked; malloc: by malloc's own rule.")
    asked_as: str = figure("The capabilities that malloc's rule made of it, in turn.")
    task: str = figure("The task.")
    site: str = figure("The call site; empty: unknown.")
    skipped: bool = figure("True when the block it names had found no place, so nothing was asked.")
    old_address: int | None = figure("Address of the block before; null: none.")
    old_size: int = figure("Bytes it had been asked with.", "B")
    address: int | None = figure("Address of the block afterwards; null: none.")
    steps: tuple[Step, ...] = figure(
        "Regions in the order in which they were asked, then those that were not."
    )
