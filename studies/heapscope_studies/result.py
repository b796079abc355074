"""The result of an experiment: tables of published and computed figures, and what must agree."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise
from math import isfinite
from typing import Any

from heapscope.base.rows.figure import computed as told
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Document, Row

Cell = str | int | float | None

#: A column says this of a figure that is outside its bounds.
NO = "no"


def _shown(text: str, default: Any) -> Any:
    """A fact of a column that is only for how its cells are shown."""
    return figure(text, hidden=True, default=default)


class Column(Row):
    """One column of a table."""

    key: str = figure("The key of its cells in a row.")
    heading: str = figure("The words above it.")
    unit: str = figure("The unit of its numbers; empty: none, or told by the row.", default="")
    name: bool = _shown("Text, not numbers.", False)
    wide: bool = _shown("It is left out on a narrow terminal.", False)
    signed: bool = _shown("A difference.", False)
    ratio: bool = _shown("How many times as much.", False)
    digits: int = _shown("Digits of a fraction.", 2)
    exact: bool = _shown("A number other than 0 is beside its target.", False)
    judged_by: str = _shown("The same where the column of this key says NO.", "")

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


class _Titled(Row):
    """One table."""

    key: str = figure("Its name, unique in the experiment.")
    title: str = figure("The words above it.")
    columns: tuple[Column, ...] = figure("Its columns.")
    notes: tuple[str, ...] = figure("Sentences below it.", default=())


class WrittenTable(_Titled):
    """One table."""

    rows: tuple[dict[str, Cell], ...] = figure("A cell for each column.", least=None)


class Table(_Titled):
    """Rows have a cell for every column."""

    WRITTEN = WrittenTable

    rows: tuple[tuple[Cell, ...], ...] = figure("The rows.")
    detail: bool = figure("For files, not for the terminal.", hidden=True, default=False)

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
        return WrittenTable(
            key=self.key,
            title=self.title,
            columns=tuple(replace(c, heading=" ".join(c.heading.split())) for c in self.columns),
            rows=tuple(dict(zip(keys, row, strict=True)) for row in self.rows),
            notes=self.notes,
        ).to_json()


class Series(Row):
    """One curve."""

    name: str = figure("Its name, unique in the plot.")
    x: tuple[float, ...] = figure("The horizontal places, ascending; one for each y.", least=None)
    y: tuple[float | None, ...] = figure("null: no figure there.", least=None)
    points: bool = figure("Dots, without a line.", default=False)
    beside: str = figure(
        "Name of the series that it is put beside, as published figures are beside computed ones; "
        "it gets that one's colour, and is dashed. Empty: none.",
        default="",
    )

    def __post_init__(self) -> None:
        if len(self.x) != len(self.y):
            raise ValueError(f"{self.name}: {len(self.x)} x and {len(self.y)} y")
        if any(later < x for x, later in pairwise(self.x)):
            raise ValueError(f"{self.name}: x does not ascend")
        if not all(map(isfinite, (*self.x, *(y for y in self.y if y is not None)))):
            raise ValueError(f"{self.name}: not a number; what there is no figure of is None")


class Axis(Row):
    """The vertical axis of a plot."""

    heading: str = figure("The words beside it.")
    unit: str = figure("The unit of its numbers; empty: none.")


class LabelledAxis(Axis):
    """The horizontal axis of a plot."""

    labels: tuple[str, ...] = figure("Names at x = 0, 1, 2, ...; empty: x are numbers.")


class Plot(Row):
    """Curves over one axis."""

    key: str = figure("Its name, unique in the experiment.")
    title: str = figure("The words above it.")
    x_heading: str = figure("The words below it.", hidden=True)
    y_heading: str = figure("The words beside it.", hidden=True)
    series: tuple[Series, ...] = figure("Its curves.")
    x_unit: str = figure("The unit of x.", hidden=True, default="")
    y_unit: str = figure("The unit of y.", hidden=True, default="")
    logarithmic: bool = figure("The vertical axis; every y is above 0 then.", default=False)
    notes: tuple[str, ...] = figure("Sentences below it.", default=())
    x_labels: tuple[str, ...] = figure("Names in place of numbers.", hidden=True, default=())

    def __post_init__(self) -> None:
        names = [each.name for each in self.series]
        if len(set(names)) < len(names):
            raise ValueError(f"{self.key}: two series of one name")
        for each in self.series:
            if each.beside and each.beside not in names:
                raise ValueError(f"{self.key}: {each.name} is beside {each.beside}, which is not")
            if self.logarithmic and any(y is not None and y <= 0 for y in each.y):
                raise ValueError(f"{self.key}: {each.name} is not above 0, its axis logarithmic")

    @property
    @told("The horizontal axis.")
    def x(self) -> LabelledAxis:
        return LabelledAxis(heading=self.x_heading, unit=self.x_unit, labels=self.x_labels)

    @property
    @told("The vertical axis.")
    def y(self) -> Axis:
        return Axis(heading=self.y_heading, unit=self.y_unit)


class Check(Row):
    """A published figure that the lab must compute to the unit."""

    what: str = figure("The name of the figure.")
    published: int = figure("The published figure.", least=None)
    computed: int | None = figure("null: it cannot be computed here.", least=None)

    @property
    @told("Computed less published.", least=None)
    def difference(self) -> int | None:
        return None if self.computed is None else self.computed - self.published

    @property
    @told("It came out to the unit.")
    def holds(self) -> bool:
        return self.difference == 0


class Experiment(Row):
    """One experiment as computed."""

    name: str = figure("The name that the command line takes.")
    title: str = figure("Its name for people.")
    source: str = figure("Where the published figures are from.")
    findings: tuple[str, ...] = figure("Sentences, the most important first.")
    tables: tuple[Table, ...] = figure("Those that the terminal leaves out included.")
    checks: tuple[Check, ...] = figure(
        "Figures that must come out exactly; if one does not, the exit code is 1."
    )
    plots: tuple[Plot, ...] = figure("Curves, for what the tables only sum up.", default=())
    figures: dict[str, dict[str, float]] = figure(
        "Headline figures of one subject, by name: percent (_pct), KB (_kb), counts.",
        beside=True,
        least=None,
    )

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


class Experiments(Document):
    """Published experiments with the figures that the lab computes beside them. Bytes and counts
    are integers; null: there is no such figure."""

    VERB = "experiment"
    VERSION = 1

    experiments: tuple[Experiment, ...] = figure("The experiments.", entries=(1, None))

    @property
    @told("The figures of the experiment when it is asked for alone.", beside=True, least=None)
    def figures(self) -> dict[str, dict[str, float]]:
        return self.experiments[0].figures if len(self.experiments) == 1 else {}


def _times(ratio: float) -> str:
    """ "2.12 x", or "1/148" for what is less."""
    return f"{ratio:,.2f} x" if ratio >= 1 or ratio <= 0 else f"1/{1 / ratio:,.3g}"


def failures(experiments: Sequence[Experiment]) -> Iterator[Check]:
    for experiment in experiments:
        yield from experiment.failed
