"""How a replay ended."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["Summary", "Tightest"]


@dataclass(frozen=True, kw_only=True)
class Tightest(Record):
    """The regions that malloc can use, together, at their least free memory; bytes."""

    event: int | None
    payload: int
    rounding: int
    header: int
    control: int
    startup: int
    moving: int  # the old block of a realloc under way
    free: int

    @property
    def size(self) -> int:
        used = self.payload + self.rounding + self.header + self.control + self.startup
        return used + self.moving + self.free


@dataclass(frozen=True, kw_only=True)
class Summary(Record):
    """Counts over the whole replay; bytes are payload as asked for. `live` is on the heaps;
    `not_placed` is live in the recorded program alone, as its requests failed here. None: the file
    is of a version that did not tell."""

    digest: str
    results: int
    failures: int
    first_failure_event: int | None
    zero_requests: int
    skipped: int
    recorded_failures: int
    recorded_failures_fit: int
    unknown_frees: int
    double_frees: int
    dead_reallocs: int
    refused_reallocs: int
    reused_ids: int
    address_compared: int
    address_matched: int
    live: int
    live_peak: int
    live_peak_event: int | None
    live_blocks: int
    not_placed: int | None
    not_placed_blocks: int | None
    startup_unplaced: int
    event_count: int
    tightest: Tightest

    @property
    def anomalies(self) -> int:
        """Events that contradict those before them."""
        return self.unknown_frees + self.double_frees + self.dead_reallocs + self.reused_ids

    @property
    def digest_line(self) -> str:
        return f"digest {self.digest} results {self.results} failures {self.failures}"
