"""The search space: knobs with their values, and rules between them, as rows over one-hot columns.

A knob with n values has n columns of 0 or 1, exactly one of which is 1. A sum over the knobs is
then linear in the columns, whatever the values are: numbers, names, or pairs of options.

A rule between two knobs says which values of the second go with a value of the first. For a set S
of seconds, the firsts that need one of S are 1 in all at most as often as S is. Where the sets are
nested (x <= y is), the rows are written as running differences, so that each column stands in one
row alone: the solver's time is in the length of rows.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise, product

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

#: The value of every knob, by its name.
Choice = Mapping[str, Hashable]


@dataclass(frozen=True, kw_only=True)
class Knob:
    name: str
    values: tuple[Hashable, ...]


@dataclass(frozen=True, kw_only=True)
class Larger:
    """max(of[first's value], of_other[second's value]): 1 / min(a, b) when both give 1 / value."""

    name: str
    knobs: tuple[str, str]
    of: tuple[Mapping[Hashable, float], Mapping[Hashable, float]]

    def value(self, choice: Choice) -> float:
        return max(each[choice[knob]] for knob, each in zip(self.knobs, self.of, strict=True))


@dataclass(frozen=True, kw_only=True)
class KnobRule:
    """Combinations of values that may be. `allows` gets one value of each knob, in their order."""

    name: str
    knobs: tuple[str, ...]
    allows: Callable[..., bool]

    def holds(self, choice: Choice) -> bool:
        return self.allows(*(choice[knob] for knob in self.knobs))


@dataclass(frozen=True, kw_only=True)
class LinearRow:
    """low <= sum of columns times coefficients <= high."""

    columns: Mapping[int, float]
    low: float
    high: float


#: A rule is written out in rows while it has no more combinations than this; otherwise it is held
#: by cutting off each choice that breaks it.
_WRITTEN = 20_000


@dataclass(frozen=True, kw_only=True)
class Space:
    """Columns: the values of each knob; then the value of each `larger`; then the running
    differences of rules."""

    knobs: tuple[Knob, ...]
    larger: tuple[Larger, ...] = ()
    rules: tuple[KnobRule, ...] = ()
    _start: dict[str, int] = field(default_factory=dict, repr=False)
    _named: dict[str, Knob] = field(default_factory=dict, repr=False)
    _sides: dict[str, tuple[Array, Array]] = field(default_factory=dict, repr=False)
    _rule_rows: list[LinearRow] = field(default_factory=list, repr=False)
    _differences: list[int] = field(default_factory=list, repr=False)
    #: For each rule of one or two knobs that is written out, which values go together.
    tables: list[tuple[tuple[str, ...], NDArray[np.bool_]]] = field(
        default_factory=list, repr=False
    )

    def __post_init__(self) -> None:
        at = 0
        self._named.update({knob.name: knob for knob in self.knobs})
        for knob in self.knobs:
            self._start[knob.name] = at
            at += len(knob.values)
        for each in self.larger:
            self._start[each.name] = at
            at += 1
            first, second = (
                np.array([of[value] for value in self.knob(name).values])
                for name, of in zip(each.knobs, each.of, strict=True)
            )
            self._sides[each.name] = first, second
        self._differences.extend((at, at))  # the first such column, and the end
        for rule in self.rules:
            if self._written(rule):
                self._write(rule)

    @property
    def width(self) -> int:
        return self._differences[1]

    def column(self, knob: Knob, value: Hashable) -> int:
        return self._start[knob.name] + knob.values.index(value)

    def columns(self, knob: Knob) -> range:
        start = self._start[knob.name]
        return range(start, start + len(knob.values))

    def sides(self, one: Larger) -> tuple[Array, Array]:
        """The numbers that the values of both knobs give to a larger term."""
        return self._sides[one.name]

    def larger_column(self, name: str) -> int:
        return self._start[name]

    def knob(self, name: str) -> Knob:
        return self._named[name]

    def bounds(self) -> tuple[Array, Array]:
        low, high = np.zeros(self.width), np.ones(self.width)
        for each in self.larger:
            values = [value for side in each.of for value in side.values()]
            low[self._start[each.name]] = min(values)
            high[self._start[each.name]] = max(values)
        return low, high

    def rows(self) -> Iterator[LinearRow]:
        for knob in self.knobs:
            yield LinearRow(columns=dict.fromkeys(self.columns(knob), 1.0), low=1, high=1)
        yield from self._rule_rows

    def broken(self, choice: Choice) -> list[KnobRule]:
        return [rule for rule in self.rules if not rule.holds(choice)]

    def every(self) -> Iterator[dict[str, Hashable]]:
        """All choices that no rule forbids: for small spaces."""
        names = [knob.name for knob in self.knobs]
        for values in product(*(knob.values for knob in self.knobs)):
            choice = dict(zip(names, values, strict=True))
            if not self.broken(choice):
                yield choice

    def _written(self, rule: KnobRule) -> bool:
        sizes = [len(self.knob(name).values) for name in rule.knobs]
        return len(sizes) <= 2 and int(np.prod(sizes)) <= _WRITTEN

    def _write(self, rule: KnobRule) -> None:
        first, *rest = (self.knob(name) for name in rule.knobs)
        held = [
            [rule.allows(*values) for values in product((value,), *(k.values for k in rest))]
            for value in first.values
        ]
        table = np.array(held)
        if table.all():
            return
        self.tables.append((rule.knobs, table if rest else table[:, 0]))
        if not rest:
            columns = {self.columns(first)[at]: 1.0 for at in np.flatnonzero(~table[:, 0])}
            self._rule_rows.append(LinearRow(columns=columns, low=-np.inf, high=0))
            return
        partners_at = self.columns(rest[0])
        users: dict[frozenset[int], list[int]] = {}
        for column, row in zip(self.columns(first), table, strict=True):
            partners = frozenset(partners_at[at] for at in np.flatnonzero(row))
            users.setdefault(partners, []).append(column)
        sets = sorted(users, key=len)
        if all(small < large for small, large in pairwise(sets)):
            self._write_chain([(each, users[each]) for each in sets], len(partners_at))
            return
        for allowed in sets:
            if len(allowed) < len(partners_at):
                inside = [each for other in sets if other <= allowed for each in users[other]]
                columns = dict.fromkeys(inside, 1.0) | dict.fromkeys(allowed, -1.0)
                self._rule_rows.append(LinearRow(columns=columns, low=-np.inf, high=0))

    def _write_chain(self, levels: Sequence[tuple[frozenset[int], list[int]]], every: int) -> None:
        """Difference = the one before + seconds that are new - firsts that need no more than these;
        it is never negative."""
        before: frozenset[int] = frozenset()
        last: int | None = None
        for allowed, users in levels:
            if len(allowed) == every:
                break
            at = self._differences[1]
            self._differences[1] += 1
            columns = {at: 1.0}
            if last is not None:
                columns[last] = -1.0
            columns |= dict.fromkeys(allowed - before, -1.0) | dict.fromkeys(users, 1.0)
            self._rule_rows.append(LinearRow(columns=columns, low=0, high=0))
            before, last = allowed, at
