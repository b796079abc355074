"""The sentences that a verdict is made of, each with the event that it is about."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from heapscope.base.capabilities import MALLOC
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import count, percent, plural, size
from heapscope.simulation.result.failure import FailureRow
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.trace.loss import is_cut

if TYPE_CHECKING:
    from heapscope.simulation.result.result import ReplayResult

Sentences = Iterator[tuple[str, int | None]]


class Finding(Row):
    """One thing that the replay found."""

    rank: int = figure("Severity, as of the verdict.", least=1, most=5)
    kind: str = figure(
        "Its kind, one of the verdict's.", choices=("failed", "short", "damage", "near", "fine")
    )
    sentence: str = figure("For people.")
    event: int | None = figure("The heap event it is about; null: about no single one.")
    seconds: float | None = figure(
        "When, in seconds since the start of the trace; null: without a clock, or about "
        "no single event.",
        least=None,
    )


def failed(result: ReplayResult) -> Sentences:
    """Requests that failed: here, and in the recorded program."""
    summary = result.summary
    if summary.failures:
        start = f"{count(summary.failures)} of {plural(summary.results, 'request')} failed"
        first = result.failures[0] if result.failures else None
        event = summary.first_failure_event if first is None else first.event
        where = result.place(event, task="" if first is None else first.task)
        what = "" if first is None else f": {_request(first)}, {_room(first)}"
        yield f"{start}, the first at {where}{what}.", event
    if summary.recorded_failures:
        yield f"{_recorded(summary.recorded_failures, summary.recorded_failures_fit)}.", None


def _recorded(failures: int, fit: int) -> str:
    here = "would fit on this memory"
    start = f"{plural(failures, 'request')} failed in the recorded program"
    if failures == 1:
        return f"{start}; it {here if fit else 'would not fit on this memory either'}"
    if fit == failures:
        return f"{start}; all of them {here}"
    return f"{start}; {count(fit) if fit else 'none'} of them {here}"


def _request(failure: FailureRow) -> str:
    what = f"{failure.call} of {size(failure.size)}"
    return what if failure.capabilities == MALLOC else f"{what} with {failure.capabilities}"


def _room(failure: FailureRow) -> str:
    if not any(region.eligible for region in failure.regions):
        return "and no region of this layout has these capabilities"
    return (
        f"with {size(failure.free)} free, the largest allocatable block "
        f"{size(failure.largest_allocatable)}"
    )


def short(result: ReplayResult) -> Sentences:
    """Needs that would not always have been served: how often, when, and by how much."""
    for need in result.needs:
        if need.short_events:
            yield f"{_tried(result, need)} {_shortage(result, need)}.", need.first_event


def _tried(result: ReplayResult, need: HeadroomRow) -> str:
    by = "by malloc" if need.capabilities == MALLOC else f"with {need.capabilities}"
    events = plural(result.summary.event_count, "event")
    return f"A request of {size(need.size)} {by}, tried after each of the {events},"


def _shortage(result: ReplayResult, need: HeadroomRow) -> str:
    events = result.summary.event_count
    least = (
        f"the largest allocatable block was {size(need.worst_largest)}, "
        f"{size(-need.minimum_margin)} short"
    )
    if need.short_events < events:
        share = percent(need.short_events, events)
        return (
            f"would have failed {plural(need.short_events, 'time')} ({share}), first at "
            f"{result.place(need.first_event)}; at the worst moment, "
            f"{result.place(need.minimum_margin_event)}, {least}"
        )
    largest = max(region.size for region in result.regions)
    if largest < need.size:
        return f"would have failed every time: the largest region has only {size(largest)}"
    return f"would have failed every time; at the worst moment {least}"


def fitting(result: ReplayResult) -> Sentences:
    """Needs that would always have been served, with what was to spare."""
    for need in result.needs:
        if need.short_events == 0:
            where = result.place(need.minimum_margin_event)
            yield (
                f"{_tried(result, need)} would have been served every time; at the worst moment, "
                f"{where}, the largest allocatable block was {size(need.worst_largest)}, "
                f"{size(need.minimum_margin)} to spare.",
                need.minimum_margin_event,
            )


def damage(result: ReplayResult) -> Sentences:
    """Events of the trace that contradict earlier ones."""
    summary = result.summary
    counts = {
        "free of an unknown id": summary.unknown_frees,
        "double free": summary.double_frees,
        "realloc of a dead id": summary.dead_reallocs,
        "id reused while live": summary.reused_ids,
    }
    if summary.anomalies:
        named = ", ".join(f"{what}: {count(number)}" for what, number in counts.items() if number)
        first = next((row.event for row in result.anomalies if row.what in counts), None)
        when = "" if first is None else f", first at {result.place(first)}"
        verb = "contradicts" if summary.anomalies == 1 else "contradict"
        events = plural(summary.anomalies, "event")
        yield f"{events} of the trace {verb} those before{when} ({named}).", first


def loss(result: ReplayResult) -> Iterator[str]:
    """The place where events of the trace are missing, and bounds of the whole run."""
    lost = result.loss
    if lost is None:
        return
    yield from lost.sentences()
    if not is_cut(lost):
        return
    failures = f"at least {plural(result.summary.failures, 'request')} failed and "
    yield (
        f"It is known of the whole run that {failures if result.summary.failures else ''}malloc's "
        f"least free memory was at most {size(result.malloc.minimum_free)}, while the program held "
        f"at least {size(result.census.live_peak)} at its peak."
    )


def closest(result: ReplayResult) -> Sentences:
    """The moment at which malloc had least. The memory is that of the layout with the trace in it:
    what the trace does not hold is not taken off, so running out is not reported."""
    row = result.malloc
    if row.minimum_free_event is None:
        yield (
            f"Nothing was taken from malloc's memory: {size(row.minimum_free)} stayed free, the "
            f"largest block it could give was {size(row.minimum_largest_allocatable)}.",
            None,
        )
        return
    where = result.place(row.minimum_free_event)
    then = result.place(row.minimum_largest_event)
    when = "at that moment" if then == where else f"at {then}"
    yield (
        f"malloc had {size(row.minimum_free)} free at the least, at {where}; the largest block it "
        f"could give fell to {size(row.minimum_largest_allocatable)} {when}.",
        row.minimum_free_event,
    )
