"""Which groups differ from the others in several figures, with one false discovery rate over all.

A group that differs plainly is left out of the others before the rest are compared: one that is far
better would else make all the rest look worse."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from heapscope.answers.cohorts.ranks import Shift, false_discovery, rank_test, shift, two_sided
from heapscope.answers.cohorts.survival import Lives, Marks, Numbers, log_rank

RATE = 0.05  #: false discoveries that are accepted, as a share
_SEEN = 1.2816  # standard errors between what is found in 9 of 10 fleets and in half of them


@dataclass(frozen=True, kw_only=True)
class GroupDifference:
    """`size`: devices of the group, `others`: of those that it is compared with. `shift`: of a
    level, as a share of theirs; `hazard`: of lives, how many times as often it fails. `chance`: how
    likely chance alone gives as much; `rate`: the false discovery rate at which it is one."""

    group: str
    figure: str
    size: int
    others: int
    chance: float
    rate: float = 1.0
    shift: Shift | None = None
    hazard: float | None = None

    @property
    def worse(self) -> bool:
        less = self.shift is not None and self.shift.value < 0
        return self.rate <= RATE and (less or (self.hazard or 0) > 1)


_Test = Callable[[Marks, Marks], GroupDifference | None]


def differences(
    groups: Sequence[str],
    strata: Sequence[str],
    levels: Mapping[str, Numbers],
    lives: Mapping[str, Lives],
) -> list[GroupDifference]:
    """Each group against the others within their strata, in each level (NaN: not known) and in how
    long the devices live. `groups`, `strata`: of each device."""
    names = np.array(groups, dtype=object)
    _, numbers = np.unique(np.array(strata, dtype=str), return_inverse=True)
    kinds = numbers.reshape(-1).astype(np.int64)
    tests: list[tuple[str, _Test]] = []
    for figure, values in levels.items():
        tests.append((figure, _of_level(figure, names, kinds, values)))
    for figure, ones in lives.items():
        tests.append((figure, _of_lives(figure, names, kinds, ones)))
    known = sorted(set(groups))
    first = len(known) * len(tests)
    found = [one for _, test in tests for one in _steps(known, names, test, first)]
    if not found:
        return []
    rates = false_discovery(np.array([one.chance for one in found]))
    return [_with_rate(one, float(rate)) for one, rate in zip(found, rates, strict=True)]


def seen_in_most(one: GroupDifference) -> float | None:
    """The share that the group could have less and still be found in 9 of 10 such fleets, by how
    wide the interval of its shift is."""
    if one.shift is None:
        return None
    error = (one.shift.high - one.shift.low) / (2 * 1.96)
    return error * (_SEEN + 2.6)  # one of five tests at 1 per cent


def _with_rate(one: GroupDifference, rate: float) -> GroupDifference:
    return GroupDifference(**{**vars(one), "rate": rate})


def _steps(
    known: Sequence[str], names: NDArray[np.object_], test: _Test, count: int
) -> list[GroupDifference]:
    """The group that differs most is left out of the others as long as it does so for sure."""
    left, results = list(known), []
    while len(left) > 1:
        inside = np.isin(names, left)
        tried = [one for group in left if (one := test(names == group, inside)) is not None]
        if not tried:
            break
        most = min(tried, key=lambda one: one.chance)
        if most.chance * count > RATE or len(left) == 2:
            results += tried if len(left) > 2 else [max(tried, key=_deficit)]
            break
        results.append(most)
        left.remove(most.group)
    return results


def _deficit(one: GroupDifference) -> float:
    return (one.hazard or 1.0) - 1 if one.shift is None else -one.shift.value


def _of_level(
    figure: str, names: NDArray[np.object_], strata: NDArray[np.int64], values: Numbers
) -> _Test:
    def test(group: Marks, inside: Marks) -> GroupDifference | None:
        which = inside & np.isfinite(values)
        z = rank_test(values[which], group[which], strata[which])
        if z is None:
            return None
        return GroupDifference(
            group=str(names[group][0]),
            figure=figure,
            size=int((group & which).sum()),
            others=int((~group & which).sum()),
            chance=two_sided(z),
            shift=shift(values[which], group[which], strata[which]),
        )

    return test


def _of_lives(
    figure: str, names: NDArray[np.object_], strata: NDArray[np.int64], lives: Lives
) -> _Test:
    def test(group: Marks, inside: Marks) -> GroupDifference | None:
        result = log_rank(lives.part(inside), group[inside], strata[inside])
        if result is None:
            return None
        return GroupDifference(
            group=str(names[group][0]),
            figure=figure,
            size=int(group.sum()),
            others=int((inside & ~group).sum()),
            chance=two_sided(result.z),
            hazard=result.hazard,
        )

    return test
