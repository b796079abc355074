"""Leak, plateau, cache or unknown: what a holder's blocks did, judged beside all other holders."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.leaks.evidence import Evidence, evidence, poisson_at_most, variance_ratio
from heapscope.answers.leaks.lives import Lives

LEAK, PLATEAU, CACHE, UNKNOWN = "leak", "plateau", "cache", "unknown"

#: Share of holders without a leak among those called leaks, at most, on average.
FALSE_SHARE = 0.05
#: Stretches below which nothing is reported.
STRETCHES_LEAST = 8
#: A holder that looks so much like a leak is called neither plateau nor cache.
SUSPECT = 0.2
#: Growth that goes on looks like growth that stopped so often, at most, where it is a plateau.
STOPPED = 0.05


#: The share of all events that may have made blocks that stayed. Were it all of them, any growth
#: would look steady: events are the clock.
EVENTS_OWN = 0.5


@dataclass(frozen=True, kw_only=True)
class Judged:
    """`longer`: an interval that many times as long would settle an unknown one."""

    verdict: str
    reason: str
    found: Evidence
    longer: float | None = None


def judge(holders: Sequence[Lives], *, events: int, whole: bool = True) -> tuple[Judged, ...]:
    """`events`: heap events of the interval. `whole`: none is missing."""
    found = [evidence(lives) for lives in holders]
    against = _against(holders, events=events, whole=whole)
    if against is not None:
        return tuple(Judged(verdict=UNKNOWN, reason=against, found=one) for one in found)
    limit, tested = _limit(found)
    return tuple(
        _judged(lives, one, limit=limit, tested=tested)
        for lives, one in zip(holders, found, strict=True)
    )


def _against(holders: Sequence[Lives], *, events: int, whole: bool) -> str | None:
    """Why this trace can show nothing of any holder."""
    if not whole:
        return "events are missing, perhaps its frees"
    if sum(lives.alive[1:].sum() for lives in holders) > EVENTS_OWN * events:
        return "nearly all events made what stayed, so that they do not tell how time went by"
    return None


def _limit(found: Sequence[Evidence]) -> tuple[float, int]:
    """The chance up to which holders are leaks, after Benjamini and Hochberg. Holders with too few
    old blocks to be called leaks whatever these did are not among the tested ones (Tarone)."""
    chances = sorted(one.chance if one.steady else 1.0 for one in found if one.testable)
    tested = max(1, len(chances))
    steps = [FALSE_SHARE * rank / tested for rank in range(1, len(chances) + 1)]
    passed = [step for chance, step in zip(chances, steps, strict=True) if chance <= step]
    return (max(passed) if passed else FALSE_SHARE / tested), tested


def _judged(lives: Lives, found: Evidence, *, limit: float, tested: int) -> Judged:
    if found.testable and found.steady and found.chance <= limit:
        reason = f"{found.old:,.0f} blocks grew old and stayed, {found.ended:,.0f} were freed"
        return Judged(verdict=LEAK, reason=reason, found=found)
    if lives.stretches < STRETCHES_LEAST:
        return Judged(verdict=UNKNOWN, reason="too few heap events", found=found)
    if not (found.testable and found.steady and found.chance <= SUSPECT):
        if _returns(lives):
            return Judged(verdict=CACHE, reason="it returns to its level", found=found)
        if _stopped(lives):
            reason = "it grew and then stopped growing"
            return Judged(verdict=PLATEAU, reason=reason, found=found)
    return Judged(
        verdict=UNKNOWN,
        reason="what stayed may be a leak or may stop growing",
        found=found,
        longer=_longer(found, tested),
    )


def _stopped(lives: Lives) -> bool:
    """The lows of what is live rose first and not in the last part."""
    levels = lives.levels()
    lows = np.minimum.accumulate(levels[::-1])[::-1]
    growth = np.diff(lows, prepend=0.0)
    growth = np.concatenate(([growth[0] + growth[1]], growth[2:]))
    if growth.sum() <= 0:
        return False
    number = growth.sum() / variance_ratio(growth)
    reached = (np.flatnonzero(growth)[-1] + 1) / len(growth)
    late = growth[-(len(growth) // 3) :].sum()
    fades = poisson_at_most(late * number / growth.sum(), number / 3) <= STOPPED / 10
    return bool(reached ** max(1.0, number) <= STOPPED or (fades and late <= growth.sum() / 6))


def _returns(lives: Lives) -> bool:
    """Blocks are freed, and in the last third the level falls to where it was before."""
    levels = lives.levels()
    start = math.ceil(lives.stretches / 16)
    cut = lives.stretches - lives.stretches // 3
    frees = lives.freed[:, cut:].sum()
    return bool(frees > 0 and levels[cut:].min() <= np.median(levels[start:cut]))


def _longer(found: Evidence, tested: int) -> float:
    """The evidence of a leak grows with the square of the time: its blocks become more and
    older."""
    shown = -math.log(max(min(found.chance, 0.9), 1e-12))
    factor = math.sqrt(-math.log(FALSE_SHARE / tested) / shown)
    return float(min(10.0, max(2.0, math.ceil(factor))))
