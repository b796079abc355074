"""Many devices, answered: the sentence first, then the tables."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.text import Text

from heapscope.base.wording import digits, long_time, plural
from heapscope.fleet.devices.fleet_result import (
    FleetDeviceRow,
    FleetDifferenceRow,
    FleetGroupRow,
    FleetResult,
    SurvivalRow,
)
from heapscope.render.text.table import Column, columns_of, table_of

_LEAST_RATE = 1e-4  # that is shown
_SHOWN = 10  # names of devices without figures


def fleet_parts(result: FleetResult) -> Iterator[RenderableType]:
    for position, sentence in enumerate(result.verdict):
        yield Text(sentence, style="bold" if position == 0 else "")
    devices = plural(result.devices, "device")
    yield Text.assemble((result.source, "bold"), f": {devices}, {plural(result.lines, 'line')}")
    yield table_of("By build and chip", columns_of(FleetGroupRow), result.groups)
    yield table_of(
        "Each build against the others, within each chip", _differences(), result.differences
    )
    yield table_of("Until a need first does not fit", _survival(), result.survival)
    yield table_of("Devices to look at", columns_of(FleetDeviceRow), result.look_at)
    if result.without:
        names = ", ".join(result.without[:_SHOWN])
        more = ", …" if len(result.without) > _SHOWN else ""
        count = plural(len(result.without), "device")
        yield Text(f"note: no line of {count} tells of a heap: {names}{more}", style="yellow")
    for sentence in result.notes:
        yield Text(f"note: {sentence}", style="yellow")


def _differences() -> tuple[Column, ...]:
    return (
        *columns_of(FleetDifferenceRow),
        Column(heading="difference", of=_size_of, words=True),
        Column(heading="false discovery rate", of=_rate, words=True),
        Column(heading="worse", of=lambda row: "yes" if row.worse else "", words=True),
    )


def _rate(row: FleetDifferenceRow) -> str:
    return f"{100 * row.rate:.2g} %" if row.rate >= _LEAST_RATE else "under 0.01 %"


def _size_of(row: FleetDifferenceRow) -> str:
    if row.share is None or row.low is None or row.high is None:
        return f"fails {digits(row.hazard or 0)} times as often"
    return f"{100 * row.share:+.2f} % ({100 * row.low:+.2f} to {100 * row.high:+.2f})"


def _survival() -> tuple[Column, ...]:
    return (
        *columns_of(SurvivalRow, "size build devices failed", build=lambda row: row.build or "all"),
        Column(heading="after", of=lambda row: long_time(row.seconds), words=True),
        Column(
            heading="still fits",
            of=lambda row: f"{100 * row.alive:.1f} % ({100 * row.low:.0f} to {100 * row.high:.0f})",
            words=True,
        ),
        Column(
            heading="half after",
            of=lambda row: "" if row.median is None else long_time(row.median),
            words=True,
        ),
    )
