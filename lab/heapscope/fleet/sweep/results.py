"""The results of an output as tables of DuckDB. It adds what the number of a cell tells: its
configuration, and the digits that say which value of each axis that has."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.printable import printable
from heapscope.fleet.sweep.axis import Axis
from heapscope.fleet.sweep.columns import arrow_schema
from heapscope.fleet.sweep.output import Output
from heapscope.fleet.sweep.plan import SweepGrid, SweepPlan

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection


class PlacedAxis(NamedTuple):
    """An axis of a grid, and how it follows from the number of a configuration: the digit of
    `stride` behind `begin`. `number`: of the grid in the plan, from 1."""

    number: int
    grid: SweepGrid
    axis: Axis
    begin: int
    stride: int

    @property
    def end(self) -> int:
        return self.begin + self.grid.configurations

    @property
    def digit(self) -> str:
        """SQL: the index of the axis's value."""
        return f"(configuration - {self.begin}) // {self.stride} % {len(self.axis.values)}"

    @property
    def within(self) -> str:
        """SQL: the configurations of the grid."""
        return f"configuration >= {self.begin} AND configuration < {self.end}"


@dataclass(frozen=True)
class SweepTables:
    """`rows` answers a query over the table `cells` and the view `configurations`."""

    plan: SweepPlan
    connection: DuckDBPyConnection

    def rows(self, query: str, values: Sequence[object] = ()) -> list[tuple[Any, ...]]:
        results: list[tuple[Any, ...]] = self.connection.execute(query, list(values)).fetchall()
        return results

    def options(self, configuration: int) -> dict[str, str]:
        """The options of a configuration, as its grid has them."""
        for grid in self.plan.recipe.grids:
            if configuration < grid.configurations:
                return grid.configuration(configuration)
            configuration -= grid.configurations
        raise IndexError(configuration)

    def axes(self) -> Iterator[PlacedAxis]:
        """Those that have a choice."""
        begin = 0
        for number, grid in enumerate(self.plan.recipe.grids, 1):
            stride = 1
            for axis in reversed(grid.axes):
                if len(axis.values) > 1:
                    yield PlacedAxis(number, grid, axis, begin, stride)
                stride *= len(axis.values)
            begin += grid.configurations


#: A configuration over its cells. An unknown cell is neither safe nor unsafe.
_CONFIGURATIONS = """
CREATE TABLE configurations AS
SELECT configuration,
       count(*) AS done,
       count(*) FILTER (safe) AS safe_cells,
       count(*) FILTER (NOT safe) AS unsafe_cells,
       count(*) FILTER (failed IS NOT NULL) AS failed_cells,
       count(*) FILTER (failed IS NULL AND safe IS NULL) AS unknown_cells,
       count(*) FILTER (events_of_trace > 0) AS readable,
       count(*) FILTER (events_of_trace > 0 AND failed IS NOT NULL) AS readable_failed,
       count(*) FILTER (run > 0 AND failed IS NULL) AS perturbed,
       count(*) FILTER (run > 0 AND safe) AS perturbed_safe,
       max(internal) AS internal,
       min(min_free) AS min_free,
       min(min_largest) AS min_largest,
       min(need_margin) AS need_margin,
       any_value(chip) AS chip,
       count(*) FILTER (safe) = {each} AND {each} > 0 AS is_safe
FROM cells WHERE pool IS DISTINCT FROM 'least' GROUP BY configuration
"""


def options_text(options: dict[str, str]) -> str:
    """The options in the words of the command line."""
    words = (f"{flag(name)} {shlex.quote(value)}" for name, value in options.items())
    return printable(" ".join(words) or "(no options)", limit=400)


def cells_of_each(plan: SweepPlan) -> int:
    """Cells of a configuration that can be replayed: those of traces that can be read."""
    return sum(trace.readable for trace in plan.traces) * plan.recipe.runs


def _planned(plan: SweepPlan) -> Any:
    """The traces of the plan by their place in it."""
    import pyarrow

    events = [trace.events for trace in plan.traces]
    return pyarrow.table({"planned_place": list(range(len(events))), "events_of_trace": events})


def _check_whole(files: Sequence[str]) -> None:
    """InputError names the first file that cannot be read: a batch has its name when it is whole,
    so its content was changed later."""
    import pyarrow
    import pyarrow.parquet

    for file in files:
        try:
            pyarrow.parquet.ParquetFile(file).read()
        except (OSError, pyarrow.ArrowException):
            raise InputError(
                f"{printable(file, limit=400)}: damaged, so its cells cannot be read",
                remedy="remove it and run the same sweep again: it replays that batch alone",
            ) from None


@contextmanager
def opened_results(output: Output) -> Iterator[SweepTables]:
    """The results that are there now: what a sweep adds meanwhile is not among them. InputError: a
    file of them is damaged, or belongs to another sweep."""
    import duckdb
    import pyarrow.dataset

    plan = output.plan
    output.check_own()
    files = output.files()
    schema = arrow_schema()
    kept: Any = (
        pyarrow.dataset.dataset(files, format="parquet", schema=schema)
        if files
        else schema.empty_table()
    )
    with duckdb.connect() as connection:
        connection.register("kept", kept)
        per_trace, runs = plan.recipe.cells_per_trace, plan.recipe.runs
        connection.register("planned", _planned(plan))
        try:
            connection.execute(
                f"CREATE TABLE cells AS SELECT *, cell % {per_trace} // {runs} AS configuration "
                f"FROM kept JOIN planned ON planned_place = cell // {per_trace}"
            )
        except duckdb.Error:
            _check_whole(files)
            raise
        connection.execute(_CONFIGURATIONS.format(each=cells_of_each(plan)))
        yield SweepTables(plan, connection)
