"""Answers over the results of a sweep."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from heapscope.base.option import flag
from heapscope.base.printable import printable
from heapscope.base.rows.request import RequestRow
from heapscope.fleet.sweep.answer import (
    SweepChip,
    SweepCliff,
    SweepConfiguration,
    SweepEffect,
    SweepPanel,
    SweepReason,
    SweepResult,
)
from heapscope.fleet.sweep.axis import LEAST
from heapscope.fleet.sweep.least import least_pools, perturbed_least_pools
from heapscope.fleet.sweep.output import read_output
from heapscope.fleet.sweep.results import (
    PlacedAxis,
    SweepTables,
    cells_of_each,
    opened_results,
    options_text,
)
from heapscope.memory.options import DECLARED
from heapscope.simulation.jitter.quantile import settled_by
from heapscope.simulation.jitter.share import share

LISTED = 1000  # rows of a list in the answer
_REASONS = 20
_VALUES = 24  # of an option in the table of effects: a size in many steps has its cliff instead
_PANELS = 48

_FIGURES = (
    "configuration, is_safe, safe_cells, unsafe_cells, failed_cells, unknown_cells, internal, "
    "min_free, min_largest, need_margin, perturbed, perturbed_safe"
)


def show(folder: str | Path) -> SweepResult:
    """The answers over all that is there, whether the sweep is over or not. InputError: the folder
    is not of a sweep."""
    output = read_output(folder)
    plan = output.plan
    with opened_results(output) as results:
        ((done, failed, unknown),) = results.rows(
            "SELECT count(*), count(*) FILTER (failed IS NOT NULL), "
            "count(*) FILTER (failed IS NULL AND safe IS NULL) FROM cells"
        )
        ((safe_count,),) = results.rows("SELECT count(*) FROM configurations WHERE is_safe")
        _price(results)
        configurations = sum(grid.configurations for grid in plan.recipe.grids)
        searches = sum(grid.searching for grid in plan.recipe.grids)
        return SweepResult(
            output=output.shown,
            complete=done == plan.cell_count,
            cells=plan.cell_count,
            done=done,
            failed=failed,
            traces=len(plan.traces),
            unreadable_traces=sum(not trace.readable for trace in plan.traces),
            unknown=unknown,
            wide_traces=sum(trace.wide is True for trace in plan.traces),
            damaged_traces=sum(trace.wide is None for trace in plan.traces),
            needs=tuple(map(RequestRow.of, plan.recipe.needs)),
            runs=plan.recipe.runs,
            configurations_count=configurations - searches,
            searches_count=searches,
            safe_count=safe_count,
            reasons=tuple(_reasons(results)),
            configurations=tuple(_configurations(results)),
            chips=tuple(_chips(results)),
            cliffs=tuple(_cliffs(results))[:LISTED],
            least=tuple(least_pools(results))[:LISTED],
            perturbed_least=tuple(perturbed_least_pools(results))[:LISTED],
            runs_that_settle=settled_by(),
            front=tuple(_front(results)),
            effects=tuple(_effects(results)),
            panels=tuple(_panels(results))[:_PANELS],
        )


def _price(results: SweepTables) -> None:
    """The table `costs`: the price of each configuration's chip, where the plan gives it."""
    results.rows("CREATE TABLE prices (of_chip VARCHAR, price DOUBLE)")
    for chip, price in results.plan.prices.items():
        results.rows("INSERT INTO prices VALUES (?, ?)", [chip, price])
    results.rows(
        "CREATE TABLE costs AS SELECT * FROM configurations LEFT JOIN prices ON of_chip = chip"
    )


def _reasons(results: SweepTables) -> Iterator[SweepReason]:
    for reason, cells, trace, number in results.rows(
        "SELECT failed, count(*), arg_min(trace, cell), arg_min(configuration, cell) "
        "FROM cells WHERE failed IS NOT NULL "
        f"GROUP BY failed ORDER BY count(*) DESC, failed LIMIT {_REASONS}"
    ):
        yield SweepReason(
            reason=printable(reason, limit=400),
            cells=cells,
            trace=printable(trace),
            configuration=options_text(results.options(number)),
        )


def _configurations(results: SweepTables) -> Iterator[SweepConfiguration]:
    for row in results.rows(
        f"SELECT {_FIGURES}, price FROM costs ORDER BY is_safe DESC, "
        "safe_cells DESC, price NULLS LAST, internal NULLS LAST, configuration "
        f"LIMIT {LISTED}"
    ):
        yield _configuration(results, row)


