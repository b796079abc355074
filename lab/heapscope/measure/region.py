"""One region of the layout and the heap on it."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["RegionRow"]


@dataclass(frozen=True, kw_only=True)
class RegionRow(Record):
    """Bytes unless named otherwise. size = control + header + startup + payload + rounding + free.

    `header` holds block headers, poisoning, sentinels and region ends lost to alignment.
    `failures` counts tries refused here, served by another region or not: one request may try a
    region once per priority. Steps are the model's work, never the allocator's time.
    """

    start: int
    size: int
    kind: str
    allocator: str
    has_heap: bool
    control: int
    header: int
    startup: int
    payload: int
    rounding: int
    free: int
    used_blocks: int
    free_blocks: int
    minimum_free: int
    minimum_free_event: int | None
    peak_payload: int
    largest_free: int
    largest_reported: int
    largest_allocatable: int
    minimum_largest_allocatable: int
    minimum_largest_event: int | None
    reported_free: int
    reported_minimum_free: int
    allocations: int
    frees: int
    failures: int
    step_nodes: int
    step_bins: int
    step_writes: int
    step_copied: int
    private: bool = False  # a private heap: no request finds it but by a rule

    @property
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"
