"""One request that the replayed heap could not serve, and why."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["FailureRegion", "FailureRow", "FailureSpan", "merged"]


@dataclass(frozen=True, kw_only=True)
class FailureRegion(Record):
    """A region at the moment of the failure, bytes. Not eligible: it lacks a capability."""

    start: int
    kind: str
    eligible: bool
    free: int
    largest_free: int
    largest_allocatable: int

    @property
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"


@dataclass(frozen=True, kw_only=True)
class FailureRow(Record):
    """`number` is its place among all failed requests, from 1; `call` is malloc, calloc, aligned or
    realloc; `old_size` (bytes) belongs to realloc."""

    number: int
    event: int
    time: int
    task: str
    site: str
    call: str
    size: int
    capabilities: str
    align: int
    old_size: int
    regions: tuple[FailureRegion, ...]

    @property
    def free(self) -> int:
        """Free bytes in the regions that could have served it."""
        return sum(region.free for region in self.regions if region.eligible)

    @property
    def largest_allocatable(self) -> int:
        return max((r.largest_allocatable for r in self.regions if r.eligible), default=0)


@dataclass(frozen=True, kw_only=True)
class FailureSpan(Record):
    """How many requests failed in a span of heap events, the bytes that they asked for together,
    and the largest of them."""

    first_event: int
    events: int
    failures: int
    bytes: int
    largest: int


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
