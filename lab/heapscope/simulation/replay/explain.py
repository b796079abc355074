"""From what the native library saw of one event to why its request went where it went."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.memory.layout.attempts import Attempt, attempts, malloc_attempts
from heapscope.memory.layout.layout import Layout, Region
from heapscope.memory.layout.placement import Placement, PlacementRule
from heapscope.native.names import call_names
from heapscope.native.structs import Struct
from heapscope.simulation.replay.labels import Labels
from heapscope.simulation.result.failure import Explanation, Step

REALLOC = 4
NONE = 0xFFFF_FFFF

Seen = tuple[Struct, ...]


def explanation(
    row: Struct,
    seen: Seen,
    layout: Layout,
    labels: Labels,
    placement: Placement | None = None,
) -> Explanation:
    """InputError if the event does not request memory."""
    if not row.found:
        raise InputError(
            f"event {row.event:,} asks for no memory, or is not in the trace",
            remedy="give the number of a malloc, calloc, aligned or realloc event",
        )
    tries = attempts(layout, row.caps) if row.caps else malloc_attempts(layout, row.size)
    rule = None if row.rule == NONE or placement is None else placement.rules[row.rule]
    results = () if row.skipped else tuple(_steps(row, seen, layout, tries, rule))
    return Explanation(
        event=row.event,
        call=call_names()[row.call],
        size=row.size,
        align=row.align,
        capabilities=capabilities.of_request(row.caps),
        asked_as=_requested_as(row, layout, rule),
        task=labels.task(row.task),
        site=labels.site(row.site),
        skipped=bool(row.skipped),
        old_address=None if row.old_address == NONE else row.old_address,
        old_size=row.old_size,
        address=None if row.address == NONE else row.address,
        steps=results,
    )


def _requested_as(row: Struct, layout: Layout, rule: PlacementRule | None) -> str:
    plain = _by_capabilities(row, layout)
    if rule is None:
        return plain
    by_rule = f"rule {rule.number} ({rule.conditions}) for {rule.target}"
    if row.rule_unfit:
        return f"{plain}, as {by_rule} has memory that lacks some of it"
    return f"{by_rule}, then {plain}" if rule.fallback else by_rule


def _by_capabilities(row: Struct, layout: Layout) -> str:
    if row.caps:
        return capabilities.format(row.caps)
    rule = layout.malloc
    first = capabilities.format(rule.small if row.size <= rule.threshold else rule.large)
    then = f", then {capabilities.format(rule.fallback)}" if rule.fallback else ""
    return first + then


def _steps(
    row: Struct,
    seen: Seen,
    layout: Layout,
    tries: tuple[Attempt, ...],
    rule: PlacementRule | None,
) -> Iterator[Step]:
    if row.call == REALLOC and row.old_region != NONE:
        own = layout.regions[row.old_region]
        stayed = row.region == row.old_region
        outcome = "served: its own heap" if stayed else "its own heap has no room"
        yield _step(own, seen[row.old_region], None, outcome)
        if stayed:
            return
    served = False
    reached: set[int] = set()
    if rule is not None and not row.rule_unfit:
        for index in rule.regions:
            outcome = _by_rule(index, row, seen[index], served)
            served = served or outcome.startswith("served")
            reached.add(index)
            yield _step(layout.regions[index], seen[index], None, outcome)
        tries = tries if rule.fallback else ()
    for attempt in tries:
        outcome = _outcome(attempt, row, seen[attempt.index], served)
        served = served or outcome == "served"
        yield _step(attempt.region, seen[attempt.index], attempt.priority, outcome)
    reached |= {attempt.index for attempt in tries}
    for index, region in enumerate(layout.regions):
        if index not in reached:
            yield _step(region, seen[index], None, _lacking(region, row, layout))


def _outcome(attempt: Attempt, row: Struct, region: Struct, served: bool) -> str:
    if served:
        return "not reached"
    if not region.has_heap:
        return "no heap"
    return "served" if attempt.index == row.region else "too small"


def _by_rule(index: int, row: Struct, region: Struct, served: bool) -> str:
    if served:
        return "not reached"
    if index == row.region:
        return "served: by the rule"
    return "too small" if region.has_heap else "no heap"


def _lacking(region: Region, row: Struct, layout: Layout) -> str:
    if region.private is not None:
        return "private"
    wanted = row.caps or layout.malloc.small
    missing = wanted & ~(region.caps[0] | region.caps[1] | region.caps[2])
    return f"lacks {capabilities.format(missing)}" if missing else "not asked"


def _step(region: Region, row: Struct, priority: int | None, outcome: str) -> Step:
    return Step(
        region=region.start,
        kind=region.kind,
        priority=priority,
        free=row.free,
        largest_free=row.largest_free,
        largest_allocatable=row.largest_allocatable,
        outcome=outcome,
    )
