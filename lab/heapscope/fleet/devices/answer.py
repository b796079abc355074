"""The answer about many devices, from what is known of each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from heapscope.answers.cohorts.groups import GroupDifference, differences, seen_in_most
from heapscope.answers.cohorts.survival import Lives, SurvivalCurve, survival
from heapscope.answers.series.judge import DYING
from heapscope.base.request import Request
from heapscope.base.wording import digits, long_time, percent, plural, size
from heapscope.fleet.devices.device import FleetDevice
from heapscope.fleet.devices.fleet_result import (
    FleetDifferenceRow,
    FleetGroupRow,
    FleetResult,
    SurvivalRow,
)
from heapscope.fleet.devices.look_at import look_at

_POINTS = 500  # of a curve
_LEAST_RATE = 1e-4  # that is shown
_NAMED = 3  # builds that have a sentence


def fleet_answer(
    devices: Sequence[FleetDevice],
    *,
    source: str,
    lines: int,
    needs: Sequence[Request] = (),
    without: Sequence[str] = (),
    notes: Sequence[str] = (),
) -> FleetResult:
    """`devices`: one at least. `without`: the names of those that tell no figure of a heap."""
    builds = [one.build for one in devices]
    lives = {need.text: _lives(devices, at) for at, need in enumerate(needs)}
    whole = {name: one for name, one in lives.items() if one is not None}
    found = differences(
        builds,
        [one.chip for one in devices],
        {name: _levels(devices, name) for name in ("free", "largest")},
        whole,
    )
    curves = list(_survival(devices, needs, builds))
    return FleetResult(
        source=source,
        verdict=tuple(_sentences(devices, needs, found, curves)),
        devices=len(devices),
        lines=lines,
        needs=tuple(need.size for need in needs),
        groups=tuple(_groups(devices)),
        differences=tuple(map(_difference, found)),
        survival=tuple(curves),
        look_at=tuple(look_at(devices, needs)),
        without=tuple(without),
        notes=(*notes, *_notes(devices, needs)),
    )


def _levels(devices: Sequence[FleetDevice], name: str) -> np.ndarray:
    levels = [getattr(one, name) for one in devices]
    return np.array([np.nan if level is None else level for level in levels], dtype=np.float64)


def _lives(devices: Sequence[FleetDevice], need: int) -> Lives | None:
    """Until the need first did not fit; None: not all tell a time."""
    if not all(one.has_time for one in devices):
        return None
    failed = [one.failures[need] for one in devices]
    return Lives(
        seconds=np.array(
            [one.seconds if at is None else at for one, at in zip(devices, failed, strict=True)],
            dtype=np.float64,
        ),
        failed=np.array([at is not None for at in failed], dtype=np.bool_),
    )


def _groups(devices: Sequence[FleetDevice]) -> Iterator[FleetGroupRow]:
    held: dict[tuple[str, str], list[FleetDevice]] = {}
    for one in devices:
        held.setdefault((one.build, one.chip), []).append(one)
    for (build, chip), group in sorted(held.items()):
        middle = {
            name: round(float(np.nanmedian(levels))) if np.isfinite(levels).any() else None
            for name in ("free", "largest")
            if (levels := _levels(group, name)) is not None
        }
        yield FleetGroupRow(
            build=build,
            chip=chip,
            devices=len(group),
            free=middle["free"],
            largest=middle["largest"],
            dying=sum(_dies(one) for one in group),
            failed=sum(any(at is not None for at in one.failures) for one in group),
        )


def _dies(device: FleetDevice) -> bool:
    return device.judged is not None and device.judged.verdict in DYING


def _difference(one: GroupDifference) -> FleetDifferenceRow:
    moved = one.shift
    return FleetDifferenceRow(
        build=one.group,
        what=one.figure,
        devices=one.size,
        others=one.others,
        share=None if moved is None else moved.value,
        low=None if moved is None else moved.low,
        high=None if moved is None else moved.high,
        hazard=one.hazard,
        chance=one.chance,
        rate=one.rate,
        worse=one.worse,
    )


def _survival(
    devices: Sequence[FleetDevice], needs: Sequence[Request], builds: Sequence[str]
) -> Iterator[SurvivalRow]:
    known = sorted(set(builds))
    names = np.array(builds, dtype=object)
    for at, need in enumerate(needs):
        lives = _lives(devices, at)
        if lives is None:
            continue
        for build in ("", *(known if len(known) > 1 else ())):
            part = lives if not build else lives.part(names == build)
            yield _one_curve(part, survival(part), build, need)


def _one_curve(lives: Lives, curve: SurvivalCurve, build: str, need: Request) -> SurvivalRow:
    longest = float(lives.seconds.max())
    kept = np.unique(np.linspace(0, max(len(curve.seconds) - 1, 0), _POINTS).astype(np.int64))[
        : len(curve.seconds)
    ]
    last = len(curve.seconds) - 1
    return SurvivalRow(
        build=build,
        size=need.size,
        devices=len(lives.seconds),
        failed=int(lives.failed.sum()),
        seconds=longest,
        alive=curve.at(longest),
        low=float(curve.low[last]) if last >= 0 else 1.0,
        high=float(curve.high[last]) if last >= 0 else 1.0,
        median=curve.median,
        curve=tuple((float(curve.seconds[one]), float(curve.alive[one])) for one in kept),
    )


# ---- sentences -----------------------------------------------------------------------------------


def _sentences(
    devices: Sequence[FleetDevice],
    needs: Sequence[Request],
    found: Sequence[GroupDifference],
    curves: Sequence[SurvivalRow],
) -> Iterator[str]:
    worse = sorted((one for one in found if one.worse), key=lambda one: one.rate)
    for one in worse[:_NAMED]:
        yield _worse(one)
    if not worse and found:
        yield _none_is_worse(found)
    dying = sum(_dies(one) for one in devices)
    for row in curves:
        if not row.build:
            yield _of_need(row)
    if dying:
        are = "is" if dying == 1 else "are"
        yield (
            f"{plural(dying, 'device')} of {len(devices):,} {are} dying, by a leak or by "
            "fragmentation."
        )
    if not worse and not found:
        yield f"{plural(len(devices), 'device')} of one build, or too few to compare builds."
    for need, fails in zip(needs, zip(*(one.fits for one in devices), strict=True), strict=True):
        short = sum(not fits for fits in fails)
        if short:
            yield f"{size(need.size)} do not fit at the end on {plural(short, 'device')}."


def _worse(one: GroupDifference) -> str:
    of = f"on {one.size:,} devices against {one.others:,} of the same chips"
    name = one.group or "(without a name)"
    shown = f"{100 * one.rate:.2g}" if one.rate >= _LEAST_RATE else "under 0.01"
    rate = f"false discovery rate {shown} %"
    if one.shift is not None:
        what = "free" if one.figure == "free" else "in the largest block"
        value, low, high = (
            -100 * each for each in (one.shift.value, one.shift.high, one.shift.low)
        )
        return (
            f"Build {name} has {value:.2g} % ({low:.2g} to {high:.2g}) less {what} than the "
            f"others, {of} ({rate})."
        )
    return (
        f"On build {name}, {one.figure} B stop fitting {digits(one.hazard or 1)} times as often as "
        f"on the others, {of} ({rate})."
    )


def _none_is_worse(found: Sequence[GroupDifference]) -> str:
    limits = [limit for one in found if (limit := seen_in_most(one)) is not None]
    seen = ""
    if limits:
        seen = f"; {100 * max(limits):.2g} % less would have been found in 9 of 10 such fleets"
    return f"No build is worse than the others, as far as these devices can tell{seen}."


def _of_need(row: SurvivalRow) -> str:
    if not row.failed:
        return f"{size(row.size)} always fitted on all {row.devices:,} devices."
    half = f", on half of them after {long_time(row.median)}" if row.median is not None else ""
    return (
        f"{size(row.size)} did not fit once on {row.failed:,} of {plural(row.devices, 'device')}"
        f"{half}; after {long_time(row.seconds)}, {percent(round(1000 * row.alive), 1000)} "
        f"({100 * row.low:.0f} to {100 * row.high:.0f}) still had it."
    )


def _notes(devices: Sequence[FleetDevice], needs: Sequence[Request]) -> Iterator[str]:
    timeless = sum(not one.has_time for one in devices)
    if timeless and needs:
        yield (
            f"{plural(timeless, 'device')} of {len(devices):,} tell no time: how long devices "
            "live is not compared."
        )
    if not needs:
        yield "Name a request with --need to know on which devices it stops fitting."
