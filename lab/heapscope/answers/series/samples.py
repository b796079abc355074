"""One series: levels of one memory since one start of one device, in the order of time."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from heapscope.answers.series.envelope import Levels

_OFTEN = 9  # samples of each point of a round
_ROUND = (2, 12)  # samples of a round, at least and at most
_ALIKE = 4  # like points of a round differ so many times less than neighbours


@dataclass(frozen=True, kw_only=True, eq=False)
class HeapSeries:
    """`seconds`: (samples,), rising; or numbers of lines where `has_time` is false. `free`,
    `largest`: bytes, (samples,); `largest` is None where it is not reported. `lows`: `free` is the
    minimum since the start. `phases`: (samples,), the point of a round; None: no round.
    `failed`: the start had a request that failed."""

    seconds: Levels
    free: Levels
    largest: Levels | None = None
    has_time: bool = True
    lows: bool = False
    phases: Levels | None = None
    failed: bool = False

    def since(self, first: int) -> HeapSeries:
        """The samples from that one on."""
        part = slice(first, None)
        return replace(
            self,
            seconds=self.seconds[part],
            free=self.free[part],
            largest=None if self.largest is None else self.largest[part],
            phases=None if self.phases is None else self.phases[part],
        )


def round_length(levels: Levels) -> int:
    """Samples of a round: the least number after which the level is nearly the same again, though
    neighbours differ; 1: none."""
    apart = float(np.abs(np.diff(levels)).mean())
    for length in range(_ROUND[0], min(_ROUND[1], len(levels) // _OFTEN) + 1):
        if _ALIKE * float(np.abs(levels[length:] - levels[:-length]).mean()) <= apart:
            return length
    return 1


def in_rounds(series: HeapSeries) -> HeapSeries:
    """With its phases, if it goes in rounds of equal length."""
    if series.phases is not None:
        return series
    length = round_length(series.free)
    if length == 1:
        return series
    return replace(series, phases=(np.arange(len(series.free)) % length).astype(np.float64))


def alike(levels: Levels, phases: Levels | None) -> Levels:
    """Like compared with like: each level less how far the usual one of its point of the round is
    below that of the highest."""
    if phases is None:
        return levels
    usual = {phase: float(np.median(levels[phases == phase])) for phase in np.unique(phases)}
    highest = max(usual.values())
    lower: Levels = np.array([highest - usual[phase] for phase in phases])
    return levels + lower
