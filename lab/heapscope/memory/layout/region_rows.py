"""Regions, and several regions taken together: those of one kind, or those that serve one
capability set."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT
from heapscope.base.rows.figure import WORD, computed, figure, in_bytes
from heapscope.base.rows.row import Row


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


class RegionRow(Row):
    """One region and the heap on it. size = control + header + startup + payload + rounding +
    free."""

    start: int = figure("Address of its first byte.", most=WORD, bound=EXACT)
    size: int = in_bytes("Bytes.", "size", bound=EXACT)
    kind: str = figure("Memory kind, for example DRAM.")
    allocator: str = figure("Allocator of its heap.")
    has_heap: bool = figure("False: too small for its allocator and left without a heap.")
    control: int = in_bytes("Bytes of the allocator's own structures.", "control", bound=BEFORE)
    header: int = in_bytes(
        "Bytes of block headers, poisoning, sentinels and region ends lost to alignment.",
        "headers",
        bound=BEFORE,
    )
    startup: int = in_bytes("Bytes taken by start-up before the trace.", "start-up", bound=EXACT)
    payload: int = in_bytes("Bytes of live payload, as asked for.", "payload", bound=BEFORE)
    rounding: int = in_bytes("Bytes of blocks beyond their payload.", "rounding", bound=BEFORE)
    free: int = in_bytes("Free payload bytes, true.", "free", bound=BEFORE)
    used_blocks: int = figure("Used blocks.", bound=BEFORE, heading="used blocks", wide=True)
    free_blocks: int = figure("Free blocks.", bound=BEFORE, heading="free blocks", wide=True)
    minimum_free: int = in_bytes(
        "Lowest free payload bytes so far, true.", "minimum free", bound=AT_MOST
    )
    minimum_free_event: int | None = figure(
        "Heap event at which minimum_free was reached; null: before the first event.",
        bound=BEFORE,
        heading="minimum at event",
    )
    peak_payload: int = in_bytes(
        "Most payload bytes live at one moment.", "peak payload", bound=AT_LEAST
    )
    largest_free: int = in_bytes("Payload bytes of the largest free block, true.", bound=BEFORE)
    largest_reported: int = in_bytes(
        "Largest free block in bytes as the allocator version reports it.", bound=BEFORE
    )
    largest_allocatable: int = in_bytes(
        "Bytes of the largest request that would succeed in this region.", bound=BEFORE
    )
    minimum_largest_allocatable: int = in_bytes(
        "Lowest largest_allocatable so far, bytes.", "minimum allocatable", bound=AT_MOST
    )
    minimum_largest_event: int | None = figure(
        "Heap event at which that was reached; null: before the first event.",
        bound=BEFORE,
        heading="allocatable at event",
        wide=True,
    )
    reported_free: int = in_bytes("Free bytes as the allocator version reports them.", bound=BEFORE)
    reported_minimum_free: int = in_bytes(
        "Lowest free bytes as the allocator version reports them.", bound=AT_MOST
    )
    allocations: int = figure(
        "Blocks given by this region.", bound=AT_LEAST, heading="blocks given"
    )
    frees: int = figure("Blocks taken back.", bound=AT_LEAST)
    failures: int = figure(
        "Tries refused here, whether or not another region served the request; one "
        "request may try a region once per priority.",
        bound=AT_LEAST,
        heading="tries refused",
    )
    step_nodes: int = figure(
        "Work of the model: list nodes and blocks visited. Not the allocator's time.",
        bound=AT_LEAST,
    )
    step_bins: int = figure("Work of the model: bins and bitmap words looked at.", bound=AT_LEAST)
    step_writes: int = figure(
        "Work of the model: 32-bit words of metadata written.", bound=AT_LEAST
    )
    step_copied: int = figure(
        "Work of the model: payload bytes copied by realloc or zeroed by calloc.",
        "B",
        bound=AT_LEAST,
    )
    private: bool = figure(
        "A private heap: no request finds it but by a rule of --place.", default=False
    )

    @property
    @computed("The region, for people.", heading="Region", hidden=True)
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"

    @property
    @computed("The allocator of its heap, where it has one.", heading="allocator", hidden=True)
    def heap(self) -> str:
        return self.allocator if self.has_heap else "no heap"
