"""Several sides beside each other: labels that tell them apart, and every figure that differs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from heapscope.measure.comparison import Comparison, compare
from heapscope.measure.figure import ComparedFigure, figures, served_alike
from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import count, signed
from heapscope.rows.figure import figure
from heapscope.rows.row import Row


def labels(results: Sequence[ReplayResult]) -> list[str]:
    """The facts in which the sides differ name them; those that are still alike are numbered."""
    facts: tuple[Callable[[ReplayResult], str], ...] = (
        lambda one: one.trace.path.replace("\\", "/").split("/")[-1],
        lambda one: one.layout.chip,
        lambda one: f"ESP-IDF {one.layout.sdk}" if one.layout.sdk else "",
        lambda one: ", ".join(one.layout.allocators),
        lambda one: one.layout.name,
    )
    differ = [fact for fact in facts if len({fact(one) for one in results}) > 1]
    # One fact that tells all apart is enough, and the first is the plainest.
    alone = [fact for fact in differ if len({fact(one) for one in results}) == len(results)]
    used = alone[:1] or differ
    names = [" · ".join(filter(None, (fact(one) for fact in used))) for one in results]
    return [
        name if names.count(name) == 1 and name else f"{name or 'side'} ({number})"
        for number, name in enumerate(names, 1)
    ]


def compared(results: Sequence[ReplayResult]) -> list[Comparison]:
    """Every side against the first."""
    return [compare(results[0], other) for other in results[1:]]


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
    """In the order of the first side; what only a later one has follows its section. Regions go by
    their addresses."""
    tables = [{(f.section, f.name): f for f in figures(result)} for result in results]
    known: dict[tuple[str, str], ComparedFigure] = {}
    for table in tables:
        for key, one in table.items():
            known.setdefault(key, one)
    sections = list(dict.fromkeys(section for section, _ in known))
    ordered = sorted(known, key=lambda key: (sections.index(key[0]), known[key].order))
    alike = [served_alike(results[0], other) for other in results[1:]]
    rows = [_row(known[key], [table.get(key) for table in tables], alike) for key in ordered]
    different = [row for row in rows if len(set(row.values)) > 1]
    return Differing(rows=tuple(different), equal=len(rows) - len(different))


def _row(
    known: ComparedFigure, found: list[ComparedFigure | None], alike: list[bool]
) -> DifferingRow:
    values = [None if one is None else one.value for one in found]
    return DifferingRow(
        section=known.section,
        name=known.name,
        unit=known.unit,
        values=tuple(values),
        changes=tuple(_change(values[0], value) for value in values[1:]),
        outcomes=tuple(
            _outcome(known.judged(alike=same), values[0], value)
            for same, value in zip(alike, values[1:], strict=True)
        ),
    )


def _change(first: int | None, value: int | None) -> str:
    if first is None or value is None:
        return "" if value is None else f"new: {count(value)}"
    return signed(value - first)


def _outcome(better: str, first: int | None, value: int | None) -> str:
    if first is None or value is None or first == value or not better:
        return ""
    return "better" if (value > first) == (better == "more") else "worse"
