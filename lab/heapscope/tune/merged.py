"""A smaller space in which the optimum is the same: knobs that follow another one.

A longer window takes no predicted memory and never makes slower, so that of the windows that go
with some number of buffers only the longest can be needed. The knob then has no columns of its own:
what it adds is added to the leader's values. That it never makes slower is checked, not believed:
every sum that it lowers must be one that the cost rises with.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace
from itertools import pairwise

import numpy as np

from heapscope.tune.quantity import Quantity
from heapscope.tune.space import Array, Choice, Knob, KnobRule, Larger, Space


@dataclass(frozen=True, kw_only=True, eq=False)
class Merged:
    """`longest`: by follower, the leader and the value that goes with each of its values."""

    full: Space
    space: Space
    longest: Mapping[str, tuple[str, Mapping[Hashable, Hashable]]]
    _made: dict[Quantity, Quantity] = field(default_factory=dict, repr=False)

    def expanded(self, choice: Choice) -> dict[str, Hashable]:
        """A choice of the smaller space as one of the full space."""
        known = dict(choice)
        for follower, (leader, of) in self.longest.items():
            known[follower] = of[choice[leader]]
        return {knob.name: known[knob.name] for knob in self.full.knobs}

    def nearest(
        self, choice: Choice, now: Choice, limits: Mapping[Quantity, float]
    ) -> dict[str, Hashable]:
        """With each follower as near as the limits let it be to what it is now."""
        made = dict(choice)
        for follower in self.longest:
            start = _number(now[follower])
            values = sorted(
                self.full.knob(follower).values, key=lambda value: abs(_number(value) - start)
            )
            for value in values:
                tried = {**made, follower: value}
                if not self.full.broken(tried) and all(
                    quantity.value(tried, self.full) <= high for quantity, high in limits.items()
                ):
                    made = tried
                    break
        return made

    def reduced(self, quantity: Quantity) -> Quantity:
        """The same cost over the smaller space; each is made once, as its tangents are kept."""
        if quantity not in self._made:
            self._made[quantity] = self._reduced(quantity)
        return self._made[quantity]

    def _reduced(self, quantity: Quantity) -> Quantity:
        nothing = np.zeros(len(quantity.constant))
        parts = {
            knob.name: dict(quantity.parts.get(knob.name, dict.fromkeys(knob.values, nothing)))
            for knob in self.space.knobs
        }
        larger = dict(quantity.larger)
        for follower, (leader, of) in self.longest.items():
            mine = quantity.parts.get(follower)
            for value, longest in of.items():
                if mine is not None:
                    parts[leader][value] = parts[leader][value] + mine[longest]
                for each in _gone(self.full, follower, leader):
                    if each.name in quantity.larger:
                        height = each.value({follower: longest, leader: value})
                        parts[leader][value] = (
                            parts[leader][value] + height * quantity.larger[each.name]
                        )
            for each in _gone(self.full, follower, leader):
                larger.pop(each.name, None)
        return replace(
            quantity,
            parts={
                knob.name: {value: parts[knob.name][value] for value in knob.values}
                for knob in self.space.knobs
            },
            larger=larger,
        )


def merge(
    space: Space, pairs: Iterable[tuple[str, str]], quantities: Iterable[Quantity]
) -> Merged | None:
    """`pairs`: follower and leader. None: a follower of these has other rules, or a longer one is
    not proven never to cost more."""
    costs = list(quantities)
    pairs = tuple(pairs)
    longest = {}
    for follower, leader in pairs:
        of = _longest(space, follower, leader)
        if of is None or not all(_falls(quantity, space, follower) for quantity in costs):
            return None
        longest[follower] = (leader, of)
    leaders = dict(longest.values())
    if not all(leaders.values()):
        return None  # no value of a leader goes with any of its follower
    knobs = tuple(
        Knob(
            name=knob.name,
            values=tuple(v for v in knob.values if v in leaders.get(knob.name, knob.values)),
        )
        for knob in space.knobs
        if knob.name not in longest
    )
    gone = [each for pair in pairs for each in _gone(space, *pair)]
    smaller = Space(
        knobs=knobs,
        larger=tuple(each for each in space.larger if each not in gone),
        rules=tuple(rule for rule in space.rules if not set(rule.knobs) & set(longest)),
    )
    return Merged(full=space, space=smaller, longest=longest)


def _gone(space: Space, follower: str, leader: str) -> list[Larger]:
    return [each for each in space.larger if set(each.knobs) == {follower, leader}]


def _longest(space: Space, follower: str, leader: str) -> dict[Hashable, Hashable] | None:
    """By value of the leader; values that no follower goes with are not in it."""
    rules = [rule for rule in space.rules if follower in rule.knobs]
    if any(not set(rule.knobs) <= {follower, leader} for rule in rules):
        return None
    if any(follower in each.knobs and leader not in each.knobs for each in space.larger):
        return None
    found: dict[Hashable, Hashable] = {}
    values = sorted(space.knob(follower).values, reverse=True, key=_number)
    for value in space.knob(leader).values:
        for length in values:
            if _allowed(rules, {follower: length, leader: value}):
                found[value] = length
                break
    return found


def _allowed(rules: Iterable[KnobRule], choice: Choice) -> bool:
    return all(rule.holds(choice) for rule in rules)


def _falls(quantity: Quantity, space: Space, follower: str) -> bool:
    """From each value to the next longer one, no sum grows, and those that fall are rising ones."""
    rising = quantity.rising if quantity.rising is not None else np.zeros(len(quantity.constant))
    lengths = sorted(space.knob(follower).values, key=_number)
    parts = quantity.parts.get(follower)
    for short, long in pairwise(lengths):
        if parts is not None and not _better(parts[long] - parts[short], rising):
            return False
        for each in space.larger:
            if follower in each.knobs and each.name in quantity.larger:
                side = each.of[each.knobs.index(follower)]
                step = side[long] - side[short]
                # the larger of the two sides falls by some of the step, or stays
                if not _better(step * quantity.larger[each.name], rising):
                    return False
    return True


def _better(step: Array, rising: Array) -> bool:
    return bool(np.all(step <= 0) and np.all(rising[step < 0] > 0))


def _number(value: Hashable) -> int:
    if not isinstance(value, int):
        raise TypeError(f"{value!r} is not a length")
    return value
