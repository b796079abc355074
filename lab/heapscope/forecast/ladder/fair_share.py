"""The difference of a figure, divided among the changes that make it together.

The rule is Shapley's: a change gets what it adds on average over all orders in which the changes
could be made. The shares add up to the whole difference, changes that act alike get the same, and
going back gives the same shares with the other sign. Where too many changes meet in one figure, the
average is over two orders, one the reverse of the other: it keeps the first and the last of these.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import combinations
from math import factorial

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: Changes of one figure that are tried in all orders.
MOST = 7


def fair_shares(
    changes: Sequence[str], figure: Callable[[frozenset[str]], Array]
) -> dict[str, Array]:
    """`figure`: its value after some of the changes; the shares sum up to the figure after all of
    them, less that after none."""
    if len(changes) > MOST:
        return _of_two_orders(changes, figure)
    count = len(changes)
    nothing = np.zeros_like(figure(frozenset()))
    shares = {change: nothing.copy() for change in changes}
    for size in range(count):
        weight = factorial(size) * factorial(count - size - 1) / factorial(count)
        for built in combinations(changes, size):
            before = frozenset(built)
            for change in changes:
                if change not in before:
                    shares[change] += weight * (figure(before | {change}) - figure(before))
    return shares


def _of_two_orders(
    changes: Sequence[str], figure: Callable[[frozenset[str]], Array]
) -> dict[str, Array]:
    shares = {change: np.zeros_like(figure(frozenset())) for change in changes}
    for order in (changes, changes[::-1]):
        before: frozenset[str] = frozenset()
        for change in order:
            after = before | {change}
            shares[change] += (figure(after) - figure(before)) / 2
            before = after
    return shares
