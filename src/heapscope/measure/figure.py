"""The figures by which two replays are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.measure.result import ReplayResult

__all__ = ["Figure", "figures"]

#: Our own heap is no model: it counts no steps, and 0 would read as none.
_UNCOUNTED = "heapscope"


@dataclass(frozen=True, kw_only=True)
class Figure:
    """One number with its meaning. `better` is "less", "more" or "" where neither is."""

    section: str
    name: str
    unit: str
    better: str
    value: int


def figures(result: ReplayResult) -> Iterator[Figure]:
    """Every comparable figure; section and name together are unique."""
    yield from _requests(result)
    yield from _needs(result)
    yield from _tightest(result)
    yield from _sets(result)
    yield from _kinds(result)
    yield from _regions(result)
    yield from _placement(result)
    yield from _tasks(result)
    yield from _work(result)


def _figure(section: str, name: str, value: int, better: str = "", unit: str = "B") -> Figure:
    return Figure(section=section, name=name, unit=unit, better=better, value=value)


def _requests(result: ReplayResult) -> Iterator[Figure]:
    summary, part = result.summary, "requests"
    yield _figure(part, "heap events", summary.event_count, unit="events")
    yield _figure(part, "failed", summary.failures, "less", "requests")
    yield _figure(part, "live payload, peak", summary.live_peak, "less")
    yield _figure(part, "live payload, end", summary.live, "less")


def _needs(result: ReplayResult) -> Iterator[Figure]:
    for need in result.needs:
        name = f"{need.size:,} B for {need.capabilities}"
        yield _figure("needs", f"{name}: without room", need.short_events, "less", "events")
        yield _figure("needs", f"{name}: smallest margin", need.minimum_margin, "more")


def _tightest(result: ReplayResult) -> Iterator[Figure]:
    tightest, part = result.summary.tightest, "tightest moment"
    yield _figure(part, "payload", tightest.payload)
    yield _figure(part, "rounding", tightest.rounding, "less")
    yield _figure(part, "headers", tightest.header, "less")
    yield _figure(part, "control", tightest.control, "less")
    yield _figure(part, "start-up", tightest.startup)
    yield _figure(part, "old block of a moving realloc", tightest.moving)
    yield _figure(part, "free", tightest.free, "more")


def _sets(result: ReplayResult) -> Iterator[Figure]:
    for row in result.sets:
        name, largest = row.capabilities, row.minimum_largest_allocatable
        yield _figure("memory", f"{name}: minimum free", row.minimum_free, "more")
        yield _figure("memory", f"{name}: minimum largest_allocatable", largest, "more")


def _kinds(result: ReplayResult) -> Iterator[Figure]:
    for row in result.kinds:
        yield _figure("kinds", f"{row.kind}: size", row.size, "more")
        yield _figure("kinds", f"{row.kind}: peak payload", row.peak_payload)
        yield _figure("kinds", f"{row.kind}: minimum free", row.minimum_free, "more")


def _regions(result: ReplayResult) -> Iterator[Figure]:
    for row in result.regions:
        yield _figure("regions", f"{row.name}: control", row.control, "less")
        yield _figure("regions", f"{row.name}: minimum free", row.minimum_free)


def _placement(result: ReplayResult) -> Iterator[Figure]:
    for row in result.placement:
        if row.rule is not None:
            name = f"rule {row.rule}, {row.conditions} to {row.target}"
            yield _figure("placement", f"{name}: peak payload", row.payload_peak)
            yield _figure("placement", f"{name}: refused", row.refused, "less", "requests")


def _tasks(result: ReplayResult) -> Iterator[Figure]:
    seen = set()
    for row in result.tasks:
        name = f"{row.task} in {row.kind}"
        name = f"{name} (task {row.task_index})" if name in seen else name
        seen.add(name)
        yield _figure("tasks", f"{name}: peak payload", row.payload_peak)
        yield _figure("tasks", f"{name}: peak held", row.held_peak, "less")


def _work(result: ReplayResult) -> Iterator[Figure]:
    part, regions = "work of the model", result.regions
    visited = sum(row.step_nodes + row.step_bins for row in regions)
    copied = sum(row.step_copied for row in regions)
    if not any(row.allocator.startswith(_UNCOUNTED) for row in regions):
        yield _figure(part, "nodes and bins visited", visited, "less", "steps")
    yield _figure(part, "copied or zeroed", copied, "less")
