"""The lines that an answer rests on."""

from __future__ import annotations

from collections.abc import Iterator

from heapscope.log.log_result import RestsOnRow
from heapscope.log.reading import LogReading

_MOST = 8  # of one kind


def evidence(reading: LogReading) -> Iterator[RestsOnRow]:
    """In the order of the log."""
    yield from sorted(_lines(reading), key=lambda row: row.line)


def _lines(reading: LogReading) -> Iterator[RestsOnRow]:
    for failure in reading.failures.listed()[:_MOST]:
        yield RestsOnRow(line=failure.first, what="a request that failed", quote=failure.quote)
    for fact in reading.corrupt[:_MOST]:
        yield RestsOnRow(line=fact.line, what="an overwritten heap", quote=fact.quote)
    summary = reading.summaries.last
    if summary is not None:
        yield RestsOnRow(line=summary.line, what="the last heap summary", quote="")
    yield from _states(reading)
    boot = reading.boots.listed
    if boot is not None and boot.regions:
        what = f"the regions at the start, {len(boot.regions)} lines"
        yield RestsOnRow(line=boot.regions[0].line, what=what, quote="")


def _states(reading: LogReading) -> Iterator[RestsOnRow]:
    lines: dict[int, list[str]] = {}
    for (memory, name), series in reading.figures.series.items():
        kind = "" if memory in ("any", "wifi") else f" ({memory})"
        lines.setdefault(series.last.line, []).append(f"{name}{kind}")
    for line, names in list(lines.items())[-_MOST:]:
        yield RestsOnRow(line=line, what=", ".join(names), quote="")
    report = reading.reports.last
    if report is not None:
        yield RestsOnRow(line=report.line, what="a report of the heap", quote="")
    if reading.tuples.regions:
        yield RestsOnRow(line=reading.tuples.regions[0].line, what="idf_heap_info()", quote="")
    if reading.python.line:
        yield RestsOnRow(line=reading.python.line, what="the collector's heap", quote="")
    if reading.dump is not None:
        yield RestsOnRow(line=reading.dump.line, what="the dump of a heap", quote="")
    if reading.trace.line is not None:
        yield RestsOnRow(line=reading.trace.line, what="the heap trace", quote="")
