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
    """Counts over the whole replay; bytes are payload as asked for."""

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
    startup_unplaced: int
    event_count: int
    tightest: Tightest

    @property
    def digest_line(self) -> str:
        return f"digest {self.digest} results {self.results} failures {self.failures}"
