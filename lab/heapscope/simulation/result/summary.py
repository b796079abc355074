"""How a replay ended, and the anomalies of its trace."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, AT_MOST, BEFORE, EXACT, FIRST
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.native.names import anomaly_names


class Tightest(Row):
    """The regions that malloc can use, together, at their least free memory; bytes."""

    event: int | None = figure(
        "Heap event of that moment; null: before the first event.", bound=BEFORE
    )
    payload: int = figure("Bytes of live payload, as asked for.", "B", bound=BEFORE)
    rounding: int = figure("Bytes of blocks beyond their payload.", "B", bound=BEFORE)
    header: int = figure(
        "Bytes of block headers, poisoning, sentinels and region ends lost to alignment.",
        "B",
        bound=BEFORE,
    )
    control: int = figure("Bytes of the allocators' own structures.", "B", bound=BEFORE)
    startup: int = figure("Bytes taken by start-up before the trace.", "B", bound=BEFORE)
    moving: int = figure(
        "Bytes of the old block of a realloc that was being moved at that moment, and "
        "of its header.",
        "B",
        bound=BEFORE,
    )
    free: int = figure("Free payload bytes.", "B", bound=AT_MOST)

    @property
    def size(self) -> int:
        used = self.payload + self.rounding + self.header + self.control + self.startup
        return used + self.moving + self.free


class Summary(Row):
    """How the replay ended."""

    digest: str = figure(
        "FNV-1a 64 over the result offset of each request (32 bit, little endian, "
        "0xFFFFFFFF for NULL), in order.",
        pattern="^[0-9a-f]{16}$",
    )
    results: int = figure(
        "Requests answered: malloc, calloc, realloc and aligned calls.", bound=AT_LEAST
    )
    failures: int = figure("Requests that failed.", bound=AT_LEAST)
    first_failure_event: int | None = figure(
        "Heap event of the first failure; null: none failed.", bound=FIRST
    )
    zero_requests: int = figure(
        "Requests of 0 bytes: NULL by contract, no failure.", bound=AT_LEAST
    )
    skipped: int = figure(
        "Events left out because the block they belong to failed in this replay.", bound=AT_LEAST
    )
    recorded_failures: int = figure("Requests that failed when recorded.", bound=AT_LEAST)
    recorded_failures_fit: int = figure(
        "Requests of recorded_failures that would have fitted here.", bound=AT_LEAST
    )
    unknown_frees: int = figure("Frees of an id that was never allocated.", bound=AT_LEAST)
    double_frees: int = figure("Frees of an id that was freed already.", bound=AT_LEAST)
    dead_reallocs: int = figure("Reallocs of an id that was freed already.", bound=AT_LEAST)
    refused_reallocs: int = figure("Reallocs that this allocator cannot do at all.", bound=AT_LEAST)
    reused_ids: int = figure("Allocations under an id that was still live.", bound=AT_LEAST)
    address_compared: int = figure(
        "Requests whose recorded address could be compared.", bound=AT_LEAST
    )
    address_matched: int = figure(
        "Requests of address_compared that got that very address.", bound=AT_LEAST
    )
    begun_blocks: int = figure(
        "Blocks of the snapshot that the heaps begin with; 0: they begin empty. A snapshot tells "
        "where blocks lie, and not the order in which an allocator keeps its holes.",
        default=0,
        bound=EXACT,
    )
    live: int = figure("Payload bytes live at the end.", "B", bound=BEFORE)
    live_peak: int = figure("Most payload bytes live at one moment.", "B", bound=AT_LEAST)
    live_peak_event: int | None = figure(
        "Heap event at which live_peak was reached; null: never.", bound=BEFORE
    )
    live_blocks: int = figure("Blocks live at the end on the heaps.", bound=BEFORE)
    not_placed: int = figure(
        "Bytes that are live in the recorded program at the end and on no heap here, "
        "because their requests failed.",
        "B",
        bound=BEFORE,
    )
    not_placed_blocks: int = figure("Blocks of not_placed.", bound=BEFORE)
    startup_unplaced: int = figure("Start-up bytes that no region could take.", "B", bound=EXACT)
    event_count: int = figure("Heap events replayed, lost ones not counted.", bound=AT_LEAST)
    tightest: Tightest = figure("Where the bytes were at the tightest moment.")

    @property
    def anomalies(self) -> int:
        """Events that contradict those before them."""
        return self.unknown_frees + self.double_frees + self.dead_reallocs + self.reused_ids

    @property
    def digest_line(self) -> str:
        return f"digest {self.digest} results {self.results} failures {self.failures}"


class AnomalyRow(Row):
    """An event that makes no sense after those before it; the replay went on without it."""

    event: int = figure("Number of the heap event.")
    what: str = figure("The contradiction.")
    key: int | None = figure(
        "Address of the block; null in a trace without addresses, and for a block it does not know."
    )
    task: str = figure("Task of the event.")


def anomaly_counts(summary: Summary) -> dict[str, int]:
    """How often each kind of anomaly came, by its name."""
    counts = (
        summary.unknown_frees,
        summary.double_frees,
        summary.dead_reallocs,
        summary.refused_reallocs,
        summary.reused_ids,
    )
    return dict(zip(anomaly_names()[1:], counts, strict=True))
