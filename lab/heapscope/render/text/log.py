"""A device's log, answered: the sentence first, then the tables, then the next command."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import plural
from heapscope.logs.answer.answer import FailedRow
from heapscope.logs.answer.log_result import (
    FrameRow,
    LogFigureRow,
    LogResult,
    LogTaskRow,
    RestsOnRow,
    StartRegionRow,
)
from heapscope.logs.answer.pool_rows import LogPoolRow, PoolDumpRow
from heapscope.logs.answer.request_rows import LeftRow, TriedRow
from heapscope.logs.answer.summary_rows import SummaryRegionRow, SummaryRow
from heapscope.logs.answer.trend import TrendRow
from heapscope.render.text.next_command import next_command
from heapscope.render.text.table import Column, Table, columns_of, table_of


def log_parts(
    result: LogResult, *, more: Iterable[RenderableType] = ()
) -> Iterator[RenderableType]:
    """`more`: parts that come before the remarks and the next command."""
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    yield _title(result)
    failed = columns_of(FailedRow, "size who count line capabilities")
    yield table_of("Requests that failed", failed, result.answer.failed)
    yield table_of("One after the other", _requests(), result.requests)
    yield table_of("The heaps after them", columns_of(LeftRow), result.left)
    yield table_of(
        "The last heap summary",
        (_address(), *columns_of(SummaryRegionRow)),
        result.regions,
        name="log",
    )
    yield from _over_time(result)
    yield table_of("Figures", columns_of(LogFigureRow), result.figures)
    yield table_of("Over time", columns_of(TrendRow), result.trends)
    yield table_of("Tasks", columns_of(LogTaskRow), result.tasks)
    yield table_of("Pools and stacks", columns_of(LogPoolRow), result.pools)
    if len(result.pool_dumps) > 1:
        yield table_of("Pools over time", columns_of(PoolDumpRow), result.pool_dumps)
    yield table_of("At the start", (_address(), *columns_of(StartRegionRow)), result.boot)
    yield table_of("Where it stopped", _backtrace(), [r for r in result.backtrace if r.function])
    yield table_of("It rests on", columns_of(RestsOnRow), result.rests_on)
    yield table_of(
        _not_understood(result), columns_of(RestsOnRow, "line quote"), result.not_understood
    )
    yield from more
    for sentence in result.contradictions:
        yield Text(f"contradiction: {sentence}", style="red")
    for sentence in result.assumed:
        yield Text(f"assumed: {sentence}", style="yellow")
    for sentence in result.settles:
        yield Text(f"to settle it: {sentence}", style="yellow")
    for sentence in result.notes:
        yield Text(f"note: {sentence}", style="yellow")
    for sentence in result.steps:
        yield Text(f"on the device: {sentence}", style="dim")
    if result.next:
        yield next_command(*result.next)


def _over_time(result: LogResult) -> Iterator[Table]:
    """The first, the tightest and the last summary of the same capabilities."""
    last = result.summary
    same = [one for one in result.summaries if last and one.capabilities == last.capabilities]
    if last is not None and result.tightest is not None and len(same) > 1:
        shown = dict.fromkeys((same[0], result.tightest, last))
        title = f"First, tightest and last of {len(same):,} heap summaries"
        yield table_of(title, columns_of(SummaryRow), tuple(shown))


def _not_understood(result: LogResult) -> str:
    total = result.not_understood_count
    more = f", {total:,} in all" if total > len(result.not_understood) else ""
    return f"Lines that look like memory and are not understood{more}"


def _version(result: LogResult) -> str:
    """The version that the log tells; where that names no release, those that its regions show."""
    text = f"ESP-IDF {result.idf}" if result.idf else "version not told"
    if result.confidence == "told" or not result.idf_fits:
        return text if result.idf else "version unknown"
    return f"{text}, by its regions {result.idf_fits} ({result.confidence})"


def _title(result: LogResult) -> Text:
    results = [plural(result.lines, "line"), result.chip or "chip unknown"]
    results.append(_version(result))
    if result.framework:
        results.append(result.framework)
    if result.boots > 1:
        results.append(plural(result.boots, "start"))
    return Text.assemble((result.file, "bold"), f": {', '.join(results)}")


def _requests() -> tuple[Column, ...]:
    return columns_of(
        TriedRow,
        regions=lambda row: " or ".join(row.regions),
        address=lambda row: "" if row.address is None else f"{row.address:#010x}",
    )


def _backtrace() -> tuple[Column, ...]:
    address = Column(heading="address", of=lambda row: f"{row.address:#010x}", words=True)
    return (address, *columns_of(FrameRow))


def _address() -> Column:
    return Column(heading="region", of=lambda row: f"{row.address:#010x}", words=True)
