"""The result of an experiment: tables of published and computed figures, and what must agree."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from math import isfinite
from typing import Any

__all__ = ["NO", "Cell", "Check", "Column", "Experiment", "Plot", "Series", "Table"]

Cell = str | int | float | None

#: A column says this of a figure that is outside its bounds.
NO = "no"


@dataclass(frozen=True, kw_only=True)
class Column:
    """`key` is its name in JSON. Numbers have `unit`; fractions are shown with `digits`. One
    that is not 0 is a miss where it is `exact`, or where the column `judged_by` says NO."""

    key: str
    heading: str
    unit: str = ""
    name: bool = False  # text, not numbers
    wide: bool = False  # left out on a narrow terminal
    signed: bool = False  # a difference
    ratio: bool = False  # how many times as much
    digits: int = 2
    exact: bool = False
    judged_by: str = ""

    def text(self, value: Cell) -> str:
        """A cell for people; None, what there is no figure of, reads "-"."""
        if value is None:
            return "-"
        if isinstance(value, str):
            return value
        if self.ratio:
            return _times(value)
        sign = "+" if self.signed and value else ""
        return f"{value:{sign},}" if isinstance(value, int) else f"{value:{sign},.{self.digits}f}"


@dataclass(frozen=True, kw_only=True)
class Table:
    """Rows have a cell for every column. `detail`: for files, not for the terminal."""

    key: str
    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Cell, ...], ...]
    notes: tuple[str, ...] = ()
    detail: bool = False

    def column(self, key: str) -> tuple[Cell, ...]:
        """All cells of one column."""
        index = [column.key for column in self.columns].index(key)
        return tuple(row[index] for row in self.rows)

    def missed(self, row: Sequence[Cell], column: Column) -> bool:
        """Whether this column's cell of the row is a difference that should not be."""
        value = row[self.columns.index(column)]
        if not isinstance(value, int | float) or value == 0:
            return False
        if column.judged_by:
            keys = [each.key for each in self.columns]
            return row[keys.index(column.judged_by)] == NO
        return column.exact

    def to_json(self) -> dict[str, Any]:
        keys = [column.key for column in self.columns]
        return {
            "key": self.key,
            "title": self.title,
            "columns": [
                {"key": c.key, "heading": _flat(c.heading), "unit": c.unit} for c in self.columns
            ],
            "rows": [dict(zip(keys, row, strict=True)) for row in self.rows],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, kw_only=True)
class Series:
    """One curve: as many `y` as `x`, `x` ascending; None where there is no figure. `points`: dots
    without a line. `beside`: the name of the series that it is put beside, as published figures are
    beside computed ones; it gets that one's colour, and is dashed."""

    name: str
    x: tuple[float, ...]
    y: tuple[float | None, ...]
    points: bool = False
    beside: str = ""

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"{self.name}: {len(self.x)} x and {len(self.y)} y")
        if any(later < x for x, later in pairwise(self.x)):
            raise ValueError(f"{self.name}: x does not ascend")
        if not all(map(isfinite, (*self.x, *(y for y in self.y if y is not None)))):
            raise ValueError(f"{self.name}: not a number; what there is no figure of is None")

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "x": list(self.x),
            "y": list(self.y),
            "points": self.points,
            "beside": self.beside,
        }


@dataclass(frozen=True, kw_only=True)
class Plot:
    """Curves over one axis. `logarithmic`: the vertical axis, then every y is above 0. `x_labels`:
    names at x = 0, 1, 2, ... instead of numbers."""

    key: str
    title: str
    x_heading: str
    y_heading: str
    series: tuple[Series, ...]
    x_unit: str = ""
    y_unit: str = ""
    logarithmic: bool = False
    notes: tuple[str, ...] = ()
    x_labels: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        names = [each.name for each in self.series]
        if len(set(names)) < len(names):
            raise ValueError(f"{self.key}: two series of one name")
        for each in self.series:
            if each.beside and each.beside not in names:
                raise ValueError(f"{self.key}: {each.name} is beside {each.beside}, which is not")
            if self.logarithmic and any(y is not None and y <= 0 for y in each.y):
                raise ValueError(f"{self.key}: {each.name} is not above 0, its axis logarithmic")

    def to_json(self) -> dict[str, Any]:
        return {
            "key": self.key,
            "title": self.title,
            "x": {"heading": self.x_heading, "unit": self.x_unit, "labels": list(self.x_labels)},
            "y": {"heading": self.y_heading, "unit": self.y_unit},
            "logarithmic": self.logarithmic,
            "series": [curve.to_json() for curve in self.series],
            "notes": list(self.notes),
        }


@dataclass(frozen=True, kw_only=True)
class Check:
    """A published figure that the lab must compute to the unit."""

    what: str
    published: int
    computed: int | None  # None: it cannot be computed here

    @property
    def difference(self) -> int | None:
        return None if self.computed is None else self.computed - self.published

    @property
    def holds(self) -> bool:
        return self.difference == 0

    def to_json(self) -> dict[str, Any]:
        return {
            "what": self.what,
            "published": self.published,
            "computed": self.computed,
            "difference": self.difference,
            "holds": self.holds,
        }


@dataclass(frozen=True, kw_only=True)
class Experiment:
    """One experiment as computed. `findings` are sentences, the most important first; `figures`
    headline figures by subject and name, for programs."""

    name: str
    title: str
    source: str
    findings: tuple[str, ...]
    tables: tuple[Table, ...]
    checks: tuple[Check, ...]
    plots: tuple[Plot, ...] = ()
    figures: Mapping[str, Mapping[str, float]] = field(default_factory=dict)

    def table(self, key: str) -> Table:
        return next(table for table in self.tables if table.key == key)

    @property
    def failed(self) -> tuple[Check, ...]:
        return tuple(check for check in self.checks if not check.holds)

    def verdict(self) -> str:
        if not self.checks:
            return "No figure of it must come out exactly."
        if len(self.checks) == 1:
            does = "does not" if self.failed else "does"
            return f"The one figure that must come out exactly {does}."
        if not self.failed:
            return f"All {len(self.checks)} figures that must come out exactly do."
        return f"{len(self.failed)} of {len(self.checks)} figures that must come out exactly do not"

    def to_json(self) -> dict[str, Any]:
        return {
            "name": self.name,
            "title": self.title,
            "source": self.source,
            "findings": list(self.findings),
            "checks": [check.to_json() for check in self.checks],
            "tables": [table.to_json() for table in self.tables],
            "plots": [plot.to_json() for plot in self.plots],
            **{subject: dict(values) for subject, values in self.figures.items()},
        }


def _times(ratio: float) -> str:
    """ "2.12 x", or "1/148" for what is less."""
    return f"{ratio:,.2f} x" if ratio >= 1 or ratio <= 0 else f"1/{1 / ratio:,.3g}"


def _flat(heading: str) -> str:
    return " ".join(heading.split())


def document(experiments: Sequence[Experiment]) -> dict[str, Any]:
    """The document of `heapscope experiment --json`. The figures of one alone also stand on top."""
    figures = experiments[0].figures if len(experiments) == 1 else {}
    return {
        "heapscope_experiment": 1,
        **{subject: dict(values) for subject, values in figures.items()},
        "experiments": [experiment.to_json() for experiment in experiments],
    }


def failures(experiments: Sequence[Experiment]) -> Iterator[Check]:
    for experiment in experiments:
        yield from experiment.failed
