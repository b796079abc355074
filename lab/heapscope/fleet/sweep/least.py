"""Answers over the configurations that search for the least pool."""

from __future__ import annotations

import math
from collections.abc import Iterator

from heapscope.base.printable import printable
from heapscope.fleet.sweep.answer import SweepLeast, SweepPerturbedLeast
from heapscope.fleet.sweep.results import SweepTables, options_text
from heapscope.simulation.jitter.quantile import enough_for, interval


def least_pools(results: SweepTables) -> Iterator[SweepLeast]:
    """Over the recorded runs; those with a pool for every trace first, and the smallest of them."""
    readable = sum(trace.readable for trace in results.plan.traces)
    for number, traces, failed, smallest, middle, largest, trace in results.rows(
        "SELECT configuration, count(found), count(*) - count(found), min(found), "
        "round(median(found))::BIGINT, "
        "max(found), arg_max(trace, found) FROM cells WHERE pool = 'least' AND run = 0 "
        "GROUP BY configuration "
        "ORDER BY count(found) < ?, max(found) NULLS LAST, configuration",
        [readable],
    ):
        yield SweepLeast(
            configuration=options_text(results.options(number)),
            traces=traces,
            failed=failed,
            smallest=smallest,
            median=middle,
            largest=largest,
            trace=None if trace is None else printable(trace),
        )


def perturbed_least_pools(results: SweepTables) -> Iterator[SweepPerturbedLeast]:
    """Over the perturbed runs that are there; those with runs of every trace first, and of them
    those that need least."""
    rows: dict[int, list[tuple[str, list[int | None]]]] = {}
    failed: dict[int, int] = {}
    for number, trace, sizes in results.rows(
        "SELECT configuration, any_value(trace), list(found) FILTER (failed IS NULL) FROM cells "
        "WHERE pool = 'least' AND run > 0 GROUP BY configuration, planned_place "
        "ORDER BY configuration, planned_place"
    ):
        rows.setdefault(number, [])
        if sizes:
            rows[number].append((trace, sizes))
        else:
            failed[number] = failed.get(number, 0) + 1
    entries = [_over_traces(results, at, own, failed.get(at, 0)) for at, own in rows.items()]
    readable = sum(trace.readable for trace in results.plan.traces)
    yield from sorted(entries, key=lambda row: (row.traces < readable, _rank(row.enough)))


def _over_traces(
    results: SweepTables, number: int, traces: list[tuple[str, list[int | None]]], failed: int
) -> SweepPerturbedLeast:
    """A run for which no pool was found needs more than any other."""
    trace, sizes = max(traces, key=lambda one: _rank(enough_for(one[1])), default=(None, []))
    low, high = interval(sizes) if sizes else (None, None)
    return SweepPerturbedLeast(
        configuration=options_text(results.options(number)),
        traces=len(traces),
        failed=failed,
        runs=len(sizes),
        enough=enough_for(sizes) if sizes else None,
        low=low,
        high=high,
        trace=None if trace is None else printable(trace),
        unserved=sum(own.count(None) for _, own in traces),
    )


def _rank(size: int | None) -> float:
    return math.inf if size is None else size
