"""The devices that are worth a look, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from heapscope.answers.series.judge import DYING
from heapscope.base.request import Request
from heapscope.base.wording import long_time, size
from heapscope.fleet.devices.device import FleetDevice
from heapscope.fleet.devices.fleet_result import FleetDeviceRow
from heapscope.logs.heaps.request_fit import UntilRow

_MOST = 10
_APART = 5.0  # times the usual spread of devices of its build and chip
_TO_DEVIATION = 1.4826


def look_at(devices: Sequence[FleetDevice], needs: Sequence[Request]) -> list[FleetDeviceRow]:
    """Those on which a need does not fit, those that die, the next date first, those on which one
    did not fit once, and those that have far less than others of their build and chip."""
    apart = _below(devices)
    ranked = []
    for at, device in enumerate(devices):
        rank = _rank(device, needs, apart[at])
        if rank is not None:
            ranked.append((*rank[:2], at, rank[2]))
    return [_row(devices[at], needs, reason) for _, _, at, reason in sorted(ranked)[:_MOST]]


def _rank(
    device: FleetDevice, needs: Sequence[Request], apart: float
) -> tuple[int, float, str] | None:
    missing = [need.size for need, fits in zip(needs, device.fits, strict=True) if not fits]
    if missing:
        return 0, device.last, f"{size(min(missing))} do not fit at its end"
    judged = device.judged
    if judged is not None and judged.verdict in DYING:
        dates = (
            [(until.low, need.size) for need in needs if (until := judged.until(need.size))]
            if judged.series.has_time
            else []
        )
        if dates:
            low, need_size = min(dates)
            kind = judged.verdict
            return 1, low, f"{kind}: {size(need_size)} stop fitting in {long_time(low)} or later"
        return 2, device.last, f"{judged.verdict}, without a date"
    once = [
        (at, need.size) for need, at in zip(needs, device.failures, strict=True) if at is not None
    ]
    if once:
        at, need_size = min(once)
        when = f" after {long_time(at)}" if device.has_time else ""
        return 3, at, f"{size(need_size)} did not fit once{when}"
    if apart > _APART:
        return 4, -apart, "far less than others of its build and chip"
    return None


def _below(devices: Sequence[FleetDevice]) -> list[float]:
    """How far the usual level of each is below that of its build and chip, in their spreads."""
    groups: dict[tuple[str, str], list[int]] = {}
    for at, device in enumerate(devices):
        groups.setdefault((device.build, device.chip), []).append(at)
    results = [0.0] * len(devices)
    for group in groups.values():
        levels = np.array([_level(devices[at]) for at in group])
        middle = float(np.median(levels))
        spread = _TO_DEVIATION * float(np.median(np.abs(levels - middle)))
        for at, level in zip(group, levels, strict=True):
            results[at] = (middle - float(level)) / max(spread, 0.01 * middle, 1.0)
    return results


def _level(device: FleetDevice) -> float:
    level = device.free if device.largest is None else device.largest
    return device.last if level is None else level


def _row(device: FleetDevice, needs: Sequence[Request], reason: str) -> FleetDeviceRow:
    judged = device.judged
    dates = []
    if judged is not None and judged.series.has_time:
        dates = [(band.low, need.size, band) for need in needs if (band := judged.until(need.size))]
    first = min(dates, key=lambda one: one[:2], default=None)
    return FleetDeviceRow(
        device=device.name,
        build=device.build,
        chip=device.chip,
        last=int(device.last),
        verdict="" if judged is None else judged.verdict,
        risk=None if judged is None else judged.risk,
        need=None if first is None else first[1],
        until=None
        if first is None
        else UntilRow(value=first[2].value, low=first[2].low, high=first[2].high),
        reason=reason,
    )
