"""Several replays side by side: labels that tell them apart, and every figure that differs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Document, Row
from heapscope.base.wording import count, signed
from heapscope.simulation.result.comparison import (
    NAMES,
    Comparison,
    Side,
    aligned,
    comparable,
    compare,
    outcome,
    side_of,
)
from heapscope.simulation.result.difference import DifferencePart
from heapscope.simulation.result.figure import ComparedFigure, served_alike
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.provenance import WORD_SIZE_TEXT, largest_word

#: More columns are not read beside each other.
SIDES_MAX = 6


def labels(results: Sequence[ReplayResult]) -> list[str]:
    """The facts in which the sides differ name them; those that are still alike are numbered."""
    differ = [name for name in NAMES if len({name(one) for one in results}) > 1]
    # One fact that tells all apart is enough, and the first is the plainest.
    alone = [name for name in differ if len({name(one) for one in results}) == len(results)]
    used = alone[:1] or differ
    names = [" · ".join(filter(None, (name(one) for name in used))) for one in results]
    return [
        name if names.count(name) == 1 and name else f"{name or 'side'} ({number})"
        for number, name in enumerate(names, 1)
    ]


def compared(results: Sequence[ReplayResult]) -> list[Comparison]:
    """Every side against the first. More than two sides keep one name each in all comparisons."""
    if len(results) == 2:
        return [compare(*results)]
    first, *others = zip(results, labels(results), strict=True)
    return [compare(first[0], other, labels=(first[1], name)) for other, name in others]


class DifferingRow(Row):
    """A figure of every side."""

    section: str = figure("The section of the figure.")
    name: str = figure("Its name, unique within its section.")
    unit: str = figure("Its unit.")
    values: tuple[int | None, ...] = figure("The value on each side; null: none.", least=None)
    changes: tuple[str, ...] = figure("The changes against the first side.", hidden=True)
    outcomes: tuple[str, ...] = figure(
        "How each further side stands to the first; empty: neither direction is better.",
        choices=("", "better", "worse"),
    )


@dataclass(frozen=True, kw_only=True)
class Differing:
    rows: tuple[DifferingRow, ...]
    equal: int  # figures that are the same on all sides


def differing(results: Sequence[ReplayResult]) -> Differing:
    first, *others = results
    alike = [bool(served_alike(first, one)) if comparable(first, one) else None for one in others]
    rows = [_row(known, values, alike) for known, values in aligned(results)]
    different = [row for row in rows if len(set(row.values)) > 1]
    return Differing(rows=tuple(different), equal=len(rows) - len(different))


def _row(
    known: ComparedFigure, values: tuple[int | None, ...], alike: list[bool | None]
) -> DifferingRow:
    """`alike`: whether each further side served what the first did; None: not comparable."""
    first, *others = values
    outcomes = (
        "" if same is None else outcome(known.judged(alike=same), first, value)
        for same, value in zip(alike, others, strict=True)
    )
    return DifferingRow(
        section=known.section,
        name=known.name,
        unit=known.unit,
        values=values,
        changes=tuple(_change(first, value) for value in others),
        outcomes=tuple("" if one == "same" else one for one in outcomes),
    )


def _change(first: int | None, value: int | None) -> str:
    if first is None or value is None:
        return "" if value is None else f"new: {count(value)}"
    return signed(value - first)


class SeveralReplays(Document):
    """More than two replays, each compared with the first."""

    VERB = "compare"
    KIND = "several"
    VERSION = 1
    main_table = "differing"

    sides: tuple[Side, ...] = figure("The replays.", entries=(3, None))
    conclusions: tuple[tuple[str, ...], ...] = figure(
        "The changes from the first side to each other one, in sentences."
    )
    parts: tuple[tuple[DifferencePart, ...], ...] = figure(
        "For each other side the parts of the difference in malloc's least free memory."
    )
    differing: tuple[DifferingRow, ...] = figure("The figures that are not the same on all sides.")
    equal: int = figure("Figures that are the same on all sides.")

    @property
    @computed(WORD_SIZE_TEXT, "B", last=True)
    def word_size(self) -> int | None:
        return largest_word(*(side.trace.word_size for side in self.sides))


def compare_several(results: Sequence[ReplayResult]) -> SeveralReplays:
    rows, comparisons = differing(results), compared(results)
    return SeveralReplays(
        sides=tuple(side_of(*one) for one in zip(results, labels(results), strict=True)),
        conclusions=tuple(one.conclusion for one in comparisons),
        parts=tuple(one.parts for one in comparisons),
        differing=rows.rows,
        equal=rows.equal,
    )
