"""The cost of a configuration, less of which is better: a convex function of sums over the knobs.

The sums are linear in the one-hot columns. A convex function lies above all its tangents, so that a
tangent is a row that cuts off no configuration; where the function is linear, one says all.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass, field

import numpy as np

from heapscope.forecast.tune.space import Array, Choice, Larger, Space

#: The value at some sums, and what works out its gradient there; for a row of sums or for many.
Cost = Callable[[Array], tuple[Array, Callable[[], Array]]]


@dataclass(frozen=True, kw_only=True, eq=False)
class Quantity:
    """`parts`: what each value of a knob adds to the sums; `larger`: what one of Larger's adds for
    each unit. `scale`: a typical cost, for the solver's rows."""

    name: str
    constant: Array
    parts: Mapping[str, Mapping[Hashable, Array]]
    cost: Cost = field(repr=False)
    larger: Mapping[str, Array] = field(default_factory=dict)
    scale: float = 1.0

    def sums(self, choice: Choice, larger: Mapping[str, float]) -> Array:
        total = self.constant.copy()
        for knob, parts in self.parts.items():
            total += parts[choice[knob]]
        for name, part in self.larger.items():
            total += part * larger[name]
        return total

    def value(self, choice: Choice, space: Space) -> float:
        return float(self.cost(self.sums(choice, _larger(space)(choice)))[0])


def _larger(space: Space) -> Callable[[Choice], dict[str, float]]:
    each: tuple[Larger, ...] = space.larger
    return lambda choice: {one.name: one.value(choice) for one in each}


def linear(weights: Array) -> Cost:
    """The sums times weights."""
    return lambda sums: (sums @ weights, lambda: np.broadcast_to(weights, sums.shape))


def band_above(weights: Array, covariance: Array, error: float, z: float) -> Cost:
    """A sum whose weights are known but for their covariance: its mean and the upper half of its
    band, hypot(z times its width, error). Convex, as a norm is."""

    def cost(sums: Array) -> tuple[Array, Callable[[], Array]]:
        mean = sums @ weights
        if not z:
            return mean + error, lambda: np.broadcast_to(weights, sums.shape)
        spread = sums @ covariance
        half = np.sqrt(z * z * (sums * spread).sum(axis=-1) + error**2)
        return mean + half, lambda: weights + (z * z / half)[..., None] * spread

    return cost


def time_above(weights: Array, covariance: Array, error: float, z: float) -> Cost:
    """A time that is a sum, with its band told of its logarithm: y exp(hypot(z r, error)), with y
    the mean and r the width of what the weights say, as a share of it. It is the perspective of a
    convex function of the sums, and so convex."""

    def cost(sums: Array) -> tuple[Array, Callable[[], Array]]:
        mean = sums @ weights
        if not z:
            factor = float(np.exp(error))
            return mean * factor, lambda: np.broadcast_to(weights * factor, sums.shape)
        spread = sums @ covariance
        share = (sums * spread).sum(axis=-1) / mean**2
        half = np.sqrt(z * z * share + error**2)
        value = mean * np.exp(half)

        def gradient() -> Array:
            slope = (z * z / half)[..., None] * (
                spread / mean[..., None] ** 2 - (share / mean)[..., None] * weights
            )
            return np.asarray(value[..., None] * (weights / mean[..., None] + slope))

        return value, gradient

    return cost


def not_below(processor: Cost, sharpness: float) -> Cost:
    """A time of the processor, and the last of the sums, a time of the air behind it: a norm of
    both, which is above either one. A norm of convex functions is convex."""

    def cost(sums: Array) -> tuple[Array, Callable[[], Array]]:
        time, of_processor = processor(sums)
        air = sums[..., -1]
        longer, shorter = np.maximum(time, air), np.minimum(time, air)
        value = longer * (1 + (shorter / longer) ** sharpness) ** (1 / sharpness)

        def gradient() -> Array:
            slope = of_processor() * ((time / value) ** (sharpness - 1))[..., None]
            slope[..., -1] += (air / value) ** (sharpness - 1)
            return slope

        return value, gradient

    return cost


def added(name: str, quantities: Mapping[Quantity, float]) -> Quantity:
    """Several costs, each times a positive weight, as one."""
    each = list(quantities.items())
    sizes = [len(quantity.constant) for quantity, _ in each]
    ends = np.cumsum([0, *sizes])

    def spread(position: int, part: Array) -> Array:
        built = np.zeros(int(ends[-1]))
        built[ends[position] : ends[position + 1]] = part
        return built

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

    def cost(sums: Array) -> tuple[Array, Callable[[], Array]]:
        costs = [
            quantity.cost(sums[..., ends[position] : ends[position + 1]])
            for position, (quantity, _) in enumerate(each)
        ]
        total = np.zeros(sums.shape[:-1])
        for (value, _), (_, weight) in zip(costs, each, strict=True):
            total = total + weight * value

        def gradient() -> Array:
            slopes = zip(costs, each, strict=True)
            return np.concatenate([weight * of() for (_, of), (_, weight) in slopes], axis=-1)

        return total, gradient

    return Quantity(
        name=name,
        constant=np.concatenate([quantity.constant for quantity, _ in each]),
        parts=parts,
        cost=cost,
        larger=larger,
        scale=sum(weight * quantity.scale for quantity, weight in each),
    )
