"""The first failed requests: what was asked for and what each region had."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.clock import Clock
from heapscope.measure.failure import FailureRegion, FailureRow, FailureSpan, merged
from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import plural, size
from heapscope.report.table import Cell, Column, table
from heapscope.trace.call_sites import SITE_ROOM, shortened

__all__ = ["SHOWN", "failures"]

#: Failures printed in full; the rest is counted by so many spans of events at most.
SHOWN = 5
SPANS = 8

COLUMNS = (
    Column(heading="Failed request", name=True),
    Column(heading="region", name=True),
    Column(heading="free"),
    Column(heading="largest_\nfree"),
    Column(heading="largest_\nallocatable"),
)


SPAN_COLUMNS = (
    Column(heading="Events", name=True),
    Column(heading="failed requests"),
    Column(heading="bytes asked for"),
    Column(heading="largest"),
)


def failures(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    total = result.summary.failures
    if total == 0:
        return
    shown = result.failures[:SHOWN]
    sites = shortened([failure.site for failure in shown], SITE_ROOM)
    rows = [
        row
        for triple in zip(shown, sites, (None, *shown), strict=False)
        for row in _rows(result, *triple)
    ]
    yield table(f"Failed requests (bytes, {total:,} in all)", COLUMNS, rows, width=width)
    if total > SHOWN:
        yield Text(f"and {plural(total - SHOWN, 'more failed request')}", style="dim")
    if total > SHOWN and result.failure_spans:
        yield table(
            "Failed requests over the run (all of them)",
            SPAN_COLUMNS,
            [_span(span, result.clock) for span in merged(result.failure_spans, SPANS)],
            width=width,
        )


def _span(span: FailureSpan, clock: Clock | None) -> tuple[Cell, ...]:
    events = f"{span.first_event:,} to {span.first_event + span.events - 1:,}"
    seconds = None if clock is None else clock.text(span.first_event)
    return (
        events if seconds is None else f"from {seconds} s [{events}]",
        span.failures,
        span.bytes,
        span.largest if span.failures else None,
    )


def _rows(
    result: ReplayResult, failure: FailureRow, site: str, before: FailureRow | None
) -> list[tuple[str | int, ...]]:
    """The request beside the regions that could have served it, unless they stand above."""
    eligible = _eligible(failure)
    if before is not None and eligible and eligible == _eligible(before):
        return [(_request(result, failure, site), "as above", "", "", "")]
    if not eligible:
        return [(_request(result, failure, site), "none has these capabilities", "", "", "")]
    return [
        (
            _request(result, failure, site) if index == 0 else "",
            region.name,
            region.free,
            region.largest_free,
            region.largest_allocatable,
        )
        for index, region in enumerate(eligible)
    ]


def _eligible(failure: FailureRow) -> list[FailureRegion]:
    return [region for region in failure.regions if region.eligible]


def _request(result: ReplayResult, failure: FailureRow, site: str) -> str:
    asked = f"{failure.call} {size(failure.size)}"
    asked += f" aligned to {failure.align}" if failure.align else ""
    asked += f", was {size(failure.old_size)}" if failure.old_size else ""
    where = result.place(failure.event, task=failure.task)
    at = f", site {site}" if site else ""
    return f"{asked} ({failure.capabilities}), {where}{at}"
