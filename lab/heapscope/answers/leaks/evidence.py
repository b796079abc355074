"""How far the births and frees of a holder's blocks speak for a leak: docs/design/leaks.md.

Blocks that outlive a stretch of time by far are *old*. A leak makes old blocks at a steady rate and
frees none; a pool or a cache frees as many as it makes, or makes fewer and fewer. Each test below
asks for one of these; a leak must pass all of them."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.leaks.lives import Counts, Lives

#: Ages from which a block is old, in shares of the interval.
AGES = (1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2)
#: Share of the interval in which a program may fill what it keeps.
STARTUP = 1 / 32
#: A pool's blocks are freed after so many intervals on average, at the latest.
POOL_LIFE = 2.0
#: A pool whose growth fades falls to exp(-FADES) of its first rate within the interval.
FADES = 3.5
#: A pool frees at least so many of its old blocks for each that it makes: a third of old events.
POOL_FREES = 1 / 3
#: Old blocks of a leak that are freed all the same, at most.
FREED_MOST = 0.05
#: Fewer old blocks can show nothing.
OLD_LEAST = 8
#: Steady growth is taken for one that fades or has stopped at most so often, each.
UNSTEADY = 0.0005


@dataclass(frozen=True, kw_only=True)
class Evidence:
    """`chance`: at most so often does a holder without a leak look like this. `old`: blocks that
    are live at the end and became old; they were born in stretches first..last."""

    chance: float
    steady: bool
    testable: bool
    old: float = 0.0
    ended: float = 0.0
    first: int = 0
    last: int = 0
    variance: float = 1.0  # of the counts per stretch, as a multiple of Poisson's


NOTHING = Evidence(chance=1.0, steady=False, testable=False)


def evidence(lives: Lives) -> Evidence:
    """Taken at the least age from which hardly a block is freed any more."""
    if lives.blocks < OLD_LEAST:
        return NOTHING
    ages = sorted({max(2, round(age * lives.stretches)) for age in AGES})
    found = [one for age in ages if (one := _at_age(lives, age)) is not None]
    for one in found:
        if one.ended <= FREED_MOST * (one.old + one.ended):
            return one
    return found[-1] if found else NOTHING


def _at_age(lives: Lives, age: int) -> Evidence | None:
    first = 1 + math.ceil(STARTUP * lives.stretches)
    last = lives.stretches - age  # born later, a block is not old yet
    if last - first < OLD_LEAST:
        return None
    alive, freed = lives.alive[first : last + 1], _old_frees(lives.freed, age)
    ended = freed[first : last + 1].sum()
    made = alive.sum() + ended
    if made < OLD_LEAST:
        return None
    variance = variance_ratio(alive + freed[first : last + 1].sum(axis=1))
    turned_over = float(np.count_nonzero(freed[:first].sum(axis=0)))
    chances = (
        poisson_at_most(ended / variance, _exposure(lives, freed, first, last, age) / variance),
        _binomial_at_most(ended / variance + turned_over, made / variance + turned_over),
        _fades(alive, variance),
        _fades(alive[::-1], variance),
    )
    return Evidence(
        chance=max(chances),
        steady=ended <= FREED_MOST * made and _steady(lives, alive, variance, first),
        testable=True,
        old=float(alive.sum()),
        ended=float(ended),
        first=first,
        last=last,
        variance=variance,
    )


def _old_frees(freed: Counts, age: int) -> Counts:
    born, ended = np.indices(freed.shape)
    # A block from before the interval is as old as the interval, at the least.
    return np.where(ended - np.maximum(born, 1) >= age, freed, 0.0)


def _exposure(lives: Lives, freed: Counts, first: int, last: int, age: int) -> float:
    """Frees that a pool would have had: the time that old blocks were live over a pool's life."""
    born = np.arange(first, last + 1)
    stayed = (lives.alive[first : last + 1] * (lives.stretches - age - born + 0.5)).sum()
    ended = np.arange(lives.stretches + 1)
    waited = (freed[first : last + 1] * np.maximum(ended - born[:, None] - age, 0)).sum()
    return float(stayed + waited) / (POOL_LIFE * lives.stretches)


