"""The report of a comparison: what changes, then every figure that differs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import groupby

from rich.console import Console
from rich.text import Text

from heapscope.measure.comparison import Comparison, DifferenceRow, Side
from heapscope.measure.wording import plural, signed
from heapscope.report.table import Cell, Column, table

__all__ = ["print_comparison"]

COLOURS = {"better": "green", "worse": "red"}


def print_comparison(comparison: Comparison, target: Console) -> None:
    _sides(comparison, target)
    for position, sentence in enumerate(comparison.conclusion):
        target.print(Text(sentence, style="bold" if position == 0 else ""))
    target.print()
    differing = [row for row in _merged(comparison.rows) if row.outcome != "same"]
    if differing:
        columns = _columns(comparison)
        title = "Side by side" if comparison.losses else "What differs"
        target.print(table(title, columns, _sections(differing), width=target.width))
    equal = sum(row.outcome == "same" for row in comparison.rows)
    if equal:
        target.print(Text(f"{plural(equal, 'figure')} equal on both sides", style="dim"))


def _sections(rows: list[DifferenceRow]) -> Iterator[tuple[Cell, ...]]:
    for section, within in groupby(rows, key=lambda row: row.section):
        yield (Text(section, style="bold"), *[""] * 5)
        yield from map(_row, within)


def _sides(comparison: Comparison, target: Console) -> None:
    sides = {"left": comparison.left, "right": comparison.right}
    for name, side in sides.items():
        own = "" if side.label == name else f"{name:<6}"
        target.print(Text.assemble(own, (side.label, "bold"), f": {_source(side)}"))
    shared = set(comparison.left.layout.notes) & set(comparison.right.layout.notes)
    for name, side in sides.items():
        for note in side.layout.notes:
            if note not in shared:
                target.print(Text(f"note, {name}: {note}", style="dim"))
    for note in comparison.left.layout.notes:
        if note in shared:
            target.print(Text(f"note: {note}", style="dim"))
    if comparison.left.digest == comparison.right.digest:
        target.print(Text("Both sides gave every request the same place (equal digests)."))
    target.print()


def _source(side: Side) -> str:
    return f"{side.trace.path} on {side.layout.name}, {', '.join(side.layout.allocators)}"


def _columns(comparison: Comparison) -> tuple[Column, ...]:
    return (
        Column(heading="", name=True),
        Column(heading=comparison.left.label),
        Column(heading=comparison.right.label),
        Column(heading="difference"),
        Column(heading="%"),
        Column(heading="", name=True),
    )


def _row(row: DifferenceRow) -> tuple[Cell, ...]:
    style = COLOURS.get(row.outcome, "")
    change = None if row.difference is None else Text(signed(row.difference), style=style)
    share = None if row.percent is None else Text(_percent(row.percent), style=style)
    unit = "" if row.unit == "B" else f" ({row.unit})"
    return (
        f"  {row.name}{unit}",
        row.left,
        row.right,
        change,
        share,
        Text(_judged(row), style=style),
    )


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