def _configuration(results: SweepTables, row: Sequence[Any]) -> SweepConfiguration:
    number, safe, good, bad, failed, unknown, *figures, runs, well, price = row
    internal, free, largest, margin = figures
    return SweepConfiguration(
        configuration=options_text(results.options(number)),
        safe=safe,
        cells=cells_of_each(results.plan),
        safe_cells=good,
        unsafe_cells=bad,
        failed_cells=failed,
        unknown_cells=unknown,
        price=price,
        internal=internal,
        min_free=free,
        min_largest=largest,
        need_margin=margin,
        share=share(well, runs) if runs else None,
    )


def _chips(results: SweepTables) -> Iterator[SweepChip]:
    for chip, price, of, safe, best, internal, free in results.rows(
        "SELECT chip, any_value(price), count(*), count(*) FILTER (is_safe), "
        "arg_max(configuration, min_free) FILTER (is_safe), "
        "arg_max(internal, min_free) FILTER (is_safe), max(min_free) FILTER (is_safe) "
        "FROM costs WHERE chip IS NOT NULL GROUP BY chip "
        "ORDER BY count(*) FILTER (is_safe) = 0, any_value(price) NULLS LAST, "
        "min(internal) FILTER (is_safe) NULLS LAST, chip"
    ):
        yield SweepChip(
            chip=chip,
            price=price,
            configurations=of,
            safe=safe,
            best=None if best is None else options_text(results.options(best)),
            internal=internal,
            min_free=free,
        )


def _cliffs(results: SweepTables) -> Iterator[SweepCliff]:
    for placed in results.axes():
        if _is_size(placed):
            yield from _cliffs_of(results, placed)


def _is_size(placed: PlacedAxis) -> bool:
    values = placed.axis.values
    return (
        DECLARED[placed.axis.name].metavar.startswith(("BYTES", "SIZE"))
        and len(values) > 2
        and all(value.isdigit() for value in placed.axis.samples())
    )


def _cliffs_of(results: SweepTables, placed: PlacedAxis) -> Iterator[SweepCliff]:
    name = placed.axis.name
    each = cells_of_each(results.plan)
    sizes = (
        f"SELECT configuration - {placed.digit} * {placed.stride} AS others, "
        f"{placed.digit} AS digit, is_safe, readable = {each} AS whole "
        f"FROM configurations WHERE {placed.within} AND readable_failed = 0"
    )
    value = {at: int(size) for at, size in enumerate(placed.axis.values)}
    result: dict[int, list[tuple[int, bool, bool, int]]] = {}
    for others, at, safe, whole in results.rows(f"{sizes} ORDER BY others"):
        result.setdefault(others, []).append((value[at], safe, whole, at))
    for others, tried in result.items():
        tried.sort()
        bad = [one for one in tried if one[2] and not one[1]]
        last = bad[-1] if bad else None
        above = [one for one in tried if last is None or one[0] > last[0]]
        fixed = results.options(others)
        fixed.pop(name, None)
        yield SweepCliff(
            axis=flag(name),
            others=options_text(fixed),
            tried=sum(one[2] for one in tried),
            first_safe=next((one[0] for one in tried if one[1]), None),
            last_unsafe=None if last is None else last[0],
            safe_from=above[0][0] if above and all(one[1] for one in above) else None,
            trace=None if last is None else _deciding(results, others + last[3] * placed.stride),
        )


def _deciding(results: SweepTables, configuration: int) -> str:
    ((trace,),) = results.rows(
        "SELECT arg_min(trace, (need_margin, -failures, cell)) FROM cells "
        "WHERE configuration = ? AND failed IS NULL AND safe IS DISTINCT FROM true",
        [configuration],
    )
    return printable(str(trace))


