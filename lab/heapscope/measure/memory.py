"""Several regions taken together: those of one kind, or those that serve one capability set."""

from __future__ import annotations

from heapscope.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT
from heapscope.rows.figure import figure, in_bytes
from heapscope.rows.row import Row


class MemoryFigures(Row):
    """All regions that serve one capability set."""

    size: int = in_bytes("Bytes of these regions.", "size", bound=EXACT)
    free: int = in_bytes("Free payload bytes at this moment, true.", "free", bound=BEFORE)
    free_reported: int = in_bytes(
        "Free bytes at this moment as the allocator version's own interface reports them.",
        "free as reported",
        bound=BEFORE,
    )
    minimum_free: int = in_bytes(
        "Lowest free payload bytes so far, true: of all these regions at one moment.",
        "minimum free",
        bound=AT_MOST,
    )
    minimum_free_reported: int = in_bytes(
        "Sum of the regions' own lowest free bytes as the allocator version reports "
        "them, as heap_caps_get_minimum_free_size does.",
        "minimum as reported",
        bound=AT_MOST,
    )
    minimum_free_event: int | None = figure(
        "Heap event at which minimum_free was reached; null: before the first event.",
        bound=BEFORE,
        heading="minimum at event",
    )
    largest_free: int = in_bytes(
        "Payload bytes of the largest free block, true.", "largest free", bound=BEFORE
    )
    largest_reported: int = in_bytes(
        "Largest free block in bytes as the allocator version's own interface reports it.",
        "largest reported",
        bound=BEFORE,
    )
    largest_allocatable: int = in_bytes(
        "Bytes of the largest request that would succeed at this moment.",
        "largest allocatable",
        bound=BEFORE,
    )
    minimum_largest_allocatable: int = in_bytes(
        "Lowest largest_allocatable so far, bytes, exact over all events.",
        "minimum allocatable",
        bound=AT_MOST,
    )
    minimum_largest_event: int | None = figure(
        "Heap event at which that was reached; null: before the first event.",
        bound=BEFORE,
        heading="allocatable at event",
    )
    peak_payload: int = in_bytes(
        "Most payload bytes (as asked for) live at one moment in these regions.",
        "peak payload",
        bound=AT_LEAST,
    )


class KindRow(MemoryFigures):
    """All regions of one memory kind."""

    kind: str = figure("Memory kind, for example D/IRAM.")


class SetRow(MemoryFigures):
    """All regions that serve a capability set; "malloc" is malloc's own rule."""

    capabilities: str = figure(
        "Capabilities joined with |, for example DMA|8BIT; malloc: malloc's own rule."
    )
