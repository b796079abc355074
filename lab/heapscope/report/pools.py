"""The bytes that pools hold, and the sizes that would hold least."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Console
from rich.text import Text

from heapscope.measure.wording import percent, plural, size
from heapscope.pools.holdings import (
    Advice,
    GroupRow,
    PoolHolding,
    PoolsResult,
    SizeChoice,
    TraceRows,
)
from heapscope.report.table import Cell, Column, table

__all__ = ["print_pools", "sentences"]

FRONT_SHOWN = 12  # rows; --json has all


def print_pools(result: PoolsResult, target: Console) -> None:
    for position, sentence in enumerate(sentences(result)):
        target.print(Text(sentence, style="bold" if position == 0 else ""))
    for message in result.messages:
        target.print(Text(f"note: {message}", style="yellow"))
    for trace in result.traces:
        target.print()
        target.print(_marks(trace, target.width))
        target.print()
        target.print(_groups(trace, target.width))
    if result.advice is not None:
        target.print()
        target.print(_front(result.advice, target.width))
        if result.advice.defines:
            target.print()
            for line in result.advice.defines:
                target.print(Text(line))


def sentences(result: PoolsResult) -> Iterator[str]:
    """The answer first."""
    for trace in result.traces:
        peak = trace.peak
        before = "" if trace.loss is None else "Before the loss: "
        yield (
            f"{before}At the peak, {peak.name}, the pools have {size(peak.allocated)} and use "
            f"{size(peak.used)} of it ({percent(peak.used, peak.allocated)})."
        )
    for trace in result.traces:
        if trace.unlike == 0:
            yield (
                f"Replayed with the recorded sizes, {plural(trace.pools, 'pool')} grew "
                f"{plural(trace.growths, 'time')}, all as recorded."
            )
        if trace.other_peak is not None:
            yield (
                f"With the sizes of --set: {size(trace.other_peak)} at the peak instead of "
                f"{size(trace.peak.allocated)}, {plural(trace.other_calls or 0, 'heap call')} "
                f"instead of {trace.calls:,}."
            )
    if result.advice is not None:
        yield from _advised(result.advice)


def _advised(advice: Advice) -> Iterator[str]:
    chosen, lazy = advice.chosen, advice.lazy
    if chosen is None:
        least = advice.front[0].calls
        yield f"No sizes do with {plural(advice.calls, 'heap call')}; the fewest are {least:,}."
        return
    if not chosen.sizes:
        yield (
            f"No other sizes were found that hold less at the peak with "
            f"{plural(advice.calls, 'heap call')}."
        )
    else:
        yield (
            f"Advice: {size(chosen.allocated)} at the peak with "
            f"{plural(chosen.calls, 'heap call')}, instead of "
            f"{size(advice.recorded.allocated)} with {advice.recorded.calls:,}."
        )
    if lazy is not None:
        yield f"128 bytes everywhere: {size(lazy.allocated)} with {lazy.calls:,}."


def _marks(trace: TraceRows, width: int) -> object:
    other = trace.other_peak is not None
    columns = (
        Column(heading="Mark", name=True),
        Column(heading="used"),
        Column(heading="allocated"),
        Column(heading="utilisation"),
        *((Column(heading="with --set: used"), Column(heading="allocated")) if other else ()),
    )
    rows = [*trace.marks, trace.peak]
    cells = (_mark(row, peak=row is trace.peak, other=other) for row in rows)
    return table(f"Bytes of all pools of {trace.file}", columns, cells, width=width)


def _mark(row: PoolHolding, *, peak: bool, other: bool) -> tuple[Cell, ...]:
    name = f"peak, {row.name}" if peak else row.name
    cells: tuple[Cell, ...] = (name, row.used, row.allocated, percent(row.used, row.allocated))
    return (*cells, row.other_used, row.other_allocated) if other else cells


def _groups(trace: TraceRows, width: int) -> object:
    columns = (
        Column(heading="Pools", name=True),
        Column(heading="initial:increment"),
        Column(heading="pools"),
        Column(heading="heap calls"),
        Column(heading="used at the peak"),
        Column(heading="allocated"),
        Column(heading="named", name=True, wide=True),
    )
    rows = sorted(trace.groups, key=lambda row: -row.allocated)
    return table("By whose sizes they are", columns, map(_group, rows), width=width)


def _group(row: GroupRow) -> tuple[Cell, ...]:
    sizes = ", ".join(f"{one.initial}:{one.increment}" for one in row.sizes[:3])
    more = "..." if len(row.sizes) > 3 else ""
    return (
        row.name if row.free else f"{row.name} (fixed)",
        sizes + more,
        row.pools,
        row.calls,
        row.used,
        row.allocated,
        ", ".join(row.members),
    )


def _front(advice: Advice, width: int) -> object:
    columns = (
        Column(heading="Choice", name=True),
        Column(heading="allocated at the peak"),
        Column(heading="heap calls"),
    )
    shown = advice.front[-FRONT_SHOWN:]
    rows = [_choice("as recorded", advice.recorded)]
    if advice.lazy is not None:
        rows.append(_choice("128 everywhere", advice.lazy))
    for point in shown:
        rows.append(_choice("advised" if point == advice.chosen else "", point))
    return table("Best choices of sizes, by heap calls", columns, rows, width=width)


def _choice(name: str, choice: SizeChoice) -> tuple[Cell, ...]:
    return (name, choice.allocated, choice.calls)
