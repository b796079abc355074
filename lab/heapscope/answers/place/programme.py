"""The mixed-integer programme: which classes go to which memory, so that the peak of what stays is
least (docs/design/place.md).

It is solved over a few moments. Where what stays is higher at another moment, that one is added
and it is solved again. Every such programme asks for less than the whole trace does, so its bound
holds for the trace.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from heapscope.answers.place.blocks import Array
from heapscope.answers.place.memories import PlaceTarget
from heapscope.answers.place.usage import Usage
from heapscope.base.extras import need as need_extra

need_extra("place", "place")
import highspy  # noqa: E402 - the line before says what to install

_GAP = 1e-4  # of the peak: nearer than that an optimum is not looked for
_ROUNDS = 30  # of added moments
_FIRST = 8  # moments at the beginning: the highest of so many parts of the trace
_ONE_SOLVE = 6.0  # seconds


@dataclass(frozen=True, kw_only=True, eq=False)
class Assignment:
    """`moved`: for each class and target whether its requests go there. `counts`: for each target
    the blocks of its pool, 0: not one. `stays`: bytes that stay at the worst moment, with those
    of the pools, as the model counts. `bound`: what no assignment goes below. `optimal`: the
    solver was not stopped."""

    moved: Array
    stays: float
    bound: float
    optimal: bool
    moments: int
    counts: tuple[int, ...]


@dataclass(kw_only=True, eq=False)
class Programme:
    """`budget`: bytes that may go to slow memory, each times its target's weight."""

    usage: Usage
    targets: Sequence[PlaceTarget]
    budget: float
    moments: list[int] = field(default_factory=list)  # that are looked at

    def solve(
        self, *, until: float, margin: float = 0.0, classes_most: int | None = None
    ) -> Assignment | None:
        """`until`: of time.monotonic(). `margin`: the part of each target that is left free.
        `classes_most`: that may be moved. None: the memories cannot hold what the trace needs."""
        if not self.moments:
            self.moments = self._first_moments()
        best: Assignment | None = None
        bound = 0.0
        for _ in range(_ROUNDS):
            left = until - time.monotonic()
            if best is not None and left <= 0:
                return _stopped(best, bound)
            result = self._solved(margin, classes_most, min(_ONE_SOLVE, max(left, 0.2)))
            if result is None:
                return best
            moved, lower, optimal = result
            bound = max(bound, lower)
            over = self.usage.over_time(self.usage.shares(moved))
            worst = int(np.argmax(over)) if len(over) else 0
            counts, fullest = self._pools(moved)
            stays = float(over[worst]) if len(over) else 0.0
            stays += sum(
                replace(target.pool, count=count).memory
                for target, count in zip(self.targets, counts, strict=True)
                if target.pool is not None
            )
            if best is None or stays < best.stays:
                best = Assignment(
                    moved=moved,
                    stays=stays,
                    bound=bound,
                    optimal=optimal,
                    moments=len(self.moments),
                    counts=counts,
                )
            more = {worst, *fullest}.difference(self.moments)
            if stays <= bound * (1 + 2 * _GAP) + 1 or not more:
                break
            self.moments += sorted(more)
        assert best is not None
        return Assignment(
            moved=best.moved,
            stays=best.stays,
            bound=bound,
            optimal=best.optimal,
            moments=len(self.moments),
            counts=best.counts,
        )

    def _pools(self, moved: Array) -> tuple[tuple[int, ...], set[int]]:
        """The most blocks that each target has at once, where it is a pool, and when."""
        counts, moments = [0] * len(self.targets), set()
        for place, target in enumerate(self.targets):
            chosen = self.usage.in_target(moved, place) if target.pool is not None else np.zeros(1)
            if chosen.any():
                held = self.usage.blocks_over_time(chosen)
                counts[place] = int(held.max())
                moments.add(int(np.argmax(held)))
        return tuple(counts), moments

    def _first_moments(self) -> list[int]:
        over = self.usage.over_time(np.ones(len(self.usage.units)))
        parts = np.array_split(np.arange(len(over)), min(_FIRST, max(1, len(over))))
        return sorted({int(part[np.argmax(over[part])]) for part in parts if len(part)})

    def _solved(
        self, margin: float, classes_most: int | None, seconds: float
    ) -> tuple[Array, float, bool] | None:
        model = _Model(self.usage, self.targets, self.moments)
        model.budget(self.budget)
        model.rooms(margin)
        if classes_most is not None:
            model.most(classes_most)
        return model.solve(seconds)


