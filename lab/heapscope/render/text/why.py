"""Why requests failed, and what would have helped: the rendering of heapscope.why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.why.case import REASONS, Case, Holder, MomentHolder, RegionState, Stretch
from heapscope.answers.why.change import EFFORTS, Change, ChangeOutcome
from heapscope.answers.why.reasons import Explained, FailureGroup, WhyResult
from heapscope.base.wording import plural
from heapscope.render.text.knobs import knob_table
from heapscope.render.text.plan import plan_parts
from heapscope.render.text.table import NOTHING, CellText, Column, Table, columns_of, table_of
from heapscope.render.text.terminal import Folded
from heapscope.trace.clock import Clock

CHANGES = 6  # changes printed of one request; --json has all
PIECES = 12  # of a hole, on a terminal
HOLDERS = 7  # rows of holders beside that of the others
ALLOCATORS = 2  # rows for allocators; the names of the others stand below
GROUPS = 11  # rows of groups beside that of the others


def why_parts(result: WhyResult) -> Iterator[RenderableType]:
    yield Text.assemble((result.trace.path, "bold"), " on ", (result.layout.name, "bold"))
    bad = result.failures or any(need.need.short_events for need in result.needs)
    for position, sentence in enumerate(result.answer):
        style = ("bold red" if bad else "bold green") if position == 0 else ""
        yield Text(sentence, style=style)
    for note in (*result.layout.notes, *result.notes):
        yield Text(f"note: {note}", style="dim")
    if result.plan is not None:
        yield from plan_parts(result.plan, result.knobs_of)
    if len(result.groups) > 1 or any(group.count > 1 for group in result.groups):
        yield groups(result)
    first, *others = [tuple(_moment(result, *each)) for each in moments(result)] or [()]
    yield from first
    if others:
        yield Text()
        yield Folded(
            parts=tuple(part for moment in others for part in moment),
            sentence=f"{plural(len(others), 'other moment')} explained like this one",
        )
    yield knob_table(result.knobs, result.knobs_of)


def _moment(why: WhyResult, title: str, explained: Explained) -> Iterator[RenderableType]:
    yield Text()
    yield Text(f"{title}: {explained.case.sentences[0]}", style="bold")
    yield from map(Text, explained.case.sentences[1:])
    yield from explained_tables(explained, why.clock)
    if explained.unhelpful:
        yield Text(f"Tried and no help: {_unhelpful(explained.unhelpful)}.", style="dim")


def groups(result: WhyResult) -> Table:
    more = result.failures - result.grouped
    return table_of(
        "Failed requests that are alike",
        columns_of(FailureGroup),
        result.groups,
        name="why-groups",
        clock=result.clock,
        most=GROUPS,
        notes=(f"{plural(more, 'other failure')} not kept, so in no group",) if more else (),
    )


def moments(why: WhyResult) -> Iterator[tuple[str, Explained]]:
    """Each moment that is explained, and which it is."""
    for group in why.groups:
        if group.first is not None:
            yield f"Failure group {group.number}", group.first
        if group.nearest is not None:
            yield f"Group {group.number}, the one that missed by least", group.nearest
    for need in why.needs:
        if need.first is not None:
            yield f"Need of {need.need.size:,} B: when it first did not fit", need.first
        yield f"Need of {need.need.size:,} B: its closest moment", need.worst


def explained_tables(
    explained: Explained, clock: Clock | None, number: int = 0, pieces: int = PIECES
) -> list[Table]:
    """`number` of the moment, which tells the tables of a page apart. `pieces` of a hole at most;
    one in more of them is shown by who holds it."""
    case = explained.case
    return [
        _holders(case, number),
        _regions(case, number),
        _hole(case, clock, number, pieces),
        _changes(explained, number),
    ]


def _holders(case: Case, number: int) -> Table:
    title = f"Who held the memory: {case.held:,} B in use where it could go"
    columns = columns_of(MomentHolder)
    return table_of(title, columns, case.holders, name=f"why-holders-{number}")


def _regions(case: Case, number: int) -> Table:
    rows = case.regions if len(case.regions) > 1 else ()
    columns = columns_of(RegionState, reason=_why_not)
    return table_of("Regions at that moment", columns, rows, name=f"why-regions-{number}")


def _why_not(region: RegionState) -> CellText:
    why = f"lacks {region.detail}" if region.detail else REASONS[region.reason]
    return CellText(why, tone="better" if region.reason == "served" else "")


def _hole(case: Case, clock: Clock | None, number: int, pieces: int) -> Table:
    hole, name = case.hole, f"why-hole-{number}"
    if hole is None or not hole.blocks:
        return NOTHING
    if hole.pieces_left_out or len(hole.pieces) > pieces:
        title, columns = "Who holds the best hole", columns_of(Holder)
        return table_of(title, columns, hole.holders, name=name, clock=clock, most=HOLDERS)
    columns = columns_of(Stretch, address=_address, size=_bytes, task=_held)
    title = "The best hole and its neighbours"
    return table_of(title, columns, hole.pieces, name=name, clock=clock)


def _tone(piece: Stretch) -> str:
    return "quiet" if not piece.inside else "worse" if piece.what == "block" else ""


def _address(piece: Stretch) -> CellText:
    return CellText(f"{piece.address:#010x}", piece.address, _tone(piece))


def _bytes(piece: Stretch) -> int:
    return piece.requested if piece.what == "block" else piece.size


def _held(piece: Stretch) -> CellText:
    names = {"free": "free", "other": "start-up or allocator"}
    beside = "" if piece.inside else " (beside it)"
    return CellText(names.get(piece.what, piece.task) + beside, tone=_tone(piece))


def _changes(explained: Explained, number: int) -> Table:
    title = "Changes that would have let it succeed, each replayed, in the order to try them"
    return changes_table(title, explained.changes, name=f"why-changes-{number}")


def changes_table(title: str, changes: Sequence[Change], *, name: str = "") -> Table:
    shown, left = _shown(changes)
    place = Column(heading="#", of=lambda change: changes.index(change) + 1)
    text, effort, cost, result = columns_of(
        Change, text=_change, effort=lambda change: EFFORTS[change.effort].title
    )
    outcome = columns_of(ChangeOutcome, "failures minimum_free", via=lambda change: change.outcome)
    return table_of(
        title,
        (place, text, effort, cost, *outcome, result),
        [*shown, *left],
        name=name,
        most=len(shown),
    )


def _change(change: Change) -> str:
    return change.text + (f" [{change.options}]" if change.options else "")


def _shown(changes: Sequence[Change]) -> tuple[list[Change], list[Change]]:
    """The changes that get a row on a terminal, and the others."""
    rows: list[Change] = []
    left: list[Change] = []
    for change in changes:
        allocators = sum(row.kind == "allocator" for row in rows)
        kept = len(rows) < CHANGES and (change.kind != "allocator" or allocators < ALLOCATORS)
        (rows if kept else left).append(change)
    return rows, left


_NAMES = {
    "free": "freeing what leaks",
    "memory": "more memory",
    "threshold": "another limit of malloc",
    "knob": "options of the SDK",
    "order": "another order of regions",
    "early": "allocating earlier",
    "capability": "other capabilities",
    "poisoning": "no poisoning",
    "fewer": "one block fewer",
    "private": "a private heap",
}


def _unhelpful(changes: Sequence[Change]) -> str:
    """Allocators by name, everything else by its kind."""
    names = [
        change.options.removeprefix("--allocator ")
        if change.kind == "allocator"
        else _NAMES[change.kind]
        for change in changes
    ]
    return ", ".join(dict.fromkeys(names))
