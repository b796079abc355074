"""The report of a comparison: what changes, then every figure that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TypeVar

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import plural, signed
from heapscope.logs.answer.log_comparison import LogComparison, LogDifference
from heapscope.render.text.table import Cell, CellText, Column, Table, change, headed, table_of
from heapscope.simulation.result.comparison import Comparison, DifferenceRow, Side
from heapscope.simulation.result.difference import DifferencePart
from heapscope.simulation.result.several import DifferingRow, SeveralReplays
from heapscope.trace.loss import is_cut

_HEADINGS_MAX = 40  # characters of all columns' headings; more of them are numbers

_Replayed = TypeVar("_Replayed", DifferenceRow, DifferingRow)
_Compared = TypeVar("_Compared", DifferenceRow, DifferingRow, LogDifference)


def comparison_parts(comparison: Comparison) -> Iterator[RenderableType]:
    yield from _sides(comparison)
    yield Text()
    for position, sentence in enumerate(comparison.conclusion):
        yield Text(sentence, style="bold" if position == 0 else "")
    if comparison.parts:
        yield parts_table(comparison.parts)
    yield _differences(comparison)
    equal = sum(row.outcome == "same" for row in comparison.rows)
    if equal:
        yield Text(f"{plural(equal, 'figure')} equal on both sides", style="dim")


def parts_table(parts: Sequence[DifferencePart], *, of: str = "") -> Table:
    """`of`: the side that is compared with the first one, where there are several."""
    known = any(part.cause or part.key == "moment" for part in parts)
    apart = "" if known or not parts else ", between two moments: no causes"
    columns = (
        Column(heading="Part", of=lambda part: part.title, words=True),
        Column(heading="bytes", of=lambda part: change(part.bytes, better=1 if part.cause else 0)),
    )
    title = f"Least free for malloc, part by part{of}{apart}"
    return table_of(title, columns, parts, name="parts")


def several_parts(several: SeveralReplays) -> Iterator[RenderableType]:
    for side in several.sides:
        yield Text.assemble((side.label, "bold"), f": {_source(side)}")
    yield Text()
    for sentences in several.conclusions:
        for position, sentence in enumerate(sentences):
            yield Text(sentence, style="bold" if position == 0 else "")
    for side, parts in zip(several.sides[1:], several.parts, strict=True):
        if parts:
            yield parts_table(parts, of=f": {side.label}")
    rows = _merged(several.differing, lambda row: row.values)
    yield Table(
        title="Differences",
        columns=headed("", *(f"#{side.label}" for side in several.sides)),
        rows=tuple(_sections(rows, _values, len(several.sides))),
        most=2 * len(rows),
    )
    if several.equal:
        yield Text(f"{plural(several.equal, 'figure')} equal on all sides", style="dim")


def _values(row: DifferingRow) -> tuple[Cell, ...]:
    unit = "" if row.unit == "B" else f" ({row.unit})"
    first, *others = row.values
    toned = (
        None if value is None else CellText(f"{value:,}", number=value, tone=outcome)
        for value, outcome in zip(others, row.outcomes, strict=True)
    )
    return (f"  {row.name}{unit}", first, *toned)


def logs_parts(comparison: LogComparison) -> Iterator[RenderableType]:
    for position, sentence in enumerate(comparison.conclusion):
        yield Text(sentence, style="bold" if position == 0 else "")
    numbered = sum(len(side.name) for side in comparison.logs) > _HEADINGS_MAX
    headings = [
        f"log {number}" if numbered else side.name for number, side in enumerate(comparison.logs, 1)
    ]
    for heading, side in zip(headings, comparison.logs, strict=True):
        own = f"{heading}, " if numbered else ""
        facts = (side.chip, f"ESP-IDF {side.idf}" if side.idf else "", plural(side.lines, "line"))
        yield Text.assemble(own, (side.name, "bold"), f": {', '.join(filter(None, facts))}")
        if side.verdict:
            yield Text(f"  {side.verdict}")
    rows = [row for row in comparison.rows if any(one != 0 for one in row.differences)]
    if len(headings) == 2:
        headings.append("difference")
    yield Table(
        title="Differences",
        columns=headed("", *(f"#{one}" for one in headings)),
        rows=tuple(_sections(rows, _logged, len(headings))),
        most=2 * len(rows),
    )
    equal = len(comparison.rows) - len(rows)
    if equal:
        yield Text(f"{plural(equal, 'figure')} equal in all logs", style="dim")
    for note in comparison.notes:
        yield Text(f"note: {note}", style="dim")


def _logged(row: LogDifference) -> tuple[Cell, ...]:
    change = row.differences[0]
    difference = None if change is None else signed(change)
    return (f"  {row.name}", *row.values, *([difference] if len(row.differences) == 1 else []))


def _differences(comparison: Comparison) -> Table:
    rows = [
        row
        for row in _merged(comparison.rows, lambda row: (row.left, row.right))
        if row.outcome != "same"
    ]
    left, right = comparison.left.label, comparison.right.label
    return Table(
        title="Side by side" if any(map(is_cut, comparison.losses)) else "Differences",
        columns=headed("", f"#{left}", f"#{right}", "#difference", "#%", ""),
        rows=tuple(_sections(rows, _row, 5)),
        most=2 * len(rows),
    )


def _sections(
    rows: Sequence[_Compared], row_of: Callable[[_Compared], tuple[Cell, ...]], others: int
) -> Iterator[tuple[Cell, ...]]:
    """`others`: columns besides the names."""
    for section, within in groupby(rows, key=lambda row: row.section):
        yield (CellText(section, tone="strong"), *[""] * others)
        yield from map(row_of, within)


def _sides(comparison: Comparison) -> Iterator[Text]:
    sides = {"left": comparison.left, "right": comparison.right}
    for name, side in sides.items():
        own = "" if side.label == name else f"{name:<6}"
        yield Text.assemble(own, (side.label, "bold"), f": {_source(side)}")
    shared = set(comparison.left.layout.notes) & set(comparison.right.layout.notes)
    for name, side in sides.items():
        for note in side.layout.notes:
            if note not in shared:
                yield Text(f"note, {name}: {note}", style="dim")
    for note in comparison.left.layout.notes:
        if note in shared:
            yield Text(f"note: {note}", style="dim")
    if comparison.served_alike and comparison.left.digest == comparison.right.digest:
        yield Text("Both sides gave every request the same place (equal digests).")


def _source(side: Side) -> str:
    return f"{side.trace.path} on {side.layout.name}, {', '.join(side.layout.allocators)}"


def _row(row: DifferenceRow) -> tuple[Cell, ...]:
    tone = row.outcome if row.outcome in ("better", "worse") else ""
    difference = None if row.difference is None else CellText(signed(row.difference), tone=tone)
    share = None if row.percent is None else CellText(_percent(row.percent), tone=tone)
    unit = "" if row.unit == "B" else f" ({row.unit})"
    judged = CellText(_judged(row), tone=tone)
    return (f"  {row.name}{unit}", row.left, row.right, difference, share, judged)


def _judged(row: DifferenceRow) -> str:
    """Better or worse; after a loss, what the figures say of a whole run."""
    return row.outcome if row.bound is None else row.bound.replace("_", " ")


def _percent(value: float) -> str:
    return f"{value:+.1f}" if abs(value) < 1000 else "> +999"


def _merged(rows: Sequence[_Replayed], values: Callable[[_Replayed], object]) -> list[_Replayed]:
    """Capability sets with the same figures on all sides share a row."""
    merged: dict[object, list[_Replayed]] = {}
    for row in rows:
        figure = _figure(row) if row.section == "memory" else row.name
        merged.setdefault((row.section, figure, values(row)), []).append(row)
    sets = Counter(_figure(row) for row in rows if row.section == "memory")
    return [_one(same, sets) for same in merged.values()]


def _one(rows: list[_Replayed], sets: Counter[str]) -> _Replayed:
    """`sets`: how many capability sets have each figure."""
    if len(rows) == 1:
        return rows[0]
    first, figure = rows[0], _figure(rows[0])
    names = ", ".join(row.name.rpartition(": ")[0] for row in rows)
    if len(rows) == sets[figure]:
        names = "all memory"
    return replace(first, name=f"{names}: {figure}")


def _figure(row: DifferenceRow | DifferingRow) -> str:
    """The figure's name in a row of section "memory", without its capability sets."""
    return row.name.rpartition(": ")[2]
