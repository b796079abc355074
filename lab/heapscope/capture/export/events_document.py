"""The document that `heapscope export --to json` writes, with a row for each heap event."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row


class RegionAt(Row):
    """A region of the layout, private heaps of rules included."""

    name: str = figure("Start and kind.")
    start: int = figure("Address.")
    size: int = figure("Bytes.", "B")
    allocator: str = figure("Its allocator.")


class ExportedMemory(Row):
    """A layout."""

    name: str = figure("For people.")
    chip: str = figure("Chip, or empty.")
    sdk: str = figure("SDK and version, or empty.")
    regions: tuple[RegionAt, ...] = figure(
        "In the order in which they are asked, private heaps of rules at the end."
    )


class ExportedMark(Row):
    """A mark."""

    event: int = figure("Heap events before it.")
    time: int | None = figure("Clock ticks; null without a clock.", "ticks")
    name: str = figure("Its name.")


class ExportedEvent(Row):
    """A heap event."""

    event: int = figure(
        "Number of the heap event, from 0. Events that a damaged trace lost leave a gap."
    )
    time: int | None = figure("Clock ticks since the trace's start; null without a clock.", "ticks")
    task: str = figure("Task that called.")
    site: str | None = figure(
        "Call site, null where the trace tells none. Semicolons part the frames of a stack, root "
        "first."
    )
    call: str = figure("The call.", choices=("malloc", "calloc", "aligned", "realloc", "free"))
    outcome: str = figure(
        "failed: the layout's heaps refused it; failed_recorded: it failed where it was recorded, "
        "and was not asked here; zero: 0 bytes asked, NULL by contract; skipped: its block's "
        "allocation had failed here; unknown: free or realloc of a block that is not live; "
        "refused: a realloc that this allocator cannot do.",
        choices=("ok", "failed", "failed_recorded", "zero", "skipped", "unknown", "refused"),
    )
    size: int = figure("Bytes asked for; 0 of a free.", "B")
    freed: int = figure("Bytes, as asked for, of blocks that the event ended.", "B")
    live: int = figure("Bytes live after it.", "B")
    align: int | None = figure("Alignment asked for; null: none.", "B")
    capabilities: int = figure("Bits of the capabilities asked for; 0: malloc's own rule.")
    heap: str = figure("The program's own heap that it was asked of.")
    block: int | None = figure(
        "Id or address of the block in the trace, before the event; null: none."
    )
    new_block: int | None = figure(
        "The same after it: another only for a realloc in a trace with addresses."
    )


class PlacedEvent(ExportedEvent):
    """A heap event with the place of its block in the layout: the one that was got, or else given
    back. null: none."""

    region: str | None = figure("The region of the block.")
    address: int | None = figure("Its address there.")
    offset: int | None = figure("The address less the region's start.", "B")


class ExportedTotals(Row):
    """The sums of the events."""

    events: int = figure("Heap events.")
    live_peak: int = figure("Most bytes live at once.", "B")
    live_peak_event: int | None = figure(
        "Event after which they were; null: nothing was ever live."
    )
    live_end: int = figure("Bytes live at the end.", "B")
    failures: int = figure(
        "Requests that the layout refused; without one those that failed where they were recorded."
    )
    digest: str | None = figure(
        "Digest of the results, as replay --digest prints it; null without a layout."
    )


class EventsDocument(Document):
    """A trace with every heap event. Sizes are bytes as the program asked for them."""

    VERB = "export"
    COMMAND = "export --to json"
    VERSION = 1

    trace: str = figure("The file.")
    metadata: dict[str, str] = figure("The facts that the trace tells of its origin.")
    clock_hz: int | None = figure("Clock ticks in a second; null: not told.")
    layout: ExportedMemory | None = figure("The memory; null: the recorded program's own use.")
    marks: tuple[ExportedMark, ...] = figure("Named points of the run, at most 4096.")
    events: tuple[ExportedEvent | PlacedEvent, ...] = figure(
        "Every heap event in order; with a layout each has its place."
    )
    totals: ExportedTotals = figure("The sums of the events.")
    messages: tuple[str, ...] = figure("The parts of the trace that are missing, a sentence each.")
