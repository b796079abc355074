"""The exact optimum over a space, by bounds.

A linear programme gives a bound for some values of each knob (lower_bound.py). It tells for every
value, too, how far up the bound goes if that value is taken: a value with which no choice can be
better than the best one known is left out. When few values are left, every choice of them is worked
out by the true costs (grid.py); until then the values of one knob are split in two. A part whose
bound is no better than the best choice ends there, so that in the end nothing better is left.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations, count, cycle

import numpy as np

from heapscope.forecast.tune.grid import Grid, Kept, size
from heapscope.forecast.tune.lower_bound import BoundPoint, Limit, LowerBound
from heapscope.forecast.tune.quantity import Quantity
from heapscope.forecast.tune.space import Array, Choice, Knob, Space

#: A share of a cost's scale: within it optima are equal.
SURE = 1e-6
_EXACT = 1e-9  # of a cost's scale: what counts as above a limit
_EVERY = 10_000  # combinations evaluated per batch
_FEW = 100  # choices near to an optimum of the linear programme that are tried


@dataclass(frozen=True, kw_only=True)
class Solution:
    """`bound`: what no choice goes below; `value`: that of the choice. `solved`: programmes."""

    choice: dict[str, Hashable]
    value: float
    bound: float
    solved: int


@dataclass(eq=False)
class Search:
    """One space with the tangents found so far: they hold for every later question."""

    space: Space
    #: Stops a choice that is good by the costs: a replay that disagrees. None: nothing to say.
    judge: Callable[[Choice], bool] | None = None
    #: Linear programmes, in all.
    solved: int = 0
    #: Choices that the judge has stopped.
    refused: int = 0
    _grid: Grid = field(init=False, repr=False)
    _tangents: dict[Quantity, list[tuple[Array, float]]] = field(default_factory=dict, repr=False)

    def __post_init__(self) -> None:
        self._grid = Grid(space=self.space)

    def least(
        self,
        goal: Quantity,
        limits: Mapping[Quantity, float],
        *,
        held: Choice | None = None,
        known: Choice | None = None,
        near: float = SURE,
    ) -> Solution | None:
        """The choice of least cost under limits of other costs; None: there is no choice.
        `known`: a good one to begin with; `near`: the share of a cost's scale by which it may be
        above the least."""
        target = Limit(quantity=goal, high=0.0, share=goal.scale)
        result = self._solve([*_bounds(limits), target], held=held, known=known, near=near)
        if result is None:
            return None
        return Solution(
            choice=result.choice,
            value=goal.value(result.choice, self.space),
            bound=result.bound * goal.scale,
            solved=result.solved,
        )

    def lightest(
        self,
        weights: Mapping[str, Mapping[Hashable, float]],
        limits: Mapping[Quantity, float],
        *,
        held: Choice | None = None,
        known: Choice | None = None,
    ) -> Solution | None:
        """The choice of least weight, a sum over the knobs, under limits."""
        return self._solve(_bounds(limits), weights=weights, held=held, known=known)

    def relaxed(
        self, limits: Mapping[Quantity, float], shares: Mapping[Quantity, float]
    ) -> Solution | None:
        """The least t with which every limit, moved by t times its share, can be kept."""
        return self._solve(
            [
                Limit(quantity=quantity, high=high, share=shares[quantity])
                for quantity, high in limits.items()
            ]
        )

    def descended(
        self,
        choice: Choice,
        limits: Mapping[Quantity, float],
        second: Quantity,
        weights: Mapping[str, Mapping[Hashable, float]],
    ) -> dict[str, Hashable]:
        """From a choice to one with less of `second`, and among equals with less weight, under
        limits: until no change of two knobs leads further."""
        names = [knob.name for knob in self.space.knobs]
        best, known = dict(choice), _all(self.space, choice)
        pairs = list(combinations(names, 2))
        left = len(pairs)  # to look at, as long as none of them leads further
        for pair in cycle(pairs):
            if not left:
                break
            left -= 1
            kept = {**known, **{name: _all(self.space, {})[name] for name in pair}}
            at = self._grid.places(kept)
            for quantity, high in reversed(list(limits.items())):  # the last one leaves the fewest
                sound = self._grid.costs(quantity, at) <= high + _EXACT * quantity.scale
                at = {name: places[sound] for name, places in at.items()}
            costs = self._grid.costs(second, at) / second.scale
            heights = np.round(costs / SURE) + self._grid.weight(weights, at) * SURE
            for place in np.argsort(heights, kind="stable"):
                result = self._grid.choice(at, int(place))
                if result == best:
                    break
                if not self.space.broken(result) and (self.judge is None or self.judge(result)):
                    best, known, left = result, _all(self.space, result), len(pairs) - 1
                    break
        return best

    def _solve(
        self,
        limits: Sequence[Limit],
        *,
        weights: Mapping[str, Mapping[Hashable, float]] | None = None,
        held: Choice | None = None,
        known: Choice | None = None,
        near: float = SURE,
    ) -> Solution | None:
        space, before = self.space, self.solved
        programme = LowerBound(
            self._grid, limits, weights or {}, list(space.rows()), self._tangents
        )
        best = _Best()
        if known is not None:
            self._try(_all(space, known), limits, weights or {}, best, {})
        number = count()
        open_parts = [(-np.inf, next(number), _all(space, held or {}))]
        while open_parts:
            bound, _, kept = heapq.heappop(open_parts)
            if bound >= best.value - near:
                break
            if size(kept) <= _EVERY:
                self._try(kept, limits, weights or {}, best, programme.latest)
                continue
            self.solved += 1
            point = programme.solve(kept, best.value - near)
            if point is None:
                continue
            self._try(_near(space, kept, point), limits, weights or {}, best, programme.latest)
            kept = _left(space, kept, point, best.value - near)
            parts = [kept] if size(kept) <= _EVERY else _split(space, kept, point.columns)
            for part in parts:
                heapq.heappush(open_parts, (point.height, next(number), part))
        if best.choice is None:
            return None
        return Solution(
            choice=best.choice,
            value=best.value,
            bound=best.value - near,
            solved=self.solved - before,
        )

    def _try(
        self,
        kept: Kept,
        limits: Sequence[Limit],
        weights: Mapping[str, Mapping[Hashable, float]],
        best: _Best,
        tangents: Mapping[Quantity, tuple[Array, float]],
    ) -> None:
        """Every choice of these values, the best one first. The minimised cost comes first: few
        are left of it for the limits."""
        at = self._grid.places(kept)
        heights = self._grid.weight(weights, at)
        for limit in limits:  # a tangent leaves few whose costs have to be worked out
            if limit.quantity not in tangents:
                continue
            low = self._grid.line(limit.quantity, *tangents[limit.quantity], at)
            if limit.share:
                sound = heights + (low - limit.high) / limit.share < best.value - SURE
            else:
                sound = low <= limit.high + _EXACT * limit.quantity.scale
            at, heights = {name: each[sound] for name, each in at.items()}, heights[sound]
        moved = [limit for limit in limits if limit.share]
        if moved:
            over = np.full(len(heights), -np.inf)
            for limit in moved:
                costs = self._grid.costs(limit.quantity, at)
                over = np.maximum(over, (costs - limit.high) / limit.share)
            relaxes = all(limit.high for limit in moved)
            heights += np.maximum(over, 0.0) if relaxes else over
        (left,) = np.nonzero(heights < best.value - SURE)
        for limit in limits:
            if not limit.share and len(left):
                some = {name: each[left] for name, each in at.items()}
                costs = self._grid.costs(limit.quantity, some)
                left = left[costs <= limit.high + _EXACT * limit.quantity.scale]
        for place in left[np.argsort(heights[left], kind="stable")]:
            choice = self._grid.choice(at, int(place))
            if self.space.broken(choice):
                continue
            if self.judge is not None and not self.judge(choice):
                self.refused += 1
                continue
            best.value, best.choice = float(heights[place]), choice
            return


@dataclass
class _Best:
    value: float = np.inf
    choice: dict[str, Hashable] | None = None


def _bounds(limits: Mapping[Quantity, float]) -> list[Limit]:
    return [Limit(quantity=quantity, high=high) for quantity, high in limits.items()]


def _all(space: Space, held: Choice) -> Kept:
    return {
        knob.name: np.array([value == held.get(knob.name, value) for value in knob.values])
        for knob in space.knobs
    }


def _near(space: Space, kept: Kept, point: BoundPoint) -> Kept:
    """The values that an optimum of the linear programme has most of, and those beside them, as far
    as they are few."""
    shares = {knob.name: point.columns[space.columns(knob)] for knob in space.knobs}
    some = {name: each & (shares[name] >= shares[name].max()) for name, each in kept.items()}
    for least, beside in ((SURE, False), (SURE, True)):
        for name in sorted(some, key=lambda each: float(shares[each].max())):
            more = kept[name] & (shares[name] > least)
            if beside:
                (places,) = np.nonzero(kept[name])
                (mine,) = np.nonzero(some[name][places])
                close = np.clip([mine - 1, mine + 1], 0, len(places) - 1)
                more[places[close.ravel()]] = True
            wider = {**some, name: some[name] | more}
            if size(wider) <= _FEW:
                some = wider
    return some


def _left(space: Space, kept: Kept, point: BoundPoint, below: float) -> Kept:
    """Without the values with which nothing is below."""
    reached = point.height + np.maximum(point.reduced, 0.0)
    return {
        knob.name: kept[knob.name] & (reached[space.columns(knob)] < below) for knob in space.knobs
    }


def _split(space: Space, kept: Kept, columns: Array) -> list[Kept]:
    """The values of one knob in two parts, about where the optimum is: of the knob of whose values
    it mixes most."""

    def mixed(knob: Knob) -> tuple[float, int]:
        values = int(kept[knob.name].sum())
        return (1.0 - float(columns[space.columns(knob)].max()) if values > 1 else -1.0, values)

    knob = max(space.knobs, key=mixed)
    (places,) = np.nonzero(kept[knob.name])
    shares = columns[space.columns(knob)][places]
    middle = int(np.clip(np.searchsorted(np.cumsum(shares), 0.5), 0, len(places) - 2))
    low, high = np.zeros_like(kept[knob.name]), np.zeros_like(kept[knob.name])
    low[places[: middle + 1]] = True
    high[places[middle + 1 :]] = True
    return [{**kept, knob.name: low}, {**kept, knob.name: high}]
