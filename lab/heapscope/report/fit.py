"""The smallest pools of all allocators side by side, the best first."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from rich.console import Console
from rich.text import Text

from heapscope.fit.smallest_pool import FitResult, Mean, means
from heapscope.measure.loss import Loss
from heapscope.measure.wording import plural, size
from heapscope.report.loss import loss_lines
from heapscope.report.table import Cell, Column, table

__all__ = ["print_fit"]

REFERENCE = "idf-4.2"  # the rival that needs least on most traces
BEST = "green"


def print_fit(results: Sequence[FitResult], target: Console) -> None:
    """`results` of one trace stand together."""
    traces = [list(rows) for _, rows in groupby(results, key=lambda row: row.trace)]
    for number, rows in enumerate(traces):
        if number:
            target.print()
        _trace(rows, target)
    if len(traces) > 1:
        target.print()
        _means(means(results), len(traces), target)


def _trace(rows: list[FitResult], target: Console) -> None:
    target.print(Text(rows[0].trace, style="bold"))
    served = sorted((row for row in rows if row.pool is not None), key=lambda row: row.pool or 0)
    if rows[0].loss is not None:
        _bounds(rows[0].loss, rows, served, target)
        return
    target.print(Text(_sentence(rows[0], served)))
    for message in rows[0].messages:
        target.print(Text(f"damage: {message}", style="yellow"))
    if served:
        against = _reference([row.allocator for row in rows if row.pool is not None])
        target.print()
        title = "Smallest pool that it and the next 2 % survive, in bytes"
        columns = _columns(against, served[0].margin)
        made = table(title, columns, _rows(served, against), width=target.width)
        target.print(made)
    for row in rows:
        if row.pool is None:
            target.print(Text(f"{row.allocator}: no pool: {row.reason}{_at(row)}"))


def _bounds(loss: Loss, rows: list[FitResult], served: list[FitResult], target: Console) -> None:
    """Where events are missing, bounds are all that is said: no pool is recommended or compared."""
    for line in loss_lines(loss):
        target.print(line)
    of = f" of {rows[0].task}" if rows[0].task else ""
    peak = f"Live payload{of} reached at least {size(rows[0].peak_live)}."
    use = (
        "A smaller pool than these cannot serve the whole run; a larger one may be needed, so none "
        "is recommended and none is called the best."
    )
    target.print(Text(f"{peak} {use}" if served else peak))
    if served:
        columns = (
            Column(heading="Allocator", name=True),
            Column(heading="at least"),
            Column(heading="refused just below", name=True),
        )
        cells = [(row.allocator, row.pool, _refused(row)) for row in served]
        target.print()
        target.print(
            table("Lower bounds of the pool, in bytes", columns, cells, width=target.width)
        )
    for row in rows:
        if row.pool is None:
            target.print(Text(f"{row.allocator}: no pool: {row.reason}{_at(row)}"))


def _sentence(any_row: FitResult, served: list[FitResult]) -> str:
    of = f" of {any_row.task}" if any_row.task else ""
    peak = f"live payload{of} up to {size(any_row.peak_live)}"
    if not served:
        return f"No pool serves it with any of these allocators; {peak}."
    best, last = served[0], served[-1]
    text = f"{best.allocator} needs least, {size(best.pool or 0)}"
    if len(served) > 1:
        text += f"; {last.allocator} needs most, {size(last.pool or 0)}"
    return f"{text}; {peak}."


def _reference(names: list[str]) -> str:
    """The allocator that others are compared with: the usual one, or the first if it is missing."""
    return REFERENCE if REFERENCE in names else names[0]


def _columns(against: str, margin: float | None) -> tuple[Column, ...]:
    advised = () if margin is None else (Column(heading=f"with {margin:g} %\nmargin"),)
    return (
        Column(heading="Allocator", name=True),
        Column(heading="pool"),
        *advised,
        Column(heading="of live peak"),
        Column(heading=f"of {against}"),
        Column(heading="smallest\nsurvivor"),
        Column(heading="refused just below", name=True),
    )


def _rows(served: list[FitResult], against: str) -> Iterator[tuple[Cell, ...]]:
    base = next(row.pool for row in served if row.allocator == against) or 1
    for row in served:
        style = BEST if row.pool == served[0].pool else ""
        yield (
            Text(row.allocator, style=style),
            Text(f"{row.pool:,}", style=style),
            *(() if row.margin is None else (row.advised,)),
            None if row.ratio is None else f"{row.ratio:.4f}",
            f"{(row.pool or 0) / base:.4f}",
            row.pool_min,
            _refused(row),
        )


def _refused(row: FitResult) -> str:
    """The request that was refused on a pool just below."""
    if row.failing is None:
        return "-"
    failing = row.failing
    return f"{failing.call} {failing.size:,} of {failing.task}, event {failing.event:,}"


def _at(row: FitResult) -> str:
    return "" if row.failing is None else f" ({_refused(row)})"


def _means(rows: list[Mean], traces: int, target: Console) -> None:
    ranked = sorted(rows, key=lambda row: (row.ratio is None, row.ratio or 0.0))
    given = {row.allocator: row.ratio for row in rows if row.ratio is not None}
    against = _reference(list(given)) if given else REFERENCE
    columns = (
        Column(heading="Allocator", name=True),
        Column(heading="of live peak"),
        Column(heading=f"of {against}"),
    )
    cells = []
    for position, row in enumerate(ranked):
        style = BEST if position == 0 and row.ratio is not None else ""
        ratio = None if row.ratio is None else f"{row.ratio:.4f}"
        share = None if row.ratio is None else f"{row.ratio / given[against]:.4f}"
        cells.append((Text(row.allocator, style=style), ratio, share))
    title = f"Pool, geometric mean over {plural(traces, 'trace')}"
    target.print(table(title, columns, cells, width=target.width))
