"""Several regions taken together: those of one kind, or those that serve one capability set."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["KindRow", "MemoryFigures", "SetRow"]


@dataclass(frozen=True, kw_only=True)
class MemoryFigures(Record):
    """Bytes. `*_reported`: what the allocator version's own interface would have said."""

    size: int
    free: int
    free_reported: int
    minimum_free: int
    minimum_free_reported: int
    minimum_free_event: int | None
    largest_free: int
    largest_reported: int
    largest_allocatable: int
    minimum_largest_allocatable: int
    minimum_largest_event: int | None
    peak_payload: int


@dataclass(frozen=True, kw_only=True)
class KindRow(MemoryFigures):
    """All regions of one memory kind."""

    kind: str


@dataclass(frozen=True, kw_only=True)
class SetRow(MemoryFigures):
    """All regions that serve a capability set; "malloc" is malloc's own rule."""

    capabilities: str
