"""The verdict about one series: what its levels do, how sure that is, and how fast."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.leaks.verdict import CACHE, LEAK, PLATEAU, UNKNOWN
from heapscope.answers.series.dates import (
    SeriesBand,
    fragments_until,
    last_change,
    leak_until,
    lifetimes_until,
)
from heapscope.answers.series.envelope import Levels, blocks, slope
from heapscope.answers.series.features import FALL, fall
from heapscope.answers.series.samples import HeapSeries, alike, in_rounds
from heapscope.answers.series.weighed import STABLE, chances

FRAGMENTATION, STEP, NOTHING = "fragmentation", "step", "nothing"
DYING = (LEAK, FRAGMENTATION)
VERDICTS = (LEAK, FRAGMENTATION, PLATEAU, CACHE, STEP, NOTHING, UNKNOWN)
LEAST = 9  #: samples, below which nothing is judged

_SURE = 0.75  # how likely a verdict is at least, by simulated series
_STILL_LEAST = 24  # samples, below which nothing is called still
_SUNK = 0.02  # of the level: the last stretch is so much below the lowest before it
_LIKELY = 1 - _SURE  # the probability that it dies, from which on a date is given
_PLAIN = 0.86  # how likely a leak is at least where a walk at random would fall as far
_WALKS = 2.25  # standard deviations of where such a walk ends, beyond which none is thought of
_AGAIN = 9.0  # odds that a device whose last start was judged to die does so again
_KEPT = 0.02  # a fall by a smaller share of the level does not count
_STEPPED = 0.6  # the share of one step in a fall that is a step
_ERRORS = 2.0  # standard errors of a speed that its interval has on each side
_LOWS_FALL = 8.0  # standard errors of the slope of the low points that fall evenly
_LOWS_LOST = 0.05  # of the level, which they lose at least
_BACK = 0.5  # a rise by such a share of the falls before it comes back


@dataclass(frozen=True, kw_only=True)
class SeriesVerdict:
    """`risk`: the probability that the verdict is wrong; `dies`: that it is a leak or
    fragmentation. `speed`: bytes a second (or a line) that the deciding figure loses, of a series
    that may die; None: it is not known. `points`: of a round, in how many it falls, and of how
    many; None: no round. `earlier`: the starts before."""

    verdict: str
    risk: float
    dies: float
    series: HeapSeries
    figure: str  # free or largest, which decides
    speed: SeriesBand | None = None
    points: tuple[int, int] | None = None
    earlier: Sequence[HeapSeries] = ()

    def until(self, need: int) -> SeriesBand | None:
        """Seconds (or lines) from the last sample until a block of that size fits no more, for
        good; None: not within what the series can tell."""
        if self.dies < _LIKELY:
            return None
        law = fragments_until if self._way == FRAGMENTATION else leak_until
        return lifetimes_until(self.series, self.earlier, need) or law(self.series, need)

    @property
    def _way(self) -> str:
        if self.verdict in DYING:
            return self.verdict
        return FRAGMENTATION if self.figure == "largest" else LEAK


def judge_series(series: HeapSeries, earlier: Sequence[HeapSeries] = ()) -> SeriesVerdict:
    """At least LEAST samples. `earlier`: the starts of the same device before this one, with as
    many; the last one's verdict counts: what a program lost in one start it loses in the next."""
    series = in_rounds(series)
    odds = chances(series)
    dies = 1 - odds[STABLE]
    way = max(DYING, key=lambda one: odds[one])
    for before in earlier[-1:]:
        past = judge_series(before)
        if past.verdict in DYING:
            dies, way = dies * _AGAIN / (dies * _AGAIN + 1 - dies), past.verdict
    if dies < _LIKELY and _sinks(series):
        dies = _LIKELY
    if way == LEAK and _SURE <= dies < _PLAIN and not series.lows and _may_walk(series):
        dies = np.nextafter(_SURE, 0)
    figure = "largest" if way == FRAGMENTATION else "free"
    share = odds[way] / max(1 - odds[STABLE], 1e-9)
    if dies >= _SURE:
        verdict, risk = way, 1 - dies * share
    elif (
        1 - dies >= _SURE
        and len(series.free) >= _STILL_LEAST
        and not (_sinks(series) or _lows_fall(series))
    ):
        verdict, risk = _still(series), dies
    else:
        verdict, risk = UNKNOWN, min(dies, 1 - dies)
    return SeriesVerdict(
        verdict=verdict,
        risk=risk,
        dies=dies,
        series=series,
        figure=figure,
        speed=speed_of(series, figure) if dies >= _LIKELY else None,
        points=_falling(series),
        earlier=tuple(earlier),
    )


def _may_walk(series: HeapSeries) -> bool:
    """Levels that go up and down at random would often fall as far, by how far they go from one
    stretch to the next."""
    _, tops = blocks(series.seconds, alike(series.free, series.phases))
    steps = np.diff(tops)
    usual = float(steps.std(ddof=1)) * np.sqrt(len(steps))
    return bool(tops[0] - tops[-1] < _WALKS * usual)


def _sinks(series: HeapSeries) -> bool:
    """It has just fallen below all levels that it had before."""
    _, tops = blocks(series.seconds, alike(series.free, series.phases))
    return bool(tops[-1] < tops[:-1].min() - _SUNK * tops[0])


def _lows_fall(series: HeapSeries) -> bool:
    """The level that one in ten samples is below falls evenly, and has not stopped, whatever the
    high points do: the peaks of what is in use grow, or the lines are those of two devices."""
    if series.lows:
        return False
    moments, lows = blocks(series.seconds, -series.free)
    _, rise = slope(moments, lows)
    _, lately = slope(moments[len(moments) // 2 :], lows[len(moments) // 2 :])
    lost = float(lows[-1] - lows[0])
    return rise > _LOWS_FALL and lately > _ERRORS and lost > _LOWS_LOST * float(series.free.max())


def _still(series: HeapSeries) -> str:
    """The course of a series that does not die."""
    numbers = dict(zip(FALL, fall(series.seconds, alike(series.free, series.phases)), strict=True))
    if abs(numbers["fallen"]) < _KEPT:
        return CACHE if numbers["come back"] > _BACK and _moves(series.free) else NOTHING
    if numbers["come back"] > _BACK:
        return CACHE
    return STEP if numbers["largest step"] > _STEPPED else PLATEAU


def _moves(levels: Levels) -> bool:
    """By more than its noise from line to line."""
    low, high = np.quantile(levels, (0.1, 0.9))
    return bool(high - low > 4 * np.median(np.abs(np.diff(levels))) + 1)


def speed_of(series: HeapSeries, figure: str) -> SeriesBand | None:
    since = series.since(last_change(series))
    levels = since.largest if figure == "largest" and since.largest is not None else since.free
    moments, tops = blocks(since.seconds, alike(levels, since.phases))
    per_second, evidence = slope(moments, tops)
    if per_second >= 0:
        return None
    error = _ERRORS * per_second / min(evidence, -0.5)
    return SeriesBand(
        value=-per_second, low=max(-per_second - error, 0.0), high=-per_second + error
    )


def _falling(series: HeapSeries) -> tuple[int, int] | None:
    """Points of a round of which the levels fall."""
    if series.phases is None:
        return None
    points = [series.phases == phase for phase in np.unique(series.phases)]
    evidence = [slope(series.seconds[one], series.free[one])[1] for one in points]
    return sum(one < -2 for one in evidence), len(points)
