"""The recorded program's own use of memory, whatever heap it ran on."""

from __future__ import annotations

from heapscope.rows.figure import figure
from heapscope.rows.row import Row

__all__ = ["Census"]


class Census(Row):
    """The recorded program's own use of memory, whatever heap it is replayed on."""

    events: int = figure("Heap events.")
    mallocs: int = figure("malloc calls.")
    callocs: int = figure("calloc calls.")
    aligneds: int = figure("Aligned allocations.")
    reallocs: int = figure("realloc calls.")
    frees: int = figure("free calls.")
    failed: int = figure("Requests that failed when recorded.")
    marks: int = figure("Marks.")
    first_time: int = figure("Time of the first event, clock ticks.", "ticks")
    last_time: int = figure("Time of the last event, clock ticks.", "ticks")
    live: int = figure("Payload bytes live at the end.", "B")
    live_peak: int = figure("Most payload bytes live at one moment.", "B")
    live_blocks: int = figure("Blocks live at the end.")
    live_blocks_peak: int = figure("Most blocks live at one moment.")
    live_peak_event: int | None = figure("Heap event at which live_peak was reached; null: never.")
    largest_request: int = figure("Bytes of the largest request.", "B")
    word_excess: int = figure("Requests above 4,294,967,295 bytes, which no 32-bit chip can serve.")
    tasks: int = figure("Distinct tasks.")
    sites: int = figure("Distinct call sites.")
