"""The recorded program's own use of memory, whatever heap it ran on."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["Census"]


@dataclass(frozen=True, kw_only=True)
class Census(Record):
    """Counts over heap events; payload in bytes as asked for, times in clock ticks."""

    events: int
    mallocs: int
    callocs: int
    aligneds: int
    reallocs: int
    frees: int
    failed: int
    marks: int
    first_time: int
    last_time: int
    live: int
    live_peak: int
    live_blocks: int
    live_blocks_peak: int
    live_peak_event: int | None
    largest_request: int
    word_excess: int
    tasks: int
    sites: int
