"""Why requests failed, and what would have helped: the terminal's rendering of heapscope.why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Console, RenderableType
from rich.text import Text

from heapscope.measure.clock import Clock
from heapscope.measure.wording import plural
from heapscope.report.knobs import knob_table
from heapscope.report.table import Cell, Column, own_and_rest, table
from heapscope.trace.call_sites import SITE_ROOM, shortened
from heapscope.why.case import REASONS, Case, Holder, RegionState, Stretch
from heapscope.why.change import EFFORTS, Change
from heapscope.why.reasons import Explained, FailureGroup, WhyResult

__all__ = ["print_why"]

CHANGES = 6  # changes printed of one request; --json has all
PIECES = 12  # pieces of a hole printed; where there are more, its holders are
HOLDERS = 8  # rows of holders, as of groups
ALLOCATORS = 2  # rows for allocators; the names of the others stand below
GROUPS = 12  # rows of groups, the last one sums up the rest

GROUP_COLUMNS = (
    Column(heading="Group"),
    Column(heading="requests"),
    Column(heading="task", name=True),
    Column(heading="bytes"),
    Column(heading="from", name=True),
    Column(heading="first at event", event=True),
    Column(heading="last at event", event=True),
    Column(heading="why", name=True),
)
REGION_COLUMNS = (
    Column(heading="Region", name=True),
    Column(heading="free"),
    Column(heading="largest_free"),
    Column(heading="largest_allocatable"),
    Column(heading="when empty", wide=True),
    Column(heading="why not", name=True),
)
PIECE_COLUMNS = (
    Column(heading="Address", name=True),
    Column(heading="bytes"),
    Column(heading="held by", name=True),
    Column(heading="since event", event=True),
    Column(heading="age in events", wide=True),
    Column(heading="mark", name=True, wide=True),
)
HOLDER_COLUMNS = (
    Column(heading="Task", name=True),
    Column(heading="site", name=True, site=True),
    Column(heading="blocks"),
    Column(heading="bytes"),
    Column(heading="largest"),
    Column(heading="oldest since event", event=True),
    Column(heading="mark", name=True),
)
CHANGE_COLUMNS = (
    Column(heading="#"),
    Column(heading="Change that was replayed", name=True),
    Column(heading="what it takes", name=True),
    Column(heading="cost"),
    Column(heading="failures\nthen"),
    Column(heading="minimum\nfree"),
)


def print_why(result: WhyResult, target: Console) -> None:
    target.print(Text.assemble((result.trace.path, "bold"), " on ", (result.layout.name, "bold")))
    bad = result.failures or any(need.need.short_events for need in result.needs)
    for position, sentence in enumerate(result.answer):
        style = ("bold red" if bad else "bold green") if position == 0 else ""
        target.print(Text(sentence, style=style))
    for note in (*result.layout.notes, *result.notes):
        target.print(Text(f"note: {note}", style="dim"))
    target.print()
    for part in _parts(result, target.width):
        target.print(part)


def _parts(result: WhyResult, width: int) -> Iterator[RenderableType]:
    if len(result.groups) > 1 or any(group.count > 1 for group in result.groups):
        yield from _groups(result, width)
    clock = result.clock
    for group in result.groups:
        if group.first is not None:
            yield from _explained(f"Failure group {group.number}", group.first, width, clock)
        if group.nearest is not None:
            title = f"Group {group.number}, the one that missed by least"
            yield from _explained(title, group.nearest, width, clock)
    for need in result.needs:
        size = f"{need.need.size:,} B"
        if need.first is not None:
            title = f"Need of {size}: when it first did not fit"
            yield from _explained(title, need.first, width, clock)
        yield from _explained(f"Need of {size}: its closest moment", need.worst, width, clock)
    yield from knob_table(result.knobs, result.knobs_of, width)


def _groups(result: WhyResult, width: int) -> Iterator[RenderableType]:
    own, rest = own_and_rest(result.groups, GROUPS)
    rows = [*map(_group, own), *([_other_groups(rest)] if rest else [])]
    yield table(
        "Failed requests that are alike", GROUP_COLUMNS, rows, width=width, clock=result.clock
    )
    if result.grouped < result.failures:
        more = result.failures - result.grouped
        yield Text(f"{plural(more, 'other failure')} not kept, so in no group", style="dim")
    yield Text()


def _other_groups(groups: Sequence[FailureGroup]) -> tuple[Cell, ...]:
    smallest = min(group.smallest for group in groups)
    return (
        None,
        sum(group.count for group in groups),
        plural(len(groups), "other group"),
        f"{smallest:,}..{max(group.largest for group in groups):,}",
        "",
        min(group.first_event for group in groups),
        max(group.last_event for group in groups),
        "in --json",
    )


def _group(group: FailureGroup) -> tuple[Cell, ...]:
    same = group.smallest == group.largest
    sizes = f"{group.smallest:,}" if same else f"{group.smallest:,}..{group.largest:,}"
    return (
        group.number,
        group.count,
        group.task,
        sizes,
        group.capabilities,
        group.first_event,
        group.last_event,
        group.reason,
    )


def _explained(
    title: str, explained: Explained, width: int, clock: Clock | None
) -> Iterator[RenderableType]:
    case = explained.case
    yield Text(f"{title}: {case.sentences[0]}", style="bold")
    for sentence in case.sentences[1:]:
        yield Text(sentence)
    yield Text()
    if len(case.regions) > 1:
        title = "Regions at that moment (bytes)"
        yield table(title, REGION_COLUMNS, map(_region, case.regions), width=width)
        yield Text()
    yield from _hole(case, width, clock)
    yield from _changes(explained, width)


def _region(region: RegionState) -> tuple[Cell, ...]:
    why = f"lacks {region.detail}" if region.detail else REASONS[region.reason]
    style = "green" if region.reason == "served" else ""
    return (
        region.name,
        region.free,
        region.largest_free,
        region.largest_allocatable,
        region.capacity,
        Text(why, style=style),
    )


def _hole(case: Case, width: int, clock: Clock | None) -> Iterator[RenderableType]:
    """Piece by piece where that is short, else by holder."""
    hole = case.hole
    if hole is None or not hole.blocks:
        return
    if hole.pieces_left_out or len(hole.pieces) > PIECES:
        own, rest = own_and_rest(hole.holders, HOLDERS)
        holders = [*map(_holder, own), *([_other_holders(rest)] if rest else [])]
        title = "Who holds the best hole"
        yield table(title, HOLDER_COLUMNS, holders, width=width, clock=clock)
    else:
        title = "The best hole and its neighbours"
        sites = shortened([piece.site for piece in hole.pieces], SITE_ROOM)
        rows = map(_piece, hole.pieces, sites)
        yield table(title, PIECE_COLUMNS, rows, width=width, clock=clock)
    yield Text()


def _holder(holder: Holder) -> tuple[Cell, ...]:
    return (
        holder.task,
        holder.site,
        holder.blocks,
        holder.live,
        holder.largest,
        holder.since,
        holder.mark,
    )


def _other_holders(holders: Sequence[Holder]) -> tuple[Cell, ...]:
    return (
        plural(len(holders), "other"),
        "",
        sum(holder.blocks for holder in holders),
        sum(holder.live for holder in holders),
        max(holder.largest for holder in holders),
        min((holder.since for holder in holders if holder.since is not None), default=None),
        "",
    )


def _piece(piece: Stretch, site: str) -> tuple[Cell, ...]:
    names = {"free": "free", "other": "start-up or allocator"}
    held = names.get(piece.what) or piece.task + (f" {site}" if site else "")
    style = "red" if piece.inside and piece.what == "block" else "dim" if not piece.inside else ""
    return (
        Text(f"{piece.address:#010x}{'' if piece.inside else ' (beside)'}", style=style),
        piece.requested if piece.what == "block" else piece.size,
        Text(held, style=style),
        piece.since,
        piece.age,
        piece.mark,
    )


def _changes(explained: Explained, width: int) -> Iterator[RenderableType]:
    if not explained.tried:
        return
    if explained.changes:
        rows = [(n, *_change(c)) for n, c in enumerate(explained.changes, start=1)]
        title = "What would have let it succeed, each replayed, the cheapest first"
        shown = _shown(explained.changes)
        yield table(title, CHANGE_COLUMNS, [rows[index] for index in shown], width=width)
        left = [c for index, c in enumerate(explained.changes) if index not in shown]
        if left:
            yield Text(f"These help too: {_names(left)}; --json has them.", style="dim")
    if explained.unhelpful:
        yield Text(f"Tried and no help: {_names(explained.unhelpful)}.", style="dim")
    yield Text()


def _shown(changes: Sequence[Change]) -> list[int]:
    """Places of the changes that get a row."""
    rows: list[int] = []
    for index, change in enumerate(changes):
        allocators = sum(changes[row].kind == "allocator" for row in rows)
        if len(rows) < CHANGES and (change.kind != "allocator" or allocators < ALLOCATORS):
            rows.append(index)
    return rows


def _change(change: Change) -> tuple[Cell, ...]:
    text = change.text + (f" [{change.options}]" if change.options else "")
    return (
        text,
        EFFORTS[change.effort].title,
        change.cost,
        change.outcome.failures,
        change.outcome.minimum_free,
    )


_NAMES = {
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


def _names(changes: Sequence[Change]) -> str:
    """Allocators by name, everything else by its kind."""
    names = [
        change.options.removeprefix("--allocator ")
        if change.kind == "allocator"
        else _NAMES[change.kind]
        for change in changes
    ]
    return ", ".join(dict.fromkeys(names))
