"""The answer of `import`: all that the log tells, and the trace that it became."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import plural, size
from heapscope.logs.answer.log_result import LogResult
from heapscope.logs.esp_idf.order import OrderedCounts
from heapscope.trace.source_loss import SourceLoss


class SiteUse(Row):
    """The blocks of one call site that are not freed."""

    name: str = figure("Its callers, the innermost first.")
    blocks: int = figure("Blocks not freed.")
    bytes: int = figure("Bytes not freed.", "B")


class HeapTraceFacts(OrderedCounts):
    """The heap trace that counts, and the events that it became."""

    line: int = figure("Line of the log where it begins.")
    uptime_ms: int | None = figure("Time since the start of the program; null: not told.", "ms")
    boot: int = figure("Number of that start in the log, from 1.")
    dumps: int = figure("Heap traces in the log.")
    complete: bool = figure("Read from its first line to its totals.")
    mode: str = figure("Empty: not told.", choices=("all", "leaks", ""))
    records: int = figure("Records read.")
    stated_records: int | None = figure("Records by its first line; null: missing.")
    capacity: int | None = figure("Records that the device's buffer holds; null: not told.")
    total_allocations: int | None = figure("Allocations on the device; null: not told.")
    total_frees: int | None = figure("Frees on the device; null: not told.")
    stated_bytes: int | None = figure(
        "Bytes alive or leaked by its own account; null: not told.", "B"
    )
    overflowed: bool = figure("The device's buffer was full.")
    cut_records: int = figure("Records that are not whole, left out.")
    dropped: int = figure("Records above the most that is read.")
    lost: int | None = figure("Allocations that are not in the text; null: not told.")
    sites: int = figure("Call sites.")
    alive_sites: tuple[SiteUse, ...] = figure("The call sites with most bytes not freed.")
    named_frames: int = figure("Addresses that a monitor has put names to.")
    clock_hz: int | None = figure("CPU cycles in a second, from the boot lines; null: not told.")


class EspIdfImport(LogResult):
    """A device's log, answered, and its heap trace as events."""

    VERB = "import"
    KIND = "esp-idf"
    COMMAND = "import --from esp-idf --json"
    VERSION = 1

    trace: HeapTraceFacts | None = figure("The heap trace that counts.", default=None)
    nearest_idf: str = figure(
        "A version to replay with, where the log's own is not modelled or not told; empty: not "
        "needed, or none.",
        default="",
    )
    source_loss: SourceLoss | None = figure(
        "The part of the file itself that could not be read; null: all was read.", default=None
    )
    out: str = figure("The trace that was written; empty: none.", default="")
    bytes_written: int = figure("Bytes of it, before compression.", "B", default=0)
    limits: tuple[str, ...] = figure("Sentences of what the log cannot tell.", default=())


def trace_verdict(trace: HeapTraceFacts | None, wanted: str) -> Iterator[str]:
    """`wanted`: the file that was asked for; empty: none."""
    if trace is None:
        if wanted:
            yield (
                f"The log has no heap trace, so there are no events to replay and {wanted} was "
                "not written."
            )
        return
    left = f"{size(trace.alive_bytes)} in {plural(trace.alive, 'block')} not freed"
    yield (
        f"The heap trace ({trace.mode or 'unknown'} mode) has {plural(trace.records, 'record')}; "
        f"{left}."
    )
    if wanted and not trace.allocations and not trace.reallocs:
        yield f"It has no event, so {wanted} was not written."


def limits(log: LogResult, trace: HeapTraceFacts | None) -> Iterator[str]:
    """One sentence for each kind of content: what it does not tell."""
    if log.boot:
        yield "boot lines: the regions as they are before start-up allocates, not what is in use"
    if log.summaries:
        yield (
            "heap summaries: single moments; largest_free_block is rounded and min_free of the "
            "totals adds minima of different moments; not which blocks lie where"
        )
    if log.tasks:
        no_peak = all(task.peak is None for task in log.tasks)
        peaks = "no peaks" if no_peak else "peaks of different tasks at different moments"
        yield f"task tables: bytes held, {peaks}; not where the blocks lie or when they came"
    if log.answer.failed:
        yield "failed allocations: not which task asked, nor what was free at that moment"
    if trace is not None:
        yield from _trace_limits(trace)


def _trace_limits(trace: HeapTraceFacts) -> Iterator[str]:
    yield (
        "heap trace: no tasks, no capabilities (taken as malloc's), no failed requests, nothing "
        "from before it was started"
    )
    if trace.mode == "leaks":
        yield "heap trace in leaks mode: blocks that were freed are not in it"
    elif trace.frees or trace.reallocs:
        yield (
            "heap trace: the time of a free is not reported; frees stand as late as the addresses "
            f"allow, so live bytes reach {size(trace.peak_most)}, and at least "
            f"{size(trace.peak_least)} if all came early"
        )
    if trace.reallocs:
        yield (
            f"heap trace: {plural(trace.reallocs, 'realloc')} recognised by a free and an "
            "allocation with the same callers"
        )
    if not trace.clock:
        yield "heap trace: no times, as two CPUs count cycles differently"
    elif trace.records:
        yield "heap trace: times are CPU cycles; pauses of 2^32 and more of them cannot be seen"


def trace_notes(trace: HeapTraceFacts) -> Iterator[str]:
    """Remarks on the input that a user needs."""
    if trace.dumps > 1:
        yield f"{trace.dumps:,} heap traces in the log; the last complete one is used"
    if trace.overflowed:
        lost = "an unknown number of" if trace.lost is None else f"{trace.lost:,}"
        yield f"the device's buffer was full: {lost} allocations are not in the heap trace"
    elif trace.lost:
        yield f"{plural(trace.lost, 'allocation')} of the heap trace are not in the log"
    if not trace.complete:
        yield "the heap trace is cut: its first line or its totals are missing"
    if trace.cut_records:
        yield f"{plural(trace.cut_records, 'record')} of the heap trace not whole, left out"
    if trace.dropped:
        yield f"{plural(trace.dropped, 'record')} above the most that is read were left out"
    if trace.duplicates:
        yield f"{plural(trace.duplicates, 'record')} twice in the heap trace, counted once"
    if trace.implied_frees:
        yield (
            f"{plural(trace.implied_frees, 'block')} overwritten by a later one without a free "
            "in the text: freed there"
        )
    if trace.stated_bytes is not None and trace.stated_bytes != trace.alive_bytes:
        yield (
            f"the heap trace counts {size(trace.stated_bytes)} alive itself, its records come to "
            f"{size(trace.alive_bytes)}"
        )
