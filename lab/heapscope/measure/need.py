"""Headroom for one contiguous request."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["NeedRow"]


@dataclass(frozen=True, kw_only=True)
class NeedRow(Record):
    """After how many events a request of `size` bytes would not have been served.

    `minimum_margin` is the smallest largest_allocatable minus size, in bytes; `spells` counts the
    runs of events without room; times in clock ticks.
    """

    size: int
    capabilities: str
    short_events: int
    spells: int
    first_event: int | None
    first_time: int | None
    last_event: int | None
    minimum_margin: int
    minimum_margin_event: int | None

    @property
    def worst_largest(self) -> int:
        """largest_allocatable at the worst moment, bytes."""
        return self.size + self.minimum_margin
