"""Why one request went where it went."""

from __future__ import annotations

from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Row


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
