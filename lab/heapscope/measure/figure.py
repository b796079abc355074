"""The figures by which two replays are compared."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.measure.result import REPLAY, ReplayResult
from heapscope.rows.bound import flat

#: Our own heap runs itself instead of a model: it counts no steps, and 0 would read as none.
_UNCOUNTED = "heapscope"


@dataclass(frozen=True, kw_only=True)
class ComparedFigure:
    """One number with its meaning. `better` is "less", "more" or "" where neither is. `bound`: what
    it says of the whole run after a loss (heapscope.rows.bound). `held`: it follows from the
    blocks that were live, so it says nothing of two sides that served different requests: who
    serves more holds more. `order` sorts figures of a section."""

    section: str
    name: str
    unit: str
    better: str
    value: int
    bound: str
    held: bool
    order: int = 0

    def judged(self, *, alike: bool) -> str:
        """`better` for two sides; `alike`: they served the same requests."""
        return self.better if alike or not self.held else ""


def figures(result: ReplayResult) -> Iterator[ComparedFigure]:
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


_MARKS = flat(REPLAY, nothing_before=False)


def served_alike(left: ReplayResult, right: ReplayResult) -> bool:
    """Is it sure that both served the same requests: all, or all but the same ones of one trace?"""
    failures = left.summary.failures, right.summary.failures
    if failures == (0, 0):
        return True
    if failures[0] != failures[1] or left.census != right.census:
        return False
    kept = [[(row.number, row.event) for row in side.failures] for side in (left, right)]
    whole = len(kept[0]) == len(kept[1]) == failures[0]
    return left.summary.digest == right.summary.digest or (whole and kept[0] == kept[1])


def _figure(
    of: str,
    section: str,
    name: str,
    value: int,
    better: str = "",
    unit: str = "B",
    *,
    held: bool = True,
    order: int = 0,
) -> ComparedFigure:
    """`of`: the path of a figure of the replay that is marked alike."""
    return ComparedFigure(
        section=section,
        name=name,
        unit=unit,
        better=better,
        value=value,
        bound=_MARKS[of],
        held=held,
        order=order,
    )


def _requests(result: ReplayResult) -> Iterator[ComparedFigure]:
    summary, part = result.summary, "requests"
    yield _figure(
        "summary.event_count", part, "heap events", summary.event_count, unit="events", held=False
    )
    yield _figure(
        "summary.failures", part, "failed", summary.failures, "less", "requests", held=False
    )
    yield _figure("summary.live_peak", part, "live payload, peak", summary.live_peak, "less")
    yield _figure("summary.live", part, "live payload, end", summary.live, "less")


def _needs(result: ReplayResult) -> Iterator[ComparedFigure]:
    for need in result.needs:
        name = f"{need.size:,} B for {need.capabilities}"
        yield _figure(
            "needs[].short_events",
            "needs",
            f"{name}: without room",
            need.short_events,
            "less",
            "events",
        )
        yield _figure(
            "needs[].minimum_margin",
            "needs",
            f"{name}: smallest margin",
            need.minimum_margin,
            "more",
        )


def _tightest(result: ReplayResult) -> Iterator[ComparedFigure]:
    tightest, part = result.summary.tightest, "tightest moment"
    yield _figure("summary.tightest.payload", part, "payload", tightest.payload)
    yield _figure("summary.tightest.rounding", part, "rounding", tightest.rounding, "less")
    yield _figure("summary.tightest.header", part, "headers", tightest.header, "less")
    yield _figure("summary.tightest.control", part, "control", tightest.control, "less")
    yield _figure("summary.tightest.startup", part, "start-up", tightest.startup)
    yield _figure("summary.tightest.moving", part, "old block of a moving realloc", tightest.moving)
    yield _figure("summary.tightest.free", part, "free", tightest.free, "more")


def _sets(result: ReplayResult) -> Iterator[ComparedFigure]:
    for row in result.sets:
        name, largest = row.capabilities, row.minimum_largest_allocatable
        yield _figure(
            "sets[].minimum_free", "memory", f"{name}: minimum free", row.minimum_free, "more"
        )
        yield _figure(
            "sets[].minimum_largest_allocatable",
            "memory",
            f"{name}: minimum largest_allocatable",
            largest,
            "more",
        )


def _kinds(result: ReplayResult) -> Iterator[ComparedFigure]:
    for row in result.kinds:
        yield _figure("kinds[].size", "kinds", f"{row.kind}: size", row.size, "more", held=False)
        yield _figure(
            "kinds[].peak_payload", "kinds", f"{row.kind}: peak payload", row.peak_payload
        )
        yield _figure(
            "kinds[].minimum_free", "kinds", f"{row.kind}: minimum free", row.minimum_free, "more"
        )


def _regions(result: ReplayResult) -> Iterator[ComparedFigure]:
    for row in result.regions:
        yield _figure(
            "regions[].control",
            "regions",
            f"{row.name}: control",
            row.control,
            "less",
            held=False,
            order=row.start,
        )
        yield _figure(
            "regions[].minimum_free",
            "regions",
            f"{row.name}: minimum free",
            row.minimum_free,
            order=row.start,
        )


def _placement(result: ReplayResult) -> Iterator[ComparedFigure]:
    for row in result.placement:
        if row.rule is not None:
            name = f"rule {row.rule}, {row.conditions} to {row.target}"
            yield _figure(
                "placement[].payload_peak", "placement", f"{name}: peak payload", row.payload_peak
            )
            yield _figure(
                "placement[].refused",
                "placement",
                f"{name}: refused",
                row.refused,
                "less",
                "requests",
            )


def _tasks(result: ReplayResult) -> Iterator[ComparedFigure]:
    seen = set()
    for row in result.tasks:
        name = f"{row.task} in {row.kind}"
        name = f"{name} (task {row.task_index})" if name in seen else name
        seen.add(name)
        yield _figure("tasks[].payload_peak", "tasks", f"{name}: peak payload", row.payload_peak)
        yield _figure("tasks[].held_peak", "tasks", f"{name}: peak held", row.held_peak, "less")


def _work(result: ReplayResult) -> Iterator[ComparedFigure]:
    part, regions = "work of the model", result.regions
    visited = sum(row.step_nodes + row.step_bins for row in regions)
    copied = sum(row.step_copied for row in regions)
    if not any(row.allocator.startswith(_UNCOUNTED) for row in regions):
        yield _figure(
            "regions[].step_nodes", part, "nodes and bins visited", visited, "less", "steps"
        )
    yield _figure("regions[].step_copied", part, "copied or zeroed", copied, "less")
