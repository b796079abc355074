"""The mixed-integer programme over a space, and tangents until it agrees with the true costs.

A programme with some tangents in place of the costs allows too much: its optimum is a bound that no
configuration beats. The costs of the configuration that it finds are worked out; where they are
above what the tangents said, the tangents there are added and it is solved again. When nothing is
above, the configuration found reaches the bound: it is optimal. There are finitely many
configurations, and none comes twice, so that this ends.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import csr_array

from heapscope.tune.quantity import Quantity
from heapscope.tune.space import Array, Choice, LinearRow, Space

_EXACT = 1e-9  # of a cost's scale: what counts as above a limit
_SURE = 1e-6  # of a cost's scale: the solver's own tolerance, within which optima are equal
_ROUNDS = 400
_INFEASIBLE = 2  # milp's status


@dataclass(frozen=True, kw_only=True)
class Limit:
    """cost <= high + share * t, with t the number that is minimised."""

    quantity: Quantity
    high: float
    share: float = 0.0


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
    solved: int = 0
    #: Choices that the judge has stopped.
    refused: int = 0
    _tangents: dict[Quantity, dict[tuple[Hashable, ...], tuple[Array, float]]] = field(
        default_factory=dict, repr=False
    )
    _fixed: list[LinearRow] = field(default_factory=list, repr=False)

    def __post_init__(self) -> None:
        self._fixed = list(self.space.rows())

    def fork(self) -> Search:
        """One that knows what this one knows; what either then learns the other does not."""
        known = {quantity: dict(each) for quantity, each in self._tangents.items()}
        made = Search(self.space, judge=self.judge, _tangents=known)
        made._fixed = list(self._fixed)
        return made

    def least(
        self, goal: Quantity, limits: Mapping[Quantity, float], *, held: Choice | None = None
    ) -> Solution | None:
        """The choice of least cost under limits of other costs; None: there is no choice."""
        bounds = [Limit(quantity=quantity, high=high) for quantity, high in limits.items()]
        target = Limit(quantity=goal, high=0.0, share=goal.scale)
        found = self._solve([*bounds, target], held=held)
        if found is None:
            return None
        return Solution(
            choice=found.choice,
            value=goal.value(found.choice, self.space),
            bound=found.bound * goal.scale,
            solved=found.solved,
        )

    def touch(self, *quantities: Quantity, at: Choice) -> None:
        """Tangents there, before anything is asked: an answer near to it takes fewer programmes.
        Nothing is done where the choice has a value that is not searched."""
        if not all(at[knob.name] in knob.values for knob in self.space.knobs):
            return
        key = tuple(at[knob.name] for knob in self.space.knobs)
        for quantity in quantities:
            known = self._tangents.setdefault(quantity, {})
            if key not in known:
                known[key] = quantity.tangent(at, self.space)

    def lightest(
        self,
        weights: Mapping[str, Mapping[Hashable, float]],
        limits: Mapping[Quantity, float],
        *,
        held: Choice | None = None,
    ) -> Solution | None:
        """The choice of least weight, a sum over the knobs, under limits."""
        bounds = [Limit(quantity=quantity, high=high) for quantity, high in limits.items()]
        return self._solve(bounds, weights=weights, held=held)

    def relaxed(
        self, limits: Mapping[Quantity, float], shares: Mapping[Quantity, float]
    ) -> Solution | None:
        """The least t with which every limit, moved by t times its share, can be kept."""
        bounds = [
            Limit(quantity=quantity, high=high, share=shares[quantity])
            for quantity, high in limits.items()
        ]
        return self._solve(bounds)

    def _solve(
        self,
        limits: Sequence[Limit],
        *,
        weights: Mapping[str, Mapping[Hashable, float]] | None = None,
        held: Choice | None = None,
    ) -> Solution | None:
        space = self.space
        goal = np.zeros(space.width + 1)
        goal[-1] = 1.0
        for name, each in (weights or {}).items():
            knob = space.knob(name)
            goal[space.columns(knob)] = [each[value] for value in knob.values]
        before = self.solved
        here: list[LinearRow] = []
        for _ in range(_ROUNDS):
            columns, bound = self._programme(goal, limits, held or {}, here)
            if columns is None:
                return None
            choice = space.choice(columns)
            if not self._cut(choice, columns, limits, here):
                t = self._height(choice, limits)
                return Solution(
                    choice=choice,
                    value=t + sum(each[choice[knob]] for knob, each in (weights or {}).items()),
                    bound=bound,
                    solved=self.solved - before,
                )
        raise RuntimeError(f"no agreement after {_ROUNDS} programmes")

    def _programme(
        self, goal: Array, limits: Sequence[Limit], held: Choice, here: Sequence[LinearRow]
    ) -> tuple[Array | None, float]:
        space = self.space
        matrix, low, high = self._matrix(limits, here)
        least, most = (
            np.append(each, edge) for each, edge in zip(space.bounds(), (-1e9, 1e9), strict=True)
        )
        if not any(limit.share for limit in limits):
            least[-1] = most[-1] = 0.0
        elif not any(limit.share and not limit.high for limit in limits):
            least[-1] = 0.0  # limits are relaxed, never tightened
        for name, value in held.items():
            knob = space.knob(name)
            most[space.columns(knob)] = 0.0
            most[space.column(knob, value)] = 1.0
        self.solved += 1
        rows = LinearConstraint(matrix, low, high)
        for presolve in (True, False):  # which has come to a wrong end where the solver has not
            result = milp(
                goal,
                integrality=np.append(space.whole(), 0),
                bounds=Bounds(least, most),
                constraints=rows,
                options={"mip_rel_gap": 0.0, "presolve": presolve},
            )
            if result.status == _INFEASIBLE:
                return None, np.inf
            if result.success and result.x is not None:
                return np.asarray(result.x[:-1]), float(result.fun)
        raise RuntimeError(f"the solver stopped: {result.message}")

    def _matrix(
        self, limits: Sequence[Limit], here: Sequence[LinearRow]
    ) -> tuple[csr_array, Array, Array]:
        made = [(row.columns, row.low, row.high) for row in (*self._fixed, *here)]
        for limit in limits:
            scale = limit.quantity.scale
            for tangent, constant in self._tangents.get(limit.quantity, {}).values():
                (used,) = np.nonzero(tangent)
                columns = {int(at): float(tangent[at]) / scale for at in used}
                columns[self.space.width] = -limit.share / scale
                made.append((columns, -np.inf, (limit.high - constant) / scale))
        lengths = [len(columns) for columns, _, _ in made]
        data = np.array([value for columns, _, _ in made for value in columns.values()])
        at = np.array([column for columns, _, _ in made for column in columns])
        matrix = csr_array(
            (data, at, np.cumsum([0, *lengths])), shape=(len(made), self.space.width + 1)
        )
        return (
            matrix,
            np.array([low for _, low, _ in made]),
            np.array([high for _, _, high in made]),
        )

    def _cut(
        self,
        choice: dict[str, Hashable],
        columns: Array,
        limits: Sequence[Limit],
        here: list[LinearRow],
    ) -> bool:
        """Add what this choice shows to be missing; False: nothing is. `here`: rows that hold for
        these limits alone."""
        broken = self.space.broken(choice)
        for rule in broken:
            self._fixed.append(self.space.without(choice, rule.knobs))
        missing = bool(broken)
        key = tuple(choice[knob.name] for knob in self.space.knobs)
        refused = False
        for limit in limits:
            known = self._tangents.setdefault(limit.quantity, {})
            value = limit.quantity.value(choice, self.space)
            if limit.share:
                said = max(
                    (float(row @ columns) + constant for row, constant in known.values()),
                    default=-np.inf,
                )
                high = said + _SURE * limit.quantity.scale
            else:
                high = limit.high + _EXACT * limit.quantity.scale
            if value <= high:
                continue
            if key not in known:
                known[key] = limit.quantity.tangent(choice, self.space)
                missing = True
            elif not limit.share:
                refused = True  # above the limit, but within the solver's tolerance of it
        if not missing and not refused and self.judge is not None and not self.judge(choice):
            self.refused += 1
            refused = True
        if not missing and refused:
            here.append(self.space.without(choice, [knob.name for knob in self.space.knobs]))
            return True
        return missing

    def _height(self, choice: Choice, limits: Sequence[Limit]) -> float:
        """The least t at which the choice keeps its limits."""
        heights = [
            (limit.quantity.value(choice, self.space) - limit.high) / limit.share
            for limit in limits
            if limit.share
        ]
        return max(heights, default=0.0)
