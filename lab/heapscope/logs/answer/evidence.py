"""The lines that an answer rests on."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.base.printable import printable
from heapscope.logs.answer.log_result import RestsOnRow
from heapscope.logs.reader.reading import LogReading

_MOST = 8  # of one kind
_QUOTE = 200  # characters of a line


def evidence(reading: LogReading) -> Iterator[RestsOnRow]:
    """In the order of the log."""
    yield from sorted(_lines(reading), key=lambda row: row.line)


def not_understood(reading: LogReading) -> Iterator[RestsOnRow]:
    """Lines that look like lines of memory."""
    for fact in reading.unread:
        yield _row(fact.line, fact.text or "not understood", fact.quote)


def _lines(reading: LogReading) -> Iterator[RestsOnRow]:
    for failure in reading.failures.listed()[:_MOST]:
        yield _row(failure.first, "a request that failed", failure.quote)
    for fact in reading.corrupt[:_MOST]:
        yield _row(fact.line, "an overwritten heap", fact.quote)
    stops = reading.stops
    for panic in stops.panics[:1]:
        yield _row(panic.line, "the program stopped", panic.quote)
    for what, facts in (
        ("a stack overflowed", stops.stacks),
        ("the supply fell", stops.brownouts),
        ("a watchdog ran out", stops.watchdogs),
        ("what a build says", stops.builds),
    ):
        for fact in facts[:1]:
            yield _row(fact.line, what, fact.quote)
    error = reading.errors.first
    if error is not None:
        yield _row(error.line, "an error with a number", error.quote)
    summary = reading.summaries.last
    if summary is not None:
        yield _row(summary.line, f"a heap summary, to line {summary.last_line:,}", summary.quote)
    yield from _states(reading)
    boot = reading.boots.listed
    if boot is not None and boot.regions:
        what = f"regions at the start, to line {boot.regions[-1].line:,}"
        yield _row(boot.regions[0].line, what, boot.regions[0].quote)


def _states(reading: LogReading) -> Iterator[RestsOnRow]:
    figures: dict[int, tuple[str, list[str]]] = {}
    for (memory, name), series in reading.figures.series.items():
        kind = "" if memory in ("any", "wifi") else f" ({memory})"
        figures.setdefault(series.last.line, (series.quote, []))[1].append(f"{name}{kind}")
    for line, (quote, names) in list(figures.items())[-_MOST:]:
        yield _row(line, ", ".join(names), quote)
    report, trace, dump = reading.reports.last, reading.trace, reading.dump
    if report is not None:
        yield _row(report.line, f"a report, to line {report.last_line:,}", report.quote)
    if reading.tuples.regions:
        first = reading.tuples.regions[0]
        yield _row(first.line, "idf_heap_info()", reading.tuples.quote)
    if reading.python.line:
        yield _row(reading.python.line, "the collector's heap", reading.python.quote)
    if dump is not None:
        yield _row(dump.line, f"a dump of {len(dump.blocks):,} blocks", dump.quote)
    if trace.line is not None:
        yield _row(trace.line, "a heap trace", trace.quote)
    if reading.allocations.line is not None:
        what = f"the first of {reading.allocations.count:,} allocations"
        yield _row(reading.allocations.line, what, reading.allocations.quote)
    for pool in reading.pools.listed()[:_MOST]:
        yield _row(pool.line, "a stack" if pool.is_stack else "a pool", pool.quote)
    for fact in reading.systems.reported():
        yield _row(fact.line, "a state of the heap", fact.quote)


def _row(line: int, what: str, quote: str) -> RestsOnRow:
    return RestsOnRow(line=line, what=what, quote=printable(quote, limit=_QUOTE))
