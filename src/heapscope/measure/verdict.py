"""The answer of a replay in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.measure.failure import FailureRow
from heapscope.measure.need import NeedRow
from heapscope.measure.result import MALLOC, ReplayResult
from heapscope.measure.wording import count, percent, plural, size

__all__ = ["limits", "verdict"]


def verdict(result: ReplayResult) -> tuple[str, ...]:
    """Needs first, then failed requests, then the closest moment, then what limits all of it."""
    return (
        *(_need(result, need) for need in result.needs),
        *_failures(result),
        _closest(result),
        *limits(result),
    )


def _need(result: ReplayResult, need: NeedRow) -> str:
    """Whether, when and by how much one contiguous request would not have been served."""
    if need.short_events == 0:
        return _served(result, need)
    shortage = _never(result, need) if _never_fits(result, need) else _at_times(result, need)
    return f"{size(need.size)} could not have been served {_by(need.capabilities)} {shortage}."


def _by(capabilities: str) -> str:
    return "by malloc" if capabilities == MALLOC else f"with {capabilities}"


def _served(result: ReplayResult, need: NeedRow) -> str:
    return (
        f"{size(need.size)} could have been served {_by(need.capabilities)} at any time; at the "
        f"worst moment, {result.place(need.minimum_margin_event)}, the largest allocatable block "
        f"was {size(need.worst_largest)}, {size(need.minimum_margin)} to spare."
    )


def _never_fits(result: ReplayResult, need: NeedRow) -> bool:
    return need.short_events >= result.summary.event_count


def _never(result: ReplayResult, need: NeedRow) -> str:
    largest = max(region.size for region in result.regions)
    if largest < need.size:
        return f"at any time: the largest region has only {size(largest)}"
    return (
        f"at any time; at the worst moment the largest allocatable block was "
        f"{size(need.worst_largest)}, {size(-need.minimum_margin)} short"
    )


def _at_times(result: ReplayResult, need: NeedRow) -> str:
    events = result.summary.event_count
    return (
        f"after {count(need.short_events)} of {plural(events, 'event')} "
        f"({percent(need.short_events, events)}), first at {result.place(need.first_event)}; at "
        f"the worst moment the largest allocatable block was {size(need.worst_largest)}, "
        f"{size(-need.minimum_margin)} short"
    )


def _failures(result: ReplayResult) -> Iterator[str]:
    failed, asked = result.summary.failures, result.summary.results
    if failed == 0:
        return
    start = f"{count(failed)} of {plural(asked, 'request')} failed"
    if not result.failures:
        yield f"{start}, the first at {result.place(result.summary.first_failure_event)}."
        return
    first = result.failures[0]
    where = result.place(first.event, task=first.task)
    yield f"{start}, the first at {where}: {_request(first)}, {_room(first)}."


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


def _closest(result: ReplayResult) -> str:
    row = result.malloc
    if row.minimum_free_event is None:
        return (
            f"Nothing was taken from malloc's memory: {size(row.minimum_free)} stayed free, the "
            f"largest block it could give was {size(row.minimum_largest_allocatable)}."
        )
    where = result.place(row.minimum_free_event)
    then = result.place(row.minimum_largest_event)
    when = "at that moment" if then == where else f"at {then}"
    free = f"came within {size(row.minimum_free)} of running out"
    if result.summary.failures:
        free = f"had {size(row.minimum_free)} left at the least"
    return (
        f"malloc {free}, at {where}; the largest block it could give fell to "
        f"{size(row.minimum_largest_allocatable)} {when}."
    )


def limits(result: ReplayResult) -> Iterator[str]:
    """Sentences without which the figures would claim more than they know."""
    health, summary = result.health, result.summary
    if health.lost_events:
        are = "is" if health.lost_events == 1 else "are"
        yield f"{plural(health.lost_events, 'event')} of the trace {are} lost: use may be higher."
    elif not health.whole:
        yield "Part of the trace could not be read: use may be higher."
    if (result.trace.word_size or 4) > 4:
        yield "Recorded on a 64-bit machine: structures with pointers are smaller on a chip."
    if summary.address_matched < summary.address_compared and not result.trace.unmodelled:
        share = percent(summary.address_matched, summary.address_compared)
        yield f"Only {share} of the recorded addresses were met: take the figures as estimates."
    if summary.startup_unplaced:
        yield f"{size(summary.startup_unplaced)} of start-up use found no place in this layout."