def _front(results: SweepTables) -> Iterator[SweepConfiguration]:
    """A configuration is left out where another is as good in all three and better in one."""
    prices = bool(results.plan.prices)
    cost = "coalesce(price, 1e300)" if prices else "internal"
    for row in results.rows(
        f"WITH safe AS (SELECT *, {cost} AS cost FROM costs WHERE is_safe), "
        "best AS (SELECT DISTINCT cost, min_free, min_largest FROM safe), "
        "front AS (SELECT * FROM best AS a WHERE NOT EXISTS (SELECT 1 FROM best AS b WHERE "
        "b.cost <= a.cost AND b.min_free >= a.min_free AND b.min_largest >= a.min_largest AND "
        "(b.cost < a.cost OR b.min_free > a.min_free OR b.min_largest > a.min_largest))) "
        f"SELECT {_FIGURES}, price FROM safe JOIN front USING (cost, min_free, min_largest) "
        f"ORDER BY cost, min_free, min_largest, configuration LIMIT {LISTED}"
    ):
        yield _configuration(results, row)


def _effects(results: SweepTables) -> Iterator[SweepEffect]:
    for placed in results.axes():
        tested = placed.grid.configurations > placed.grid.searching
        if tested and len(placed.axis.values) <= _VALUES and not _is_size(placed):
            yield from _effects_of(results, placed)


def _effects_of(results: SweepTables, placed: PlacedAxis) -> Iterator[SweepEffect]:
    """Cells that search for a pool are left out: each has a memory of its own."""
    searched = LEAST if placed.axis.name == "pool" else None
    values = [(at, value) for at, value in enumerate(placed.axis.values) if value != searched]
    base, against = values[0]
    if len(values) == 1:
        return
    step = placed.stride * results.plan.recipe.runs
    ours = (
        f"SELECT *, {placed.digit} AS digit FROM cells "
        f"WHERE {placed.within} AND failed IS NULL AND pool IS DISTINCT FROM '{LEAST}'"
    )
    counts = {
        row[0]: row[1:]
        for row in results.rows(
            f"SELECT digit, count(*), count(*) FILTER (safe) FROM ({ours}) GROUP BY digit"
        )
    }
    pairs = {
        row[0]: row[1:]
        for row in results.rows(
            f"WITH ours AS ({ours}) "
            "SELECT ours.digit, count(*), count(*) FILTER (ours.safe AND NOT first.safe), "
            "count(*) FILTER (first.safe AND NOT ours.safe), "
            "round(median(ours.min_free - first.min_free))::BIGINT, "
            "round(median(ours.min_largest - first.min_largest))::BIGINT "
            "FROM ours JOIN cells AS first "
            f"ON first.cell = ours.cell - (ours.digit - {base}) * {step} "
            "AND first.failed IS NULL GROUP BY ours.digit"
        )
    }
    for at, value in values:
        cells, safe = counts.get(at, (0, 0))
        both, won, lost, free, largest = pairs.get(at, (0, 0, 0, None, None))
        yield SweepEffect(
            grid=placed.number,
            option=flag(placed.axis.name),
            value=printable(value) or "(not given)",
            against=printable(against) or "(not given)",
            cells=cells,
            safe_cells=safe,
            pairs=both,
            won=won,
            lost=lost,
            min_free=free,
            min_largest=largest,
        )


def _panels(results: SweepTables) -> Iterator[SweepPanel]:
    """For each grid: along its axis with the most values, a picture for each combination of the
    others."""
    longest: dict[int, PlacedAxis] = {}
    for placed in results.axes():
        known = longest.get(placed.begin)
        if known is None or len(placed.axis.values) > len(known.axis.values):
            longest[placed.begin] = placed
    for placed in longest.values():
        yield from _panels_of(results, placed)


def _panels_of(results: SweepTables, placed: PlacedAxis) -> Iterator[SweepPanel]:
    count = len(placed.axis.values)
    result: dict[int, dict[int, tuple[float | None, int | None]]] = {}
    for others, at, part, free in results.rows(
        f"SELECT configuration - {placed.digit} * {placed.stride} AS others, "
        f"{placed.digit} AS digit, safe_cells / nullif(done - failed_cells, 0), min_free "
        f"FROM configurations WHERE {placed.within} ORDER BY others, digit"
    ):
        if others not in result and len(result) == _PANELS:
            break
        result.setdefault(others, {})[at] = (part, free)
    for others, points in result.items():
        fixed = results.options(others)
        fixed.pop(placed.axis.name, None)
        values = [points.get(at, (None, None)) for at in range(count)]
        yield SweepPanel(
            title=options_text(fixed),
            axis=flag(placed.axis.name),
            labels=tuple(printable(value) or "(not given)" for value in placed.axis.values),
            safe=tuple(part for part, _ in values),
            min_free=tuple(free for _, free in values),
        )
