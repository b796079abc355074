"""Some values of each knob, and the costs of every choice of them at once."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from dataclasses import dataclass, field
from math import prod

import numpy as np
from numpy.typing import NDArray

from heapscope.forecast.tune.quantity import Quantity
from heapscope.forecast.tune.space import Array, Space

#: Which values of each knob are kept, by the knob's name.
Kept = dict[str, NDArray[np.bool_]]
#: For every choice, the place of its value among those of a knob.
Places = dict[str, NDArray[np.intp]]


def size(kept: Kept) -> int:
    return prod(int(np.count_nonzero(each)) for each in kept.values())


@dataclass(frozen=True, kw_only=True, eq=False)
class Grid:
    """A space as arrays, for any quantity."""

    space: Space
    _known: dict[Quantity, Array] = field(default_factory=dict, repr=False)

    def columns(self, quantity: Quantity) -> Array:
        """The amounts that each column of the space adds to the sums of a quantity."""
        if quantity not in self._known:
            built = np.zeros((self.space.width, len(quantity.constant)))
            for name, parts in quantity.parts.items():
                knob = self.space.knob(name)
                built[self.space.columns(knob)] = [parts[value] for value in knob.values]
            for name, part in quantity.larger.items():
                built[self.space.larger_column(name)] = part
            self._known[quantity] = built
        return self._known[quantity]

    def tangent(self, quantity: Quantity, at: Array) -> tuple[float, Array, float]:
        """The cost at some columns, fractions too; and coefficients and a constant that make no
        more than the cost anywhere, and as much there."""
        each = self.columns(quantity)
        sums = quantity.constant + at @ each
        value, gradient = quantity.cost(sums)
        slope = gradient()
        return float(value), each @ slope, float(value + slope @ (quantity.constant - sums))

    def places(self, kept: Kept) -> Places:
        """All choices that no rule between one or two knobs forbids."""
        names = list(kept)
        every = np.meshgrid(*(np.flatnonzero(kept[name]) for name in names), indexing="ij")
        at = {name: each.ravel() for name, each in zip(names, every, strict=True)}
        sound = np.ones(len(next(iter(at.values()))), dtype=bool)
        for knobs, table in self.space.tables:
            sound &= table[tuple(at[name] for name in knobs)]
        return {name: each[sound] for name, each in at.items()}

    def costs(self, quantity: Quantity, at: Places) -> Array:
        columns = self.columns(quantity)
        sums = np.tile(quantity.constant, (len(next(iter(at.values()))), 1))
        for name in quantity.parts:
            sums += columns[self.space.columns(self.space.knob(name))][at[name]]
        for one in self.space.larger:
            if one.name in quantity.larger:
                first, second = self.space.sides(one)
                larger = np.maximum(first[at[one.knobs[0]]], second[at[one.knobs[1]]])
                sums += np.outer(larger, quantity.larger[one.name])
        return np.asarray(quantity.cost(sums)[0])

    def line(self, quantity: Quantity, row: Array, constant: float, at: Places) -> Array:
        """A tangent's figure for each choice: no more than its cost."""
        total = np.full(len(next(iter(at.values()))), constant)
        for name in quantity.parts:
            total += row[self.space.columns(self.space.knob(name))][at[name]]
        for one in self.space.larger:
            if one.name in quantity.larger:
                first, second = self.space.sides(one)
                larger = np.maximum(first[at[one.knobs[0]]], second[at[one.knobs[1]]])
                total += larger * row[self.space.larger_column(one.name)]
        return total

    def weight(self, weights: Mapping[str, Mapping[Hashable, float]], at: Places) -> Array:
        """A sum over the knobs."""
        total = np.zeros(len(next(iter(at.values()))))
        for name, each in weights.items():
            total += np.array([each[value] for value in self.space.knob(name).values])[at[name]]
        return total

    def choice(self, at: Places, number: int) -> dict[str, Hashable]:
        return {knob.name: knob.values[int(at[knob.name][number])] for knob in self.space.knobs}