def _stopped(best: Assignment, bound: float) -> Assignment:
    return replace(best, bound=bound, optimal=False)


class _Model:
    """One programme. The columns: the peak, a class in a target, a resized unit in one, and for
    each pool how many blocks it has and whether it is made."""

    def __init__(
        self, usage: Usage, targets: Sequence[PlaceTarget], moments: Sequence[int]
    ) -> None:
        self._usage = usage
        self._targets = targets
        self._held = [usage.at(moment) for moment in moments]
        self._blocks = [usage.blocks_at(moment) for moment in moments]
        self._cost = [1.0]
        self._upper = [highspy.kHighsInf]
        self._integer = [False]
        self._rows: list[tuple[float, float, dict[int, float]]] = []
        self._class_columns = self._classes()
        self._unit_columns = self._units()
        self._pool_columns = dict(self._pools())
        for held in self._held:
            self._peak(held)

    def _column(self, *, integer: bool) -> int:
        self._cost.append(0.0)
        self._upper.append(1.0)
        self._integer.append(integer)
        return len(self._cost) - 1

    def _classes(self) -> dict[tuple[int, int], int]:
        able = {
            (number, place)
            for unit in self._usage.units
            for number in unit.classes
            for place, fits in enumerate(unit.fits)
            if fits and not self._usage.classes.rows[number].fixed
        }
        columns = {key: self._column(integer=True) for key in sorted(able)}
        by_class: dict[int, dict[int, float]] = {}
        for (number, _), column in columns.items():
            by_class.setdefault(number, {})[column] = 1.0
        for row in by_class.values():
            if len(row) > 1:
                self._rows.append((0.0, 1.0, row))
        return columns

    def _units(self) -> list[dict[int, int]]:
        """For each unit the column of each target that it can be in."""
        results: list[dict[int, int]] = []
        shown = np.sum(self._held, axis=0) if self._held else np.zeros(len(self._usage.units))
        for index, unit in enumerate(self._usage.units):
            columns: dict[int, int] = {}
            for place, fits in enumerate(unit.fits):
                keys = [self._class_columns.get((number, place)) for number in unit.classes]
                known = [key for key in keys if key is not None]
                if not fits or not known or not shown[index]:
                    continue
                if len(unit.classes) == 1:
                    columns[place] = known[0]
                else:
                    column = self._column(integer=False)
                    row = {column: 1.0} | dict.fromkeys(known, -1.0)
                    self._rows.append((-highspy.kHighsInf, 0.0, row))
                    columns[place] = column
            if len(unit.classes) > 1 and len(columns) > 1:
                self._rows.append((0.0, 1.0, dict.fromkeys(columns.values(), 1.0)))
            results.append(columns)
        return results

    def _pools(self) -> Iterator[tuple[int, tuple[int, int]]]:
        """Each pool's columns: its blocks, as many as it has to hold at each moment, and the rest
        of its memory, which it has as soon as it has one block."""
        for place, target in enumerate(self._targets):
            if target.pool is None:
                continue
            blocks, built = self._column(integer=False), self._column(integer=True)
            self._upper[blocks] = highspy.kHighsInf
            most = 0.0
            for held in self._blocks:
                row = {blocks: 1.0}
                for index in np.flatnonzero(held):
                    column = self._unit_columns[index].get(place)
                    if column is not None:
                        row[column] = row.get(column, 0.0) - float(held[index])
                most = max(most, 1.0 - sum(row.values()))
                self._rows.append((0.0, highspy.kHighsInf, row))
            self._rows.append((-highspy.kHighsInf, 0.0, {blocks: 1.0, built: -most}))
            yield place, (blocks, built)

    def _peak(self, held: Array) -> None:
        row = {0: 1.0}
        for place, (blocks, built) in self._pool_columns.items():
            pool = self._targets[place].pool
            assert pool is not None
            each = -(-pool.block // pool.alignment) * pool.alignment
            head = replace(pool, count=1).memory - each - 4  # without the words of bits
            row |= {blocks: -each - 1 / 8, built: -float(head)}
        for index in np.flatnonzero(held):
            for column in self._unit_columns[index].values():
                row[column] = row.get(column, 0.0) + float(held[index])
        self._rows.append((float(held.sum()), highspy.kHighsInf, row))

    def budget(self, most: float) -> None:
        row = {
            column: self._targets[place].weight * self._usage.classes.rows[number].requested
            for (number, place), column in self._class_columns.items()
            if self._targets[place].weight
        }
        if row:
            self._rows.append((0.0, most, row))

    def rooms(self, margin: float) -> None:
        for place, target in enumerate(self._targets):
            for held in self._held if target.pool is None else ():
                row: dict[int, float] = {}
                for index in np.flatnonzero(held):
                    column = self._unit_columns[index].get(place)
                    if column is not None:
                        row[column] = row.get(column, 0.0) + float(held[index])
                if sum(row.values()) > target.room * (1 - margin):
                    self._rows.append((0.0, target.room * (1 - margin), row))

    def most(self, classes: int) -> None:
        self._rows.append((0.0, classes, dict.fromkeys(self._class_columns.values(), 1.0)))

    def solve(self, seconds: float) -> tuple[Array, float, bool] | None:
        solver = highspy.Highs()  # type: ignore[no-untyped-call]
        for name, value in (
            ("output_flag", False),
            ("threads", 1),
            ("time_limit", float(seconds)),
            ("mip_rel_gap", _GAP),
        ):
            solver.setOptionValue(name, value)
        solver.passModel(self._programme())
        solver.run()
        status = solver.getModelStatus()
        if status == highspy.HighsModelStatus.kInfeasible:
            return None
        info = solver.getInfo()
        values = np.array(solver.getSolution().col_value)
        moved = np.zeros((len(self._usage.classes.rows), len(self._targets)), dtype=bool)
        if len(values):
            for key, column in self._class_columns.items():
                moved[key] = values[column] > 0.5
        optimal = status == highspy.HighsModelStatus.kOptimal
        mixed = any(self._integer)
        lower = float(info.mip_dual_bound) if mixed else float(info.objective_function_value)
        return moved, max(0.0, lower if np.isfinite(lower) else 0.0), optimal

    def _programme(self) -> highspy.HighsLp:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = len(self._cost), len(self._rows)
        program.col_cost_ = np.array(self._cost)
        program.col_lower_ = np.zeros(len(self._cost))
        program.col_upper_ = np.array(self._upper)
        program.integrality_ = [
            highspy.HighsVarType.kInteger if whole else highspy.HighsVarType.kContinuous
            for whole in self._integer
        ]
        program.row_lower_ = np.array([row[0] for row in self._rows])
        program.row_upper_ = np.array([row[1] for row in self._rows])
        matrix = program.a_matrix_
        matrix.format_ = highspy.MatrixFormat.kRowwise
        matrix.num_col_, matrix.num_row_ = program.num_col_, program.num_row_
        matrix.start_ = np.cumsum([0, *(len(row[2]) for row in self._rows)])
        matrix.index_ = np.array([column for row in self._rows for column in row[2]])
        matrix.value_ = np.array([value for row in self._rows for value in row[2].values()])
        return program
