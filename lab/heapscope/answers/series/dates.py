"""When a request stops fitting for good, from the series of a device that dies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.series.envelope import (
    Levels,
    best_knot,
    blocks,
    left_over,
    slope,
    upper_line,
)
from heapscope.answers.series.samples import HeapSeries

_PIECE = 0.1  # of the whole time: a change in what comes behind is not seen
_CHANGED = 2.0  # a speed that is so many times another one
_BETTER = 4.0  # what a line leaves, in what two leave
_PIECES = 400
_LONGEST = np.cumsum(1 / np.arange(1, _PIECES + 1)) / np.arange(1, _PIECES + 1)
_FAR = 20.0  # a date is given up to so many times as far as the series is long
#: The logarithm of the truth by the date, in standard deviations of simulated series
#: (benches/series/bench_series.py): of a leak, a part that stays and one by its evidence; of blocks
#: that stay.
_LEAK_SPREAD = (0.2, 2.2)
_STEP_SPREAD = 1.3
_LAWS = 0.7  # the number of blocks by the laws, which is too large, in the mean of such series
_STEADY = 20.0  # equal steps in which a largest block falls, beyond which it does so steadily
_LIFE_SPREAD = 0.3  # of a lifetime, by that of one earlier start
_NEAR = 0.7  # of the largest block at the end of a start that ended with a failed request
_BAND = 1.28  # 80 per cent of a normal distribution


@dataclass(frozen=True, kw_only=True)
class SeriesBand:
    """The likeliest value, and the interval that holds 4 of 5."""

    value: float
    low: float
    high: float


def last_change(series: HeapSeries) -> int:
    """The first sample since the levels fall at another speed; 0: they always fell at this one."""
    moments, tops = blocks(series.seconds, series.free)
    at = best_knot(moments, tops)
    span = moments[-1] - moments[0]
    if (
        at == 0
        or left_over(moments, tops) < _BETTER * left_over(moments, tops, at)
        or moments[-1] - moments[at] < _PIECE * span
    ):
        return 0
    before, _ = slope(moments[: at + 1], tops[: at + 1]) if at > 2 else (0.0, 0.0)
    after, _ = slope(moments[at:], tops[at:])
    if after >= 0 or -before * _CHANGED > -after > -before / _CHANGED:
        return 0
    return int(np.searchsorted(series.seconds, moments[at]))


def fall_line(
    series: HeapSeries, levels: Levels
) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """The ends of the line of levels since their speed last changed, as a date has it: seconds and
    bytes; None: it does not fall."""
    first = last_change(series)
    seconds = series.seconds[first:]
    speed, level = upper_line(seconds, levels[first:])
    if speed >= 0:
        return None
    span = float(seconds[-1] - seconds[0])
    return (float(seconds[0]), level - speed * span), (float(seconds[-1]), level)


def leak_until(series: HeapSeries, need: int) -> SeriesBand | None:
    """The date by the line below which the largest block, or where that is not reported the free
    bytes, nearly always lies; None: not within what the series can tell."""
    since = series.since(last_change(series))
    levels = since.free if since.largest is None else since.largest
    speed, level = upper_line(since.seconds, levels)
    if speed >= 0:
        return None
    value = max(level - need, 0.0) / -speed
    _, evidence = slope(*blocks(since.seconds, levels))
    spread = _LEAK_SPREAD[0] + _LEAK_SPREAD[1] / max(-evidence, 2.0)
    return _within(series, value, spread)


def fragments_until(series: HeapSeries, need: int) -> SeriesBand | None:
    """The date by the level that the largest block never reached again. Where it falls steadily, it
    goes on along a line, as a leak does. Else blocks that stay cut it, and two laws bound it: each
    block takes a share of the longest piece, so that its logarithm falls evenly (too late, as all
    pieces are cut); or the number of pieces grows evenly (too early), of which the longest of m has
    H(m) / m in the mean. Their geometric mean tells how many more are needed, and a block comes
    after the mean time between two."""
    if series.largest is None:
        return None
    steps = steps_of(series.largest)
    if steps > _STEADY:
        return leak_until(series, need)
    _, tops = blocks(series.seconds, series.largest, share=1.0)
    _, frees = blocks(series.seconds, series.free)
    ever = np.maximum(np.maximum.accumulate(tops[::-1])[::-1], 1.0)
    fallen = float(np.log(ever[0] / ever[-1]))
    if fallen <= 0:
        return None
    free = max(float(np.median(frees[-3:])), 1.0)
    first, now = pieces(ever[0] / max(float(frees[0]), 1.0)), pieces(ever[-1] / free)
    by_number = max(pieces(need / free) - now, 0.0) / max(now - first, 0.5)
    by_share = max(float(np.log(ever[-1] / max(need, 1))), 0.0) / fallen
    if ever[-1] < need:
        return SeriesBand(value=0.0, low=0.0, high=0.0)
    span = float(series.seconds[-1] - series.seconds[0])
    value = span * (_LAWS * float(np.sqrt(by_number * by_share)) + 1 / (steps + 1))
    return _within(series, value, _STEP_SPREAD)


def steps_of(levels: Levels) -> float:
    """In how many equal steps levels would fall for good as they do: of each fall the squares
    count."""
    ever = np.maximum.accumulate(levels[::-1])[::-1]
    falls = -np.diff(ever)
    return float(falls.sum() ** 2 / max(float(falls @ falls), 1e-9))


def lifetimes_until(
    series: HeapSeries, earlier: Sequence[HeapSeries], need: int
) -> SeriesBand | None:
    """By how long it went on fitting in earlier starts of the same device, which are samples of one
    lifetime; None: it fitted to their ends, and no start ended with a failed request of about that
    size; or it fitted for a shorter time than this start has lasted."""
    lives = [life for one in earlier if one.has_time if (life := _lifetime(one, need)) is not None]
    passed = float(series.seconds[-1] - series.seconds[0])
    if not lives or not series.has_time or float(np.median(lives)) <= passed:
        return None
    around = _LIFE_SPREAD / np.sqrt(len(lives)) * float(np.median(lives))
    return SeriesBand(
        value=float(np.median(lives)) - passed,
        low=max(min(lives) - around - passed, 0.0),
        high=max(lives) + around - passed,
    )


def _lifetime(series: HeapSeries, need: int) -> float | None:
    levels = series.free if series.largest is None else series.largest
    fits = np.flatnonzero(levels >= need)
    if fits.size and fits[-1] < len(levels) - 2:
        return float(series.seconds[fits[-1] + 1] - series.seconds[0])
    last = float(np.median(levels[-3:]))
    near = series.failed and _NEAR * last <= need <= last
    return float(series.seconds[-1] - series.seconds[0]) if near else None


def pieces(share: float) -> float:
    """How many pieces a stick has whose longest one is this share of it in the mean."""
    return float(np.interp(-np.clip(share, 0, 1), -_LONGEST, np.arange(1, _PIECES + 1)))


def _within(series: HeapSeries, value: float, spread: float) -> SeriesBand | None:
    if value > _FAR * float(series.seconds[-1] - series.seconds[0]):
        return None
    factor = float(np.exp(_BAND * spread))
    return SeriesBand(value=value, low=value / factor, high=value * factor)
