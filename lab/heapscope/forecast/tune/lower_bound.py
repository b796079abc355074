"""The linear programme that lies below a question: fractions of values are allowed in it, and
tangents stand for the costs. Its optimum is a bound that no choice goes below.

A cost is convex, so a tangent at any fractions holds for every choice. Where the optimum's own cost
is above what the tangents say, the tangent there is added, and the programme goes on from where it
was.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.base.extras import need as need_extra
from heapscope.forecast.tune.grid import Grid, Kept
from heapscope.forecast.tune.pairing import mean, prices
from heapscope.forecast.tune.quantity import Quantity
from heapscope.forecast.tune.space import Array, Larger, LinearRow

need_extra("tune", "tune")
import highspy  # noqa: E402 - the line before says what to install

_ROUNDS = 40  # of tangents: a bound is a bound after any number of them
_HANDED_ON = 20  # tangents of a quantity; more rows take longer than they save
_BELOW = 1e-6  # of a cost's scale: a tangent that says less is of no use
_SETTINGS: Mapping[str, bool | int | str] = {
    "output_flag": False,
    "threads": 1,
    "presolve": "off",
    "solver": "simplex",
    "simplex_dual_edge_weight_strategy": 1,  # Devex
}
_FREE = 1e4  # stands for no bound of the number that is minimised


@dataclass(frozen=True, kw_only=True)
class Limit:
    """cost <= high + share * t, with t the number that is minimised."""

    quantity: Quantity
    high: float
    share: float = 0.0


@dataclass(frozen=True, kw_only=True)
class BoundPoint:
    """An optimum: its height, the columns, and by how much each column would raise it at least."""

    height: float
    columns: Array
    reduced: Array


class LowerBound:
    """The programme of one question. `weights`: what is minimised besides t. `latest`: the last
    tangent that a cost got: near to it, it says nearly as much as the cost."""

    def __init__(
        self,
        grid: Grid,
        limits: Sequence[Limit],
        weights: Mapping[str, Mapping[Hashable, float]],
        rows: Sequence[LinearRow],
        tangents: dict[Quantity, list[tuple[Array, float]]],
    ) -> None:
        self._grid = grid
        self._limits = limits
        self._tangents = tangents
        self.latest: dict[Quantity, tuple[Array, float]] = {}
        self._solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, setting in _SETTINGS.items():
            self._solver.setOptionValue(name, setting)
        space = grid.space
        goal = np.append(np.zeros(space.width), 1.0)
        for name, each in weights.items():
            knob = space.knob(name)
            goal[space.columns(knob)] = [each[value] for value in knob.values]
        self._solver.passModel(self._programme(goal, rows))
        for limit in limits:
            for row, constant in tangents.setdefault(limit.quantity, []):
                self._add(limit, row, constant)

    def solve(self, kept: Kept, enough: float) -> BoundPoint | None:
        """With these values of the knobs alone; None: there is no such point, or none is below
        `enough`."""
        space = self._grid.space
        wanted = np.concatenate([kept[knob.name] for knob in space.knobs]).astype(float)
        at = np.arange(len(wanted), dtype=np.int32)
        self._solver.changeColsBounds(len(at), at, np.zeros(len(at)), wanted)
        for _ in range(_ROUNDS):
            self._solver.run()
            status = self._solver.getModelStatus()
            if status == highspy.HighsModelStatus.kInfeasible:
                return None
            if status != highspy.HighsModelStatus.kOptimal:
                raise RuntimeError(f"the solver stopped: {status}")
            height = self._solver.getInfo().objective_function_value
            if height >= enough:
                return None
            result = self._solver.getSolution()
            columns = np.asarray(result.col_value)
            if not self._cut(columns):
                break
        return BoundPoint(
            height=height,
            columns=columns[: len(at)],
            reduced=np.asarray(result.col_dual)[: len(at)],
        )

    def _cut(self, columns: Array) -> bool:
        """Add the rows that the columns show to be missing; False: none is."""
        space, missing = self._grid.space, False
        for limit in self._limits:
            quantity, scale = limit.quantity, limit.quantity.scale
            value, row, base = self._grid.tangent(quantity, columns[:-1])
            if value > limit.high + limit.share * columns[-1] + _BELOW * scale:
                self.latest[quantity] = row, base
                if len(self._tangents[quantity]) < _HANDED_ON:
                    self._tangents[quantity].append((row, base))
                for other in self._limits:
                    if other.quantity is quantity:
                        self._add(other, row, base)
                missing = True
        for one in space.larger:
            missing |= self._bound(one, columns)
        return missing

    def _bound(self, one: Larger, columns: Array) -> bool:
        """Add what the columns show to be missing of a larger term's bounds."""
        space, missing = self._grid.space, False
        places = [list(space.columns(space.knob(name))) for name in one.knobs]
        shares, sides = (columns[places[0]], columns[places[1]]), space.sides(one)
        at = space.larger_column(one.name)
        for above in (True, False):
            bound = mean(sides, shares, above=above)
            off = columns[at] - bound if above else bound - columns[at]
            if off > _BELOW * max(1.0, abs(bound)):
                first, second = prices(sides, shares, above=above)
                used = np.array([at, *places[0], *places[1]], dtype=np.int32)
                row = np.concatenate([[1.0], -first, -second])
                least, most = (-np.inf, 0.0) if above else (0.0, np.inf)
                self._solver.addRow(least, most, len(used), used, row)
                missing = True
        return missing

    def _add(self, limit: Limit, row: Array, constant: float) -> None:
        scale = limit.quantity.scale
        built = np.append(row, -limit.share) / scale
        (used,) = np.nonzero(built)
        high = (limit.high - constant) / scale
        self._solver.addRow(-np.inf, high, len(used), used.astype(np.int32), built[used])

    def _programme(self, goal: Array, rows: Sequence[LinearRow]) -> highspy.HighsLp:
        least, most = (
            np.append(each, edge)
            for each, edge in zip(self._grid.space.bounds(), (-_FREE, _FREE), strict=True)
        )
        if not any(limit.share for limit in self._limits):
            least[-1] = most[-1] = 0.0
        elif not any(limit.share and not limit.high for limit in self._limits):
            least[-1] = 0.0  # limits are relaxed, never tightened
        program = highspy.HighsLp()
        program.num_col_ = len(goal)
        program.col_cost_, program.col_lower_, program.col_upper_ = (
            goal,
            least,
            most,
        )
        program.num_row_ = len(rows)
        program.row_lower_ = np.array([row.low for row in rows])
        program.row_upper_ = np.array([row.high for row in rows])
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        lengths = [len(row.columns) for row in rows]
        matrix.start_ = np.cumsum([0, *lengths], dtype=np.int32)
        matrix.index_ = np.array([at for row in rows for at in row.columns], dtype=np.int32)
        matrix.value_ = np.array([each for row in rows for each in row.columns.values()])
        return program
