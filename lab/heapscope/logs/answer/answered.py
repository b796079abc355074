"""A log as the result of the verb."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.wording import size
from heapscope.logs.answer.advice import next_words, steps
from heapscope.logs.answer.answer import answer_of
from heapscope.logs.answer.contradictions import contradictions
from heapscope.logs.answer.device_rows import device_rows
from heapscope.logs.answer.evidence import evidence, not_understood
from heapscope.logs.answer.log_result import (
    FrameRow,
    LogFigureRow,
    LogResult,
    LogTaskRow,
    StartRegionRow,
    TaskHeapRow,
)
from heapscope.logs.answer.pool_rows import doubted, dump_rows, pool_rows
from heapscope.logs.answer.request_rows import Followed, followed
from heapscope.logs.answer.sentences import assumed, settles, verdict
from heapscope.logs.answer.summary_rows import region_rows, summary_row, tightest, with_history
from heapscope.logs.answer.trend import Trend, trend_of, trends
from heapscope.logs.heaps.fits import ask, later_figures
from heapscope.logs.heaps.request_fit import RequestFit
from heapscope.logs.heaps.state_fit import state_fit
from heapscope.logs.heaps.state_view import StateView, no_state, view_of, views_over_time
from heapscope.logs.reader.addresses import Addresses
from heapscope.logs.reader.artefacts import remarks
from heapscope.logs.reader.device import device_of
from heapscope.logs.reader.figures import LoggedFigures
from heapscope.logs.reader.form import form_of
from heapscope.logs.reader.primary import primary_figures
from heapscope.logs.reader.reading import LogReading
from heapscope.logs.reader.state import START
from heapscope.logs.reader.summaries import PrintedSummary
from heapscope.memory.layout.evidence import shown
from heapscope.native.log import Fact


def answered(
    reading: LogReading,
    *,
    file: str,
    lines: int,
    needs: Sequence[Request] = (),
    requests: Sequence[Request] = (),
    chip: str | None = None,
    idf: str | None = None,
    poisoning: str | None = None,
    notes: Sequence[str] = (),
    names: Addresses | None = None,
    head: bytes = b"",
    condition: str = "",
    devices: Mapping[str, LoggedFigures] | None = None,
) -> LogResult:
    """The result as it stands now. `needs`: requests, each asked about by itself; `requests`: they
    are made one after the other; `poisoning`: one of POISONINGS, where it is known; `names`: of
    addresses in code; `head`: the log's first bytes; `condition`: the sentence that says under what
    condition the answer holds, before all others; `devices`: the figures of each of several
    devices that write into it. InputError: the log tells no state in which
    that can be, or the chip or the version that is given is unknown."""
    form, known = form_of(reading), names or Addresses()
    seen = reading.evidence.conclude()
    device = device_of(reading, chip=chip, idf=idf)
    view = view_of(reading, device, poisoning=poisoning)
    if requests and view is None:
        raise no_state(file)
    if requests and view is not None:
        _check_newest(reading, view, file)
    series = followed(view, requests) if view is not None and requests else Followed()
    results = (
        [] if reading.mixture is not None else trends(reading.figures, reading.failures.by_start)
    )
    moments = {} if view is None else dict(views_over_time(reading, device, view))
    fits = [
        dated(_ask(reading, form, view, moments, request), results, request) for request in needs
    ]
    answer = answer_of(reading, view, fit=fits[0] if fits else None)
    apart = tuple(device_rows(devices or {}, needs))
    summary = reading.summaries.last
    over_time = tuple(
        summary_row(one, _at(moments, one)) for one in reading.summaries.kept if one.regions
    )
    last = next((row for row in over_time if summary and row.line == summary.line), None)
    return LogResult(
        file=file,
        lines=lines,
        boots=reading.boots.count,
        chip=device.chip,
        chip_source=device.chip_source,
        idf=device.idf,
        idf_source=device.idf_source,
        idf_fits=shown(seen.releases),
        confidence=seen.confidence,
        allocators=seen.allocators,
        framework=_framework(reading),
        answer=answer,
        verdict=(
            *((condition,) if condition else ()),
            *verdict(reading, answer, fits, results, series.sentences, names=known, devices=apart),
        ),
        assumed=tuple(assumed(reading, fits, view, series.assumed)),
        settles=tuple(settles(reading, fits, answer, head)),
        next=next_words(reading, answer, file=file, requested=bool(needs)),
        needs=tuple(fits),
        requests=series.requests,
        left=series.left,
        left_totals=series.totals,
        rests_on=tuple(replace(row, quote=known.named(row.quote)) for row in evidence(reading)),
        backtrace=tuple(_backtrace(reading, known)),
        poisoning=poisoning or _poisoning(view),
        regions=tuple(region_rows(summary, _at(moments, summary))),
        summary=last,
        tightest=tightest(over_time, last),
        summaries=over_time,
        summary_count=reading.summaries.count,
        boot=tuple(_boot(reading)),
        figures=tuple(_figures(reading)),
        trends=tuple(row for one in results for row in one.rows),
        courses=tuple(one.course() for one in results),
        devices=apart,
        tasks=tuple(_tasks(reading)),
        task_tables=reading.tasks.tables,
        pools=tuple(pool_rows(reading)),
        pool_dumps=tuple(dump_rows(reading)),
        contradictions=(*contradictions(reading, device), *seen.of_release),
        not_understood=tuple(not_understood(reading)),
        not_understood_count=reading.unread_count,
        steps=tuple(steps(reading, answer, results)),
        notes=(
            *remarks(reading, chip=device.chip, wrapped=_wrapped(reading, form)),
            *notes,
            *(() if view is None else view.state.faults),
        ),
    )


def _check_newest(reading: LogReading, view: StateView, file: str) -> None:
    """InputError: figures tell a later state than the heaps in which the requests would be made."""
    summary = reading.summaries.last
    free = None if view.state.form == START or summary is None else summary.free
    later = later_figures(reading, view.state.last_line, free)
    if later is not None:
        raise InputError(
            f"{file}: its heaps are those of line {view.state.line:,}, and line {later.line:,} "
            f"tells a later state: {size(later.free or 0)} free",
            remedy="ask about each request with --need, or log heap_caps_print_heap_info() there",
        )


def _wrapped(reading: LogReading, form: str) -> int | None:
    figures = primary_figures(reading)
    return None if figures is None or form != "figures" else figures.wrapped


def _ask(
    reading: LogReading,
    form: str,
    view: StateView | None,
    moments: Mapping[int, StateView],
    request: Request,
) -> RequestFit:
    """By the last state, or by the last summary that has all memory which the request may ask,
    where the last state leaves some out."""
    if view is not None and not view.covers(request):
        covering = (one for one in reversed(list(moments.values())) if one.covers(request))
        view = next(covering, view)
    tried = None if view is None else state_fit(view, request)
    result = doubted(ask(reading, request, form, tried=tried), reading)
    return with_history(result, request, list(moments.values())) if moments else result


def dated(fit: RequestFit, trends: Sequence[Trend], request: Request) -> RequestFit:
    """With the time that is left for it, if it may fit now."""
    trend = None if fit.fits is False else trend_of(trends, request)
    if trend is None:
        return fit
    seconds, lines = trend.until(request)
    return replace(fit, until=seconds, until_lines=lines)


def _at(moments: Mapping[int, StateView], summary: PrintedSummary | None) -> StateView | None:
    return None if summary is None else moments.get(summary.number)


def _poisoning(view: StateView | None) -> str:
    """Where all allocators that print the figures have it, or none has."""
    seen = set() if view is None else {"+light" in one.allocator for one in view.views}
    if view is None or view.state.form == START or len(seen) != 1:
        return ""
    return "light" if True in seen else "none"


def _framework(reading: LogReading) -> str:
    name, version = reading.boots.reported("framework"), reading.boots.reported("framework_version")
    return printable(f"{name} {version}".strip())


def _backtrace(reading: LogReading, names: Addresses) -> Iterator[FrameRow]:
    """That of the first panic, or of the damage that the allocator found."""
    panic = next(iter(reading.stops.panics), reading.stops.damage)
    for address in [] if panic is None else panic.code_addresses:
        function, place = panic.names.get(address, ("", "")) if panic is not None else ("", "")
        known = names.function(address) or (f"{function} ({place})" if function else "")
        yield FrameRow(address=address, function=printable(known))


def _boot(reading: LogReading) -> Iterator[StartRegionRow]:
    boot = reading.boots.listed
    for region in [] if boot is None else boot.regions:
        yield StartRegionRow(
            address=region.start,
            size=region.size,
            name=printable(region.kind),
            line=region.line,
        )


def _figures(reading: LogReading) -> Iterator[LogFigureRow]:
    for (memory, name), series in reading.figures.series.items():
        yield LogFigureRow(
            memory=memory,
            name=name,
            first=series.first.value,
            last=series.last.value,
            least=series.least.value,
            most=series.most.value,
            count=series.count,
            line=series.last.line,
        )


def _tasks(reading: LogReading) -> Iterator[LogTaskRow]:
    for task in reading.tasks.largest():
        yield LogTaskRow(
            name=printable(task.name),
            used=task.used,
            peak=task.peak,
            other=task.other,
            blocks=task.blocks,
            state=task.state,
            first=task.first,
            times=task.times,
            line=task.line,
            columns={printable(name): number for name, number in task.columns.items()},
            heaps=tuple(_task_heap(fact) for fact in task.heaps),
        )


def _task_heap(fact: Fact) -> TaskHeapRow:
    return TaskHeapRow(
        name=printable(fact.name),
        capabilities=capabilities.format(fact.caps or 0),
        size=fact.size or 0,
        used=fact.used or 0,
        peak=fact.peak or 0,
        blocks=fact.count or 0,
    )
