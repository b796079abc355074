"""The bytes that pools hold, and the sizes that would hold least."""

from __future__ import annotations

from collections.abc import Iterator
from operator import itemgetter

from rich.console import RenderableType
from rich.text import Text

from heapscope.answers.pools.holdings import (
    Advice,
    GroupRow,
    PoolHolding,
    PoolsResult,
    SizeChoice,
    TraceRows,
)
from heapscope.base.growth import growth
from heapscope.base.wording import percent, plural, size
from heapscope.render.text.table import Column, Table, columns_of, table_of
from heapscope.trace.loss import is_cut

FRONT_SHOWN = 12  # rows; --json has all


def pools_parts(result: PoolsResult) -> Iterator[RenderableType]:
    for position, sentence in enumerate(sentences(result)):
        yield Text(sentence, style="bold" if position == 0 else "")
    for message in result.messages:
        yield Text(f"note: {message}", style="yellow")
    for trace in result.traces:
        yield _marks(trace)
        yield _groups(trace)
    if result.advice is not None:
        yield _front(result.advice)
        yield from map(Text, result.advice.defines)


def sentences(result: PoolsResult) -> Iterator[str]:
    """The answer first."""
    for trace in result.traces:
        peak = trace.peak
        before = "Before the loss: " if is_cut(trace.loss) else ""
        yield (
            f"{before}At the peak, {peak.name}, the pools have {size(peak.allocated)} and use "
            f"{size(peak.used)} of it ({percent(peak.used, peak.allocated)})."
        )
    for trace in result.traces:
        if trace.unlike is None:  # of dumps
            yield from _growth(trace)
        if trace.unlike == 0:
            yield (
                f"Replayed with the recorded sizes, {plural(trace.pools, 'pool')} grew "
                f"{plural(trace.growths, 'time')}, all as recorded."
            )
        if trace.other_peak is not None:
            yield (
                f"Changed as asked: {size(trace.other_peak)} at the peak instead of "
                f"{size(trace.peak.allocated)}, {plural(trace.other_calls or 0, 'heap call')} "
                f"instead of {trace.calls:,}."
            )
    if result.advice is not None:
        yield from _advised(result.advice)


def _growth(trace: TraceRows) -> Iterator[str]:
    """The growth from the first dump to the last."""
    moments = [
        {group.name: group.used_at[number] for group in trace.groups}
        for number in range(len(trace.marks))
    ]
    places = [mark.name for mark in trace.marks]
    yield from growth(moments, places, what="the bytes in use", one="dump")


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


def _marks(trace: TraceRows) -> Table:
    *own, other_used, other_allocated = columns_of(
        PoolHolding, name=lambda row: f"peak, {row.name}" if row is trace.peak else row.name
    )
    share = Column(heading="utilisation", of=lambda row: percent(row.used, row.allocated))
    columns = (*own, share, other_used, other_allocated)
    return table_of(f"All pools of {trace.file}", columns, [*trace.marks, trace.peak])


def _groups(trace: TraceRows) -> Table:
    columns = columns_of(
        GroupRow,
        name=lambda row: row.name if row.free else f"{row.name} (fixed)",
        sizes=_sizes,
        members=lambda row: ", ".join(row.members),
    )
    rows = sorted(trace.groups, key=lambda row: -row.allocated)
    return table_of("By whose sizes they are", columns, rows)


def _sizes(row: GroupRow) -> str:
    sizes = ", ".join(f"{one.initial}:{one.increment}" for one in row.sizes[:3])
    return sizes + ("..." if len(row.sizes) > 3 else "")


def _front(advice: Advice) -> Table:
    choices = [("as recorded", advice.recorded)]
    if advice.lazy is not None:
        choices.append(("128 everywhere", advice.lazy))
    for point in advice.front[-FRONT_SHOWN:]:
        choices.append(("advised" if point == advice.chosen else "", point))
    columns = (
        Column(heading="Choice", of=itemgetter(0), words=True),
        *columns_of(SizeChoice, via=itemgetter(1)),
    )
    return table_of("Best choices of sizes, by heap calls", columns, choices)
