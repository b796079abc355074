"""Headroom for one contiguous request."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, AT_MOST, BEFORE, FIRST
from heapscope.base.rows.figure import figure
from heapscope.base.rows.request import RequestRow


class HeadroomRow(RequestRow):
    """Headroom for one contiguous request."""

    short_events: int = figure(
        "Heap events after which the request would not have been served.",
        bound=AT_LEAST,
        heading="events without room",
    )
    spells: int = figure("Runs of such events.", bound=AT_LEAST, heading="spells")
    first_event: int | None = figure(
        "The first such event; null: none.", bound=FIRST, heading="first at event"
    )
    first_time: int | None = figure(
        "Time of the first such event, clock ticks; null: none.", "ticks", bound=BEFORE
    )
    last_event: int | None = figure(
        "The last such event; null: none.", bound=BEFORE, heading="last at event"
    )
    minimum_margin: int = figure(
        "Smallest largest_allocatable minus size, bytes; below 0: short by so much.",
        "B",
        "smallest margin",
        least=None,
        bound=AT_MOST,
    )
    minimum_margin_event: int | None = figure(
        "Heap event of the smallest margin; null: before the first event.",
        bound=BEFORE,
        heading="margin at event",
    )

    @property
    def worst_largest(self) -> int:
        """largest_allocatable at the worst moment, bytes."""
        return self.size + self.minimum_margin