def variance_ratio(counts: Counts) -> float:
    """The variance of the counts of stretches, as a multiple of their mean. It is taken from
    differences of neighbours, so that a trend does not count, and from neighbours in wider
    stretches, so that waves do. A Poisson process has 1, a process in batches has more."""
    found = 1.0
    for width in (1, 2, 4):
        wide = counts[: len(counts) // width * width].reshape(-1, width).sum(axis=1)
        bends, sums = np.diff(wide, n=2), wide[2:] + 4 * wide[1:-1] + wide[:-2]
        if len(wide) >= 8 and sums.sum() > 0:
            noise = 1 + 2 * math.sqrt(2 / len(bends))
            found = max(found, float((bends**2).sum() / sums.sum()) / noise)
    return found


def _places(alive: Counts) -> NDArray[np.float64]:
    return (np.arange(len(alive)) + 0.5) / len(alive)


def _fades(alive: Counts, variance: float) -> float:
    """The chance that births whose rate fades by exp(-FADES) come as late as these."""
    number = alive.sum() / variance
    if number == 0:
        return 1.0
    rest = math.exp(-FADES)
    mean = 1 / FADES - rest / (1 - rest)
    deviation = math.sqrt(1 / FADES**2 - rest / (1 - rest) ** 2)
    place = float((alive * _places(alive)).sum() / alive.sum())
    return _normal_above((place - mean) / deviation * math.sqrt(number))


def _steady(lives: Lives, alive: Counts, variance: float, first: int) -> bool:
    """Growth goes on to the end as strongly as before, and nothing emptied the holder."""
    number = alive.sum() / variance
    if number == 0:
        return False
    place = float((alive * _places(alive)).sum() / alive.sum())
    slows = _normal_above((0.5 - place) * math.sqrt(12 * number)) < UNSTEADY
    reached = (np.flatnonzero(alive)[-1] + 1) / len(alive)
    stopped = reached**number < UNSTEADY
    return not slows and not stopped and not _emptied(lives, alive, first)


def _emptied(lives: Lives, alive: Counts, first: int) -> bool:
    """At one moment many blocks went, and of those born before hardly one is left."""
    rate, freed = alive.sum() / len(alive), lives.freed
    for moment in range(first + 2, lives.stretches + 1):
        expected = rate * (moment - first)
        gone = freed[first : moment - 1, moment].sum()
        left = lives.alive[first:moment].sum()
        if expected >= 6 and gone >= expected / 2 and left < 0.3 * expected:
            return True
    return False


# ---- tails ----


def _normal_above(z: float) -> float:
    return 0.5 * math.erfc(z / math.sqrt(2))


def poisson_at_most(count: float, mean: float) -> float:
    most = math.ceil(count)
    if mean <= 0 or most > mean + _width(mean):
        return 1.0
    last = most * math.log(mean) - mean - math.lgamma(most + 1)
    below = _ladder(most, _width(mean))
    return _sum_down(last, np.log(below / mean))


def _binomial_at_most(count: float, number: float) -> float:
    """At most `count` frees in `number` old events, were a pool's share of them frees."""
    tries, most = math.floor(number), math.ceil(count)
    if most >= tries or most > tries * POOL_FREES + _width(tries):
        return 1.0
    last = (
        math.lgamma(tries + 1)
        - math.lgamma(most + 1)
        - math.lgamma(tries - most + 1)
        + most * math.log(POOL_FREES)
        + (tries - most) * math.log(1 - POOL_FREES)
    )
    below = _ladder(most, _width(tries))
    odds = (1 - POOL_FREES) / POOL_FREES
    return _sum_down(last, np.log(below * odds / (tries - below + 1)))


def _width(mean: float) -> int:
    """Terms farther than this from a distribution's mean do not count: it is 12 deviations, so that
    a tail takes the time of the root of its count, however many blocks there are."""
    return math.ceil(12 * math.sqrt(mean)) + 50


def _ladder(most: int, width: int) -> Counts:
    """From `most` down, as far as its terms count: past the mean and as far again."""
    return np.arange(most, max(0, most - 2 * width), -1, dtype=np.float64)


def _sum_down(last: float, steps: Counts) -> float:
    """The term of the highest count, by its logarithm, and those below it, each by its ratio."""
    logs = last + np.concatenate(([0.0], np.cumsum(steps)))
    return min(1.0, float(np.exp(logs).sum()))
