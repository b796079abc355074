"""Headroom for one contiguous request."""

from __future__ import annotations

from heapscope.rows.figure import WORD, figure
from heapscope.rows.row import Row

__all__ = ["NeedRow"]


class NeedRow(Row):
    """Headroom for one contiguous request."""

    size: int = figure("Bytes of the request.", "B", most=WORD)
    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule."
    )
    short_events: int = figure("Heap events after which the request would not have been served.")
    spells: int = figure("Runs of such events.")
    first_event: int | None = figure("The first such event; null: none.")
    first_time: int | None = figure(
        "Time of the first such event, clock ticks; null: none.", "ticks"
    )
    last_event: int | None = figure("The last such event; null: none.")
    minimum_margin: int = figure(
        "Smallest largest_allocatable minus size, bytes; below 0: short by so much.",
        "B",
        least=None,
    )
    minimum_margin_event: int | None = figure(
        "Heap event of the smallest margin; null: before the first event."
    )

    @property
    def worst_largest(self) -> int:
        """largest_allocatable at the worst moment, bytes."""
        return self.size + self.minimum_margin
