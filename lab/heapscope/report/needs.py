"""Headroom for each request that was asked about."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.measure.need import NeedRow
from heapscope.measure.result import ReplayResult
from heapscope.measure.wording import percent, signed
from heapscope.report.table import Cell, Column, table

__all__ = ["needs"]

COLUMNS = (
    Column(heading="Need", name=True),
    Column(heading="from", name=True),
    Column(heading="events without room"),
    Column(heading="share"),
    Column(heading="spells"),
    Column(heading="first at event", event=True),
    Column(heading="last at event", event=True),
    Column(heading="smallest margin"),
    Column(heading="at event", event=True),
)


def needs(result: ReplayResult, *, width: int) -> Iterator[RenderableType]:
    if not result.needs:
        return
    events = result.summary.event_count if result.loss is None else 0
    rows = [_row(need, events) for need in result.needs]
    yield table(
        "Headroom for a contiguous request (bytes)", COLUMNS, rows, width=width, clock=result.clock
    )


def _row(need: NeedRow, events: int) -> tuple[Cell, ...]:
    style = "red" if need.short_events else "green"
    return (
        f"{need.size:,}",
        need.capabilities,
        need.short_events,
        percent(need.short_events, events),
        need.spells,
        need.first_event,
        need.last_event,
        Text(signed(need.minimum_margin), style=style),
        need.minimum_margin_event,
    )
