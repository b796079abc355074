"""Several regions taken together: those of one kind, or those that serve one capability set."""

from __future__ import annotations

from heapscope.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT
from heapscope.rows.figure import WORD, figure
from heapscope.rows.row import Row


class MemoryFigures(Row):
    """All regions that serve one capability set."""

    size: int = figure("Bytes of these regions.", "B", most=WORD, bound=EXACT, heading="size")
    free: int = figure(
        "Free payload bytes at this moment, true.", "B", most=WORD, bound=BEFORE, heading="free"
    )
    free_reported: int = figure(
        "Free bytes at this moment as the allocator version's own interface reports them.",
        "B",
        most=WORD,
        bound=BEFORE,
        heading="free as reported",
    )
    minimum_free: int = figure(
        "Lowest free payload bytes so far, true: of all these regions at one moment.",
        "B",
        most=WORD,
        bound=AT_MOST,
        heading="minimum free",
    )
    minimum_free_reported: int = figure(
        "Sum of the regions' own lowest free bytes as the allocator version reports "
        "them, as heap_caps_get_minimum_free_size does.",
        "B",
        most=WORD,
        bound=AT_MOST,
        heading="minimum as reported",
    )
    minimum_free_event: int | None = figure(
        "Heap event at which minimum_free was reached; null: before the first event.",
        bound=BEFORE,
        heading="minimum at event",
    )
    largest_free: int = figure(
        "Payload bytes of the largest free block, true.",
        "B",
        most=WORD,
        bound=BEFORE,
        heading="largest free",
    )
    largest_reported: int = figure(
        "Largest free block in bytes as the allocator version's own interface reports it.",
        "B",
        most=WORD,
        bound=BEFORE,
        heading="largest reported",
    )
    largest_allocatable: int = figure(
        "Bytes of the largest request that would succeed at this moment.",
        "B",
        most=WORD,
        bound=BEFORE,
        heading="largest allocatable",
    )
    minimum_largest_allocatable: int = figure(
        "Lowest largest_allocatable so far, bytes, exact over all events.",
        "B",
        most=WORD,
        bound=AT_MOST,
        heading="minimum allocatable",
    )
    minimum_largest_event: int | None = figure(
        "Heap event at which that was reached; null: before the first event.",
        bound=BEFORE,
        heading="allocatable at event",
    )
    peak_payload: int = figure(
        "Most payload bytes (as asked for) live at one moment in these regions.",
        "B",
        most=WORD,
        bound=AT_LEAST,
        heading="peak payload",
    )


class KindRow(MemoryFigures):
    """All regions of one memory kind."""

    kind: str = figure("Memory kind, for example D/IRAM.")


class SetRow(MemoryFigures):
    """All regions that serve a capability set; "malloc" is malloc's own rule."""

    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule."
    )
