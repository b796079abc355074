"""A layout with the private heaps that rules need, and what the rules decided."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from heapscope.memory.layout.layout import Layout, Region
from heapscope.memory.layout.placement import Placement
from heapscope.native.structs import Struct
from heapscope.simulation.replay.rule_names import missing_names
from heapscope.simulation.result.placement import RuleRow
from heapscope.trace.all_names import AllNames
from heapscope.trace.take import take


def located(layout: Layout, rows: tuple[Struct, ...]) -> Layout:
    """The private heaps at the addresses that the library found for them, with notes of it."""
    regions = tuple(
        replace(region, start=row.start) if region.private else region
        for region, row in zip(layout.regions, rows, strict=True)
    )
    notes = (*layout.notes, *_notes(regions))
    return replace(layout, regions=regions, notes=notes)


def rule_rows(
    rows: tuple[Struct, ...], placement: Placement | None, names: AllNames | None
) -> tuple[RuleRow, ...]:
    """One row a rule, then what no rule placed; none without rules."""
    if placement is None:
        return ()
    missing = missing_names(placement, names)
    shaped = [
        take(
            RuleRow,
            row,
            rule=rule.number,
            conditions=rule.conditions,
            target=rule.target,
            fallback=rule.fallback,
            payload_peak_event=row.peak_event if row.payload_peak else None,
            note=missing.get(rule.number, ""),
        )
        for rule, row in zip(placement.rules, rows, strict=False)
    ]
    rest = take(
        RuleRow,
        rows[-1],
        rule=None,
        conditions="everything else",
        target="by capabilities",
        fallback=True,
        payload_peak_event=rows[-1].peak_event if rows[-1].payload_peak else None,
        note="",
    )
    return (*shaped, rest)


def _notes(regions: tuple[Region, ...]) -> Iterator[str]:
    """A note on where each private heap lies: inside the region that it is taken from, or apart."""
    for region in regions:
        if region.private is None:
            continue
        around = [
            other.name
            for other in regions
            if other.private is None and other.start <= region.start < other.end
        ]
        where = f"in {around[0]}" if around else "on memory of its own"
        yield (
            f"{region.kind}: {region.size:,} bytes at {region.start:#010x}, {where}, "
            f"{region.allocator}"
        )
