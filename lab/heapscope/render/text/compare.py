"""The report of a comparison: what changes, then every figure that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import plural, signed
from heapscope.render.text.table import Cell, CellText, Table, headed
from heapscope.simulation.result.comparison import Comparison, DifferenceRow, Side
from heapscope.trace.loss import is_cut


def comparison_parts(comparison: Comparison) -> Iterator[RenderableType]:
    yield from _sides(comparison)
    yield Text()
    for position, sentence in enumerate(comparison.conclusion):
        yield Text(sentence, style="bold" if position == 0 else "")
    yield _differences(comparison)
    equal = sum(row.outcome == "same" for row in comparison.rows)
    if equal:
        yield Text(f"{plural(equal, 'figure')} equal on both sides", style="dim")


def _differences(comparison: Comparison) -> Table:
    rows = [row for row in _merged(comparison.rows) if row.outcome != "same"]
    left, right = comparison.left.label, comparison.right.label
    return Table(
        title="Side by side" if any(map(is_cut, comparison.losses)) else "Differences",
        columns=headed("", f"#{left}", f"#{right}", "#difference", "#%", ""),
        rows=tuple(_sections(rows)),
        most=2 * len(rows),
    )


def _sections(rows: list[DifferenceRow]) -> Iterator[tuple[Cell, ...]]:
    for section, within in groupby(rows, key=lambda row: row.section):
        yield (CellText(section, tone="strong"), *[""] * 5)
        yield from map(_row, within)


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


def _merged(rows: tuple[DifferenceRow, ...]) -> list[DifferenceRow]:
    """Capability sets with the same figures on both sides share a row."""
    merged: dict[object, list[DifferenceRow]] = {}
    for row in rows:
        figure = _figure(row) if row.section == "memory" else row.name
        merged.setdefault((row.section, figure, row.left, row.right), []).append(row)
    sets = Counter(_figure(row) for row in rows if row.section == "memory")
    return [_one(same, sets) for same in merged.values()]


def _one(rows: list[DifferenceRow], sets: Counter[str]) -> DifferenceRow:
    """`sets`: how many capability sets have each figure."""
    if len(rows) == 1:
        return rows[0]
    first, figure = rows[0], _figure(rows[0])
    names = ", ".join(row.name.rpartition(": ")[0] for row in rows)
    if len(rows) == sets[figure]:
        names = "all memory"
    return DifferenceRow(**{**vars(first), "name": f"{names}: {figure}"})


def _figure(row: DifferenceRow) -> str:
    """The figure's name in a row of section "memory", without its capability sets."""
    return row.name.rpartition(": ")[2]
