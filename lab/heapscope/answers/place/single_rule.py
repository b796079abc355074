"""The single rules that a user would write, and those of them that the model finds best."""

from __future__ import annotations

import heapq
from collections.abc import Callable, Iterator, Sequence

import numpy as np

from heapscope.answers.place.blocks import Array
from heapscope.answers.place.classes import Classes, Owner
from heapscope.answers.place.memories import PlaceTarget
from heapscope.answers.place.rule_lines import SIZE_MAX, PlaceRule
from heapscope.answers.place.usage import Usage

OWNERS = 100  # whose requests a single rule is tried for, those that ask for most bytes first


def single_rules(
    classes: Classes, targets: Sequence[PlaceTarget]
) -> Iterator[tuple[PlaceRule, Array]]:
    """All of one owner, of everyone or of a task; those from a size on, or up to one. With each the
    classes that it moves. Sizes are the ends of classes, so the best power of two is among them."""
    rows = classes.rows
    free = np.array([not row.fixed for row in rows], dtype=bool)
    low, high = (np.array([getattr(row, name) for row in rows]) for name in ("least", "most"))
    for owner in _owners(classes):
        mine = free & np.array([is_of(row.owner, owner) for row in rows], dtype=bool)
        for place, target in enumerate(targets):
            for least, most in _ranges(low[mine], high[mine]):
                moved = np.zeros((len(rows), len(targets)), dtype=bool)
                moved[:, place] = mine & (low >= least) & (high <= most)
                yield PlaceRule(owner=owner, target=target.name, least=least, most=most), moved


def best_single_rules(
    usage: Usage,
    targets: Sequence[PlaceTarget],
    budget: float,
    moments: Sequence[int],
    count: int,
    only: Callable[[PlaceRule], bool] = lambda rule: True,
) -> list[tuple[PlaceRule, Array]]:
    """Those that leave least inside at these moments, of all that keep the budget."""
    held = np.array([usage.at(moment) for moment in moments])
    weights = np.array([target.weight for target in targets])
    requested = np.array([row.requested for row in usage.classes.rows], dtype=float)

    def kept(moved: Array) -> bool:
        return bool(requested @ moved @ weights <= budget)

    ranked = (
        (float((held @ usage.shares(moved)).max()), number, rule, moved)
        for number, (rule, moved) in enumerate(single_rules(usage.classes, targets))
        if only(rule) and kept(moved)
    )
    return [(rule, moved) for _, _, rule, moved in heapq.nsmallest(count, ranked)]


def _owners(classes: Classes) -> list[Owner]:
    requested: dict[Owner, int] = {}
    for row in classes.rows:
        for name in ("task", "site", "heap"):
            value = getattr(row.owner, name)
            if value is not None:
                owner = Owner(**{name: value})
                requested[owner] = requested.get(owner, 0) + row.requested
    return [Owner(), *heapq.nlargest(OWNERS, requested, key=lambda owner: requested[owner])]


def is_of(one: Owner, wanted: Owner) -> bool:
    """Whether a rule for `wanted` is for the requests of `one`."""
    return all(
        getattr(wanted, name) in (None, getattr(one, name)) for name in ("task", "site", "heap")
    )


def _ranges(low: Array, high: Array) -> Iterator[tuple[int, int]]:
    yield 0, SIZE_MAX
    for least in np.unique(low)[1:]:
        yield int(least), SIZE_MAX
    for most in np.unique(high)[:-1]:
        yield 0, int(most)
