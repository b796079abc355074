"""One region of the layout and the heap on it."""

from __future__ import annotations

from heapscope.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT
from heapscope.rows.figure import WORD, computed, figure
from heapscope.rows.row import Row


class RegionRow(Row):
    """One region and the heap on it. size = control + header + startup + payload + rounding +
    free."""

    start: int = figure("Address of its first byte.", most=WORD, bound=EXACT)
    size: int = figure("Bytes.", "B", most=WORD, bound=EXACT, heading="size")
    kind: str = figure("Memory kind, for example DRAM.")
    allocator: str = figure("Allocator of its heap.")
    has_heap: bool = figure("False: too small for its allocator and left without a heap.")
    control: int = figure(
        "Bytes of the allocator's own structures.", "B", most=WORD, bound=BEFORE, heading="control"
    )
    header: int = figure(
        "Bytes of block headers, poisoning, sentinels and region ends lost to alignment.",
        "B",
        most=WORD,
        bound=BEFORE,
        heading="headers",
    )
    startup: int = figure(
        "Bytes taken by start-up before the trace.", "B", most=WORD, bound=EXACT, heading="start-up"
    )
    payload: int = figure(
        "Bytes of live payload, as asked for.", "B", most=WORD, bound=BEFORE, heading="payload"
    )
    rounding: int = figure(
        "Bytes of blocks beyond their payload.", "B", most=WORD, bound=BEFORE, heading="rounding"
    )
    free: int = figure("Free payload bytes, true.", "B", most=WORD, bound=BEFORE, heading="free")
    used_blocks: int = figure("Used blocks.", bound=BEFORE, heading="used blocks", wide=True)
    free_blocks: int = figure("Free blocks.", bound=BEFORE, heading="free blocks", wide=True)
    minimum_free: int = figure(
        "Lowest free payload bytes so far, true.",
        "B",
        most=WORD,
        bound=AT_MOST,
        heading="minimum free",
    )
    minimum_free_event: int | None = figure(
        "Heap event at which minimum_free was reached; null: before the first event.",
        bound=BEFORE,
        heading="minimum at event",
    )
    peak_payload: int = figure(
        "Most payload bytes live at one moment.",
        "B",
        most=WORD,
        bound=AT_LEAST,
        heading="peak payload",
    )
    largest_free: int = figure(
        "Payload bytes of the largest free block, true.", "B", most=WORD, bound=BEFORE
    )
    largest_reported: int = figure(
        "Largest free block in bytes as the allocator version reports it.",
        "B",
        most=WORD,
        bound=BEFORE,
    )
    largest_allocatable: int = figure(
        "Bytes of the largest request that would succeed in this region.",
        "B",
        most=WORD,
        bound=BEFORE,
    )
    minimum_largest_allocatable: int = figure(
        "Lowest largest_allocatable so far, bytes.",
        "B",
        most=WORD,
        bound=AT_MOST,
        heading="minimum allocatable",
    )
    minimum_largest_event: int | None = figure(
        "Heap event at which that was reached; null: before the first event.",
        bound=BEFORE,
        heading="allocatable at event",
        wide=True,
    )
    reported_free: int = figure(
        "Free bytes as the allocator version reports them.", "B", most=WORD, bound=BEFORE
    )
    reported_minimum_free: int = figure(
        "Lowest free bytes as the allocator version reports them.",
        "B",
        most=WORD,
        bound=AT_MOST,
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
