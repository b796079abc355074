"""Bounds of the larger of two numbers, where only the shares of each one's values are known.

Every pairing of the shares gives a mean. The larger of two has the property of Monge: of all
pairings, the one that joins large to small has the largest mean, and the one that joins large to
large the smallest. Pairings are a transport problem; its prices are a bound that holds everywhere
and is reached by these shares.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from heapscope.forecast.tune.space import Array

Two = tuple[Array, Array]


def mean(sides: Two, shares: Two, *, above: bool) -> float:
    """The most (`above`) or the least that the mean can be. Shares add up to 1 on each side."""
    first, second = _orders(sides, above)
    ends = np.cumsum(shares[0][first]), np.cumsum(shares[1][second])
    edges = np.sort(np.concatenate([[0.0], *ends]))
    middles = (edges[1:] + edges[:-1]) / 2
    at = [np.minimum(np.searchsorted(end, middles), len(end) - 1) for end in ends]
    return float(np.diff(edges) @ np.maximum(sides[0][first][at[0]], sides[1][second][at[1]]))


def prices(sides: Two, shares: Two, *, above: bool) -> Two:
    """Numbers for the values of both sides: those of any two add up to no less than the larger one
    (`above`), or to no more; and those of all, with these shares, to its mean."""
    order = _orders(sides, above)
    built = np.zeros(len(sides[0])), np.zeros(len(sides[1]))
    at, rest = [0, 0], [float(shares[k][order[k][0]]) for k in (0, 1)]

    def step(side: int) -> None:
        mine, other = order[side][at[side]], order[1 - side][at[1 - side]]
        larger = max(sides[side][mine], sides[1 - side][other])
        built[side][mine] = larger - built[1 - side][other]

    step(1)
    while True:
        left = [at[k] + 1 < len(order[k]) for k in (0, 1)]
        if not any(left):
            return built
        side = int(not (left[0] and (rest[0] <= rest[1] or not left[1])))
        rest[1 - side] -= rest[side]
        at[side] += 1
        rest[side] = float(shares[side][order[side][at[side]]])
        step(side)


def _orders(sides: Two, above: bool) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    first, second = (np.argsort(side, kind="stable") for side in sides)
    return first, second[::-1] if above else second
