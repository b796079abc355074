"""A log as the result of the verb."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from heapscope.layout.evidence import shown
from heapscope.log.advice import next_words, steps
from heapscope.log.answer import answer_of
from heapscope.log.artefacts import remarks
from heapscope.log.contradictions import contradictions
from heapscope.log.device import device_of
from heapscope.log.evidence import evidence, not_understood
from heapscope.log.fits import NeedFit, ask
from heapscope.log.form import form_of
from heapscope.log.log_result import (
    LogFigureRow,
    LogResult,
    LogTaskRow,
    NeedFitRow,
    StartRegionRow,
    SummaryRegionRow,
)
from heapscope.log.primary import primary_figures
from heapscope.log.reading import LogReading
from heapscope.log.request_rows import Followed, followed
from heapscope.log.requests import AskedBlock
from heapscope.log.sentences import assumed, settles, verdict
from heapscope.log.state_fit import state_fit
from heapscope.log.state_view import StateView, no_state, view_of
from heapscope.log.trend import trends
from heapscope.trace.names import printable


def answered(
    reading: LogReading,
    *,
    file: str,
    lines: int,
    needs: Sequence[AskedBlock] = (),
    requests: Sequence[AskedBlock] = (),
    chip: str | None = None,
    idf: str | None = None,
    notes: Sequence[str] = (),
) -> LogResult:
    """The result as it stands now. `needs`: requests, each asked about by itself; `requests`: they
    are made one after the other. InputError: the log tells no state in which that can be."""
    form = form_of(reading)
    seen = reading.evidence.conclude()
    device = device_of(reading, chip=chip, idf=idf)
    view = view_of(reading, device) if needs or requests else None
    if requests and view is None:
        raise no_state(file)
    series = followed(view, requests) if view is not None and requests else Followed()
    found = () if reading.boots.uptimes.two_devices else tuple(trends(reading.figures))
    fits = [_ask(reading, form, view, request) for request in needs]
    answer = answer_of(reading, fit=fits[0] if fits else None)
    return LogResult(
        file=file,
        lines=lines,
        boots=reading.boots.count,
        chip=device.chip,
        chip_source=device.chip_source,
        idf=device.idf,
        idf_fits=shown(seen.releases),
        confidence=seen.confidence,
        allocators=seen.allocators,
        framework=_framework(reading),
        answer=answer,
        verdict=tuple(verdict(reading, answer, fits, found, series.sentences)),
        assumed=tuple(assumed(reading, fits, series.assumed)),
        settles=tuple(settles(fits)),
        next=next_words(reading, answer, file=file, asked=bool(needs)),
        needs=tuple(_need(fit) for fit in fits),
        requests=series.requests,
        left=series.left,
        left_totals=series.totals,
        rests_on=tuple(evidence(reading)),
        failed=answer.failed,
        regions=tuple(_regions(reading)),
        boot=tuple(_boot(reading)),
        figures=tuple(_figures(reading)),
        trends=found,
        tasks=tuple(_tasks(reading)),
        contradictions=(*contradictions(reading, device), *seen.of_release),
        not_understood=tuple(not_understood(reading)),
        not_understood_count=reading.unread_count,
        steps=tuple(steps(reading, answer, found)),
        notes=(
            *remarks(reading, chip=device.chip, wrapped=_wrapped(reading, form)),
            *notes,
            *(() if view is None else view.state.faults),
        ),
    )


def _wrapped(reading: LogReading, form: str) -> int | None:
    figures = primary_figures(reading)
    return None if figures is None or form != "figures" else figures.wrapped


def _ask(reading: LogReading, form: str, view: StateView | None, request: AskedBlock) -> NeedFit:
    tried = None if view is None else state_fit(view, request)
    return ask(reading, request.size, form, caps=request.caps, tried=tried)


def _framework(reading: LogReading) -> str:
    name, version = reading.boots.told("framework"), reading.boots.told("framework_version")
    return printable(f"{name} {version}".strip())


def _need(fit: NeedFit) -> NeedFitRow:
    return NeedFitRow(
        size=fit.size,
        capabilities=AskedBlock(size=fit.size, caps=fit.caps).capabilities,
        fits=fit.fits,
        short=fit.short,
        largest=fit.largest,
        line=fit.line,
        why=fit.why,
    )


def _regions(reading: LogReading) -> Iterator[SummaryRegionRow]:
    summary = reading.summaries.last
    for region in [] if summary is None else summary.regions:
        yield SummaryRegionRow(
            address=region.address,
            size=region.size,
            free=region.free,
            min=region.min,
            largest=region.largest,
            used_blocks=region.used_blocks,
            free_blocks=region.free_blocks,
        )


def _boot(reading: LogReading) -> Iterator[StartRegionRow]:
    boot = reading.boots.listed
    for region in [] if boot is None else boot.regions:
        yield StartRegionRow(address=region.address, size=region.size, name=printable(region.name))


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
    for task in reading.tasks.rows.values():
        yield LogTaskRow(
            name=printable(task.name),
            used=task.used,
            peak=task.peak,
            other=task.other,
            blocks=task.blocks,
            state=task.state,
        )
