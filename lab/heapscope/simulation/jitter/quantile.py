"""The size that is enough for a share of perturbed runs, by the order of their sizes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cache

from heapscope.simulation.jitter.share import CONFIDENCE

WANTED = 0.99  # of the runs

_BEYOND = (1 - CONFIDENCE) / 2  # the chance that either end of the interval may be wrong


def enough_for(sizes: Sequence[int | None], wanted: float = WANTED) -> int | None:
    """The least of the sizes that is enough for so large a part of them, and there is one at least.
    None among the sizes: more than any other; as the result: that one is."""
    return _ranked(sizes, math.ceil(wanted * len(sizes)))


def interval(sizes: Sequence[int | None], wanted: float = WANTED) -> tuple[int | None, int | None]:
    """The ends of the 95 % interval of the quantile. An end of None is more than any other, or it
    is the upper one of fewer sizes than `settled_by`, which cannot be told.

    The ends are order statistics, so nothing is assumed about how sizes are spread: the number of
    sizes at or below the true quantile is binomial (W. J. Conover, Practical Nonparametric
    Statistics, 3rd edition, section 3.2)."""
    low, high = ranks(len(sizes), wanted)
    return _ranked(sizes, low), None if high > len(sizes) else _ranked(sizes, high)


@cache
def ranks(count: int, wanted: float = WANTED) -> tuple[int, int]:
    """The ranks of both ends, from 1. An upper rank of count + 1: no size is surely high enough."""
    below, low, high = 0.0, 0, count + 1
    for above in range(count + 1):  # sizes above the quantile
        below += _chance(count, above, 1 - wanted)
        if below <= _BEYOND:
            high = count - above
        if below >= 1 - _BEYOND:
            low = count - above
            break
    return max(low, 1), high


@cache
def settled_by(wanted: float = WANTED) -> int:
    """The sizes that the interval's upper end takes at least."""
    return math.ceil(math.log(_BEYOND) / math.log(wanted))


def _ranked(sizes: Sequence[int | None], rank: int) -> int | None:
    result = sorted(math.inf if each is None else each for each in sizes)[rank - 1]
    return None if result == math.inf else int(result)


def _chance(count: int, hits: int, part: float) -> float:
    """The chance of so many hits in `count` trials, each with the chance `part`."""
    return math.exp(
        math.lgamma(count + 1)
        - math.lgamma(hits + 1)
        - math.lgamma(count - hits + 1)
        + hits * math.log(part)
        + (count - hits) * math.log1p(-part)
    )
