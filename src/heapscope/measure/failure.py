"""One request that the replayed heap could not serve, and why."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["FailureRegion", "FailureRow"]


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
    """`call` is malloc, calloc, aligned or realloc; `old_size` (bytes) belongs to realloc."""

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
