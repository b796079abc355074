"""The recorded program's own use of memory, whatever heap it ran on."""

from __future__ import annotations

from heapscope.rows.bound import AT_LEAST, BEFORE
from heapscope.rows.figure import figure
from heapscope.rows.row import Row


class Census(Row):
    """The recorded program's own use of memory, whatever heap it is replayed on."""

    events: int = figure("Heap events.", bound=AT_LEAST)
    mallocs: int = figure("malloc calls.", bound=AT_LEAST)
    callocs: int = figure("calloc calls.", bound=AT_LEAST)
    aligneds: int = figure("Aligned allocations.", bound=AT_LEAST)
    reallocs: int = figure("realloc calls.", bound=AT_LEAST)
    frees: int = figure("free calls.", bound=AT_LEAST)
    failed: int = figure("Requests that failed when recorded.", bound=AT_LEAST)
    marks: int = figure("Marks.", bound=AT_LEAST)
    first_time: int = figure("Time of the first event, clock ticks.", "ticks", bound=BEFORE)
    last_time: int = figure("Time of the last event, clock ticks.", "ticks", bound=AT_LEAST)
    live: int = figure("Payload bytes live at the end.", "B", bound=BEFORE)
    live_peak: int = figure("Most payload bytes live at one moment.", "B", bound=AT_LEAST)
    live_blocks: int = figure("Blocks live at the end.", bound=BEFORE)
    live_blocks_peak: int = figure("Most blocks live at one moment.", bound=AT_LEAST)
    live_peak_event: int | None = figure(
        "Heap event at which live_peak was reached; null: never.", bound=BEFORE
    )
    largest_request: int = figure("Bytes of the largest request.", "B", bound=AT_LEAST)
    word_excess: int = figure(
        "Requests above 4,294,967,295 bytes, which no 32-bit chip can serve.", bound=AT_LEAST
    )
    tasks: int = figure("Distinct tasks.", bound=AT_LEAST)
    sites: int = figure("Distinct call sites.", bound=AT_LEAST)
