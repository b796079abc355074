"""The cost of a configuration, less of which is better: a convex function of sums over the knobs.

The sums are linear in the one-hot columns. A convex function lies above all its tangents, so that a
tangent is a row that cuts off no configuration; where the function is linear, one says all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np

from heapscope.tune.space import Array, Choice, Larger, Space

#: The value at some sums, and its gradient.
Cost = Callable[[Array], tuple[float, Array]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Quantity:
    """`parts`: what each value of a knob adds to the sums; `larger`: what one of Larger's adds for
    each unit. `scale`: a typical cost, for the solver's rows. `rising`: sums of which more never
    costs less, wherever a choice can be; None: nothing is known."""

    name: str
    constant: Array
    parts: Mapping[str, Mapping[Hashable, Array]]
    cost: Cost = field(repr=False)
    larger: Mapping[str, Array] = field(default_factory=dict)
    scale: float = 1.0
    rising: Array | None = None

    def sums(self, choice: Choice, larger: Mapping[str, float]) -> Array:
        total = self.constant.copy()
        for knob, parts in self.parts.items():
            total += parts[choice[knob]]
        for name, part in self.larger.items():
            total += part * larger[name]
        return total

    def value(self, choice: Choice, space: Space) -> float:
        return self.cost(self.sums(choice, _larger(space)(choice)))[0]

    def tangent(self, choice: Choice, space: Space) -> tuple[Array, float]:
        """Coefficients of the columns and a constant: at most the cost, equal at this choice."""
        at = self.sums(choice, _larger(space)(choice))
        value, gradient = self.cost(at)
        row = np.zeros(space.width)
        for name, parts in self.parts.items():
            knob = space.knob(name)
            for column, each in zip(space.columns(knob), knob.values, strict=True):
                row[column] += gradient @ parts[each]
        for name, part in self.larger.items():
            row[space.larger_column(name)] += gradient @ part
        return row, float(value + gradient @ (self.constant - at))


def _larger(space: Space) -> Callable[[Choice], dict[str, float]]:
    each: tuple[Larger, ...] = space.larger
    return lambda choice: {one.name: one.value(choice) for one in each}


def linear(weights: Array) -> Cost:
    """The sums times weights."""
    return lambda sums: (float(weights @ sums), weights)


def band_above(weights: Array, covariance: Array, error: float, z: float) -> Cost:
    """A sum whose weights are known but for their covariance: its mean and the upper half of its
    band, hypot(z times its width, error). Convex, as a norm is."""

    def cost(sums: Array) -> tuple[float, Array]:
        mean = float(weights @ sums)
        if not z:
            return mean + error, weights
        spread = covariance @ sums
        half = float(np.sqrt(z * z * (sums @ spread) + error**2))
        return mean + half, weights + (z * z / half) * spread

    return cost


def time_above(weights: Array, covariance: Array, error: float, z: float) -> Cost:
    """A time that is a sum, with its band told of its logarithm: y exp(hypot(z r, error)), with y
    the mean and r the width of what the weights say, as a share of it. It is the perspective of a
    convex function of the sums, and so convex."""

    def cost(sums: Array) -> tuple[float, Array]:
        mean = float(weights @ sums)
        if not z:
            factor = float(np.exp(error))
            return mean * factor, weights * factor
        spread = covariance @ sums
        share = float(sums @ spread) / mean**2
        half = float(np.sqrt(z * z * share + error**2))
        value = mean * float(np.exp(half))
        slope = (z * z / half) * (spread / mean**2 - (share / mean) * weights)
        return value, value * (weights / mean + slope)

    return cost


def added(name: str, quantities: Mapping[Quantity, float]) -> Quantity:
    """Several costs, each times a positive weight, as one."""
    each = list(quantities.items())
    sizes = [len(quantity.constant) for quantity, _ in each]
    ends = np.cumsum([0, *sizes])

    def spread(position: int, part: Array) -> Array:
        made = np.zeros(int(ends[-1]))
        made[ends[position] : ends[position + 1]] = part
        return made

    parts: dict[str, dict[Hashable, Array]] = {}
    larger: dict[str, Array] = {}
    nothing = np.zeros(int(ends[-1]))
    for position, (quantity, _) in enumerate(each):
        for knob, values in quantity.parts.items():
            mine = parts.setdefault(knob, {})
            for value, part in values.items():
                mine[value] = mine.get(value, nothing) + spread(position, part)
        for other, part in quantity.larger.items():
            larger[other] = larger.get(other, nothing) + spread(position, part)

    def cost(sums: Array) -> tuple[float, Array]:
        total, gradient = 0.0, nothing.copy()
        for position, (quantity, weight) in enumerate(each):
            here = slice(ends[position], ends[position + 1])
            value, slope = quantity.cost(sums[here])
            total += weight * value
            gradient[here] = weight * slope
        return total, gradient

    return Quantity(
        name=name,
        constant=np.concatenate([quantity.constant for quantity, _ in each]),
        parts=parts,
        cost=cost,
        larger=larger,
        scale=sum(weight * quantity.scale for quantity, weight in each),
        rising=np.concatenate([_rising(quantity) for quantity, _ in each]),
    )


def _rising(quantity: Quantity) -> Array:
    return np.zeros(len(quantity.constant)) if quantity.rising is None else quantity.rising


def rising_times(
    weights: Array, covariance: Array, error: float, z: float, *, widest: float
) -> Array:
    """For time_above: 1 for each sum of which more never costs less, where the width is at most
    `widest` of the mean. Apart from a factor above 0, the cost's slope is

        w (1 - c z r) + c z u,   with r the width's share, c = z r / hypot(z r, error)

    and u at least minus the weight's own width, by Cauchy and Schwarz."""
    if not z:
        return np.where(weights >= 0, 1.0, 0.0)
    share = z * widest / float(np.hypot(z * widest, error))
    own = np.sqrt(np.diag(covariance))
    return np.where(weights * (1 - share * z * widest) >= share * z * own, 1.0, 0.0)


def widest_share(
    space: Space,
    constant: Array,
    parts: Mapping[str, Mapping[Hashable, Array]],
    larger: Mapping[str, Array],
    weights: Array,
    covariance: Array,
) -> float:
    """No choice's width is a larger share of its mean; the sums are never below 0. The width is at
    most the sum of its parts'; a ratio of sums over the knobs is greatest where, with that ratio
    as the price of the mean, each knob for itself is."""
    own = np.sqrt(np.diag(covariance))
    options = [
        [(float(own @ part), float(weights @ part)) for part in each.values()]
        for each in parts.values()
    ]
    for one in space.larger:
        if one.name in larger:
            part = larger[one.name]
            ends = [value for side in one.of for value in side.values()]
            options.append(
                [(float(own @ part) * e, float(weights @ part) * e) for e in (min(ends), max(ends))]
            )
    start = float(own @ constant), float(weights @ constant)
    price = 0.0
    while True:
        best = [max(each, key=lambda one: one[0] - price * one[1]) for each in options]
        width = start[0] + sum(one[0] for one in best)
        ratio = width / (start[1] + sum(one[1] for one in best))
        if ratio <= price * (1 + 1e-9):
            return ratio
        price = ratio
