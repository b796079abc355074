"""The findings of `heapscope why`, as tables of the page."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.measure.clock import Clock
from heapscope.report.page.tables import Table, Value, table_of
from heapscope.why.case import REASONS, Case
from heapscope.why.change import EFFORTS, Change
from heapscope.why.reasons import Explained, WhyResult

__all__ = ["ExplainedTables", "explanations"]

#: Pieces and holders of a hole shown.
PIECES = 14


@dataclass(frozen=True, kw_only=True)
class ExplainedTables:
    title: str
    explained: Explained
    tables: tuple[Table, ...]
    unhelpful: str


def explanations(why: WhyResult) -> list[ExplainedTables]:
    found = []
    for number, (title, explained) in enumerate(_moments(why), 1):
        case = explained.case
        tables = [
            _changes(explained, number),
            _regions(case, number),
            _hole(case, number, why.clock),
        ]
        found.append(
            ExplainedTables(
                title=title,
                explained=explained,
                tables=tuple(one for one in tables if one.rows),
                unhelpful=" ".join(dict.fromkeys(c.text for c in explained.unhelpful)),
            )
        )
    return found


def _moments(why: WhyResult) -> Iterator[tuple[str, Explained]]:
    for group in why.groups:
        same = f"group {group.number}, {group.count:,} alike" if group.count > 1 else "the request"
        if group.first is not None:
            yield f"Failed: {same}", group.first
        if group.nearest is not None:
            yield f"Group {group.number}: the one that missed by least", group.nearest
    for need in why.needs:
        if need.first is not None:
            yield f"Need of {need.need.size:,} B: when it first did not fit", need.first
        yield f"Need of {need.need.size:,} B: its worst moment", need.worst


def _changes(explained: Explained, number: int) -> Table:
    headings = (
        "#",
        "Change that was replayed",
        "What it takes",
        "#cost",
        "#failures then",
        "#minimum free then",
        "What came of it",
    )
    rows = (_change(place, change) for place, change in enumerate(explained.changes, 1))
    return table_of(f"why-changes-{number}", "What would have let it succeed", headings, rows)


def _change(place: int, change: Change) -> tuple[Value, ...]:
    text = change.text + (f" [{change.options}]" if change.options else "")
    return (
        place,
        text,
        EFFORTS[change.effort].title,
        change.cost,
        change.outcome.failures,
        change.outcome.minimum_free,
        change.result,
    )


def _regions(case: Case, number: int) -> Table:
    headings = (
        "Region",
        "#free",
        "#largest free",
        "#largest allocatable",
        "#when empty",
        "Why not",
    )
    rows = (
        (
            region.name,
            region.free,
            region.largest_free,
            region.largest_allocatable,
            region.capacity,
            f"lacks {region.detail}" if region.detail else REASONS[region.reason],
        )
        for region in case.regions
    )
    return table_of(f"why-regions-{number}", "Regions at that moment", headings, rows)


def _hole(case: Case, number: int, clock: Clock | None) -> Table:
    headings = ("Address", "#bytes", "Held by", "Site", "#since event", "#age in events")
    pieces = case.hole.pieces[:PIECES] if case.hole is not None and case.hole.blocks else ()
    names = {"free": "free", "other": "start-up or allocator"}
    rows = (
        (
            f"{piece.address:#010x}",
            piece.requested if piece.what == "block" else piece.size,
            names.get(piece.what, piece.task) + ("" if piece.inside else " (beside it)"),
            piece.site,
            piece.since,
            piece.age,
        )
        for piece in pieces
    )
    title = "The best hole and its neighbours"
    return table_of(f"why-hole-{number}", title, headings, rows, clock=clock)
