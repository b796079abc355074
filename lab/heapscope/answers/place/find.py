"""Finds a placement: the programme's bound, and rules that hold in a replay of the whole trace."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.place.blocks import Array
from heapscope.answers.place.classes import Owner
from heapscope.answers.place.memories import PlaceTarget
from heapscope.answers.place.pools import pool_homes, single_pools, with_counts
from heapscope.answers.place.programme import Assignment, Programme
from heapscope.answers.place.question import PlaceQuestion
from heapscope.answers.place.rule_lines import SIZE_MAX, PlaceRule, sent
from heapscope.answers.place.single_rule import best_single_rules, is_of
from heapscope.answers.place.trial import RuleOutcome
from heapscope.base.errors import HeapscopeError
from heapscope.memory.layout.layout import REGIONS_MAX

WORTH = 0.001  # of the aim's figure: less is nothing gained
SINGLES = 6  # single rules that are replayed, of those that the model finds best
MARGINS = (0.0, 0.05, 0.15, 0.3)  # of a target that is left free, where the one before was too full
HOMES = 2  # regions that are kept clear for a large block, the largest ones
_APART = 1.05  # of the blocks' peak: what a private heap is larger, for its gaps
_CONTROL = 1024  # bytes of a private heap for itself
_TASKS = 3  # that get a private heap each, those that ask for most bytes first
_LAST = 0.8  # of the time: after it no new programme is begun
SMALL = (32, 64, 128, 256, 1024, 4096)  # bytes up to which a single rule sends to a region


@dataclass(frozen=True, kw_only=True)
class Way:
    """Rules that were replayed. `slow`: percent of the bytes asked for."""

    rules: tuple[PlaceRule, ...]
    text: str
    slow: float
    outcome: RuleOutcome


@dataclass(frozen=True, kw_only=True)
class PlaceSolution:
    """`none`: without rules but the user's. `single`: the best of the single rules; None: none
    keeps the limit. `threshold`: the best that an option of the SDK makes. `plain`: the best
    without a pool of fixed blocks. `best`: of all. `pools`: such pools were tried."""

    none: Way
    single: Way | None
    threshold: Way | None
    plain: Way
    best: Way
    bound: int
    proved: bool
    stopped: bool
    moments: int
    pools: bool


class PlaceSearch:
    """The search for one question."""

    def __init__(self, question: PlaceQuestion) -> None:
        self._question = question
        self._stopped = False
        self._known: dict[str, RuleOutcome] = {}

    def find(self) -> PlaceSolution:
        question = self._question
        none = self._way((), 0.0)
        usage = question.usage(question.slow)
        programme = Programme(usage=usage, targets=question.slow, budget=question.budget)
        loose = programme.solve(until=question.until)
        singles = list(self._singles(programme))
        private = list(self._private(()))
        singles += private
        ways = [none, *singles, *self._solutions(loose)]
        best = max(ways, key=self._rank)
        if private and best.rules and best not in singles:
            best = max([best, *self._private(best.rules, best.slow)], key=self._rank)
        single = max(singles, key=self._rank, default=None)
        for simpler in (single, none):
            if simpler is not None and not is_better(question, best, simpler):
                best = simpler
        plain = best
        pools = bool(question.pools) and self._time_left()
        if pools:
            pooled = self._pooled()
            loose = pooled.solve(until=question.until)
            best = self._with_pools(plain, pooled, loose)
        return PlaceSolution(
            none=none,
            single=single,
            threshold=max(filter(_is_threshold, singles), key=self._rank, default=None),
            plain=plain,
            best=best,
            bound=self._bound(loose),
            proved=loose is not None and loose.optimal,
            stopped=self._stopped,
            moments=0 if loose is None else loose.moments,
            pools=pools,
        )

    def _way(self, rules: Sequence[PlaceRule], slow: float) -> Way:
        text = self._question.text(rules)
        if text not in self._known:
            self._known[text] = self._question.trials.run(text)
        return Way(rules=tuple(rules), text=text, slow=slow, outcome=self._known[text])

    def _rank(self, way: Way) -> tuple[int, int, float, int]:
        """The larger the better: no failure, the aim, less that is slow, and few rules."""
        figure = self._question.figure(way.outcome)
        return -way.outcome.failures, figure, -way.slow, -len(way.rules)

    def _bound(self, loose: Assignment | None) -> int:
        """For free memory: what is there at the start less what stays at least. For a block: the
        same, and no more than the largest region that can serve it has at the start. Where slow
        memory can serve it, that size alone."""
        question = self._question
        free = question.room if loose is None else question.room - int(loose.bound)
        if question.wish.need is not None:
            inside = {index for target in question.inner for index in target.regions}
            most = max((question.rooms[index] for index in question.serving), default=0)
            free = min(free, most) if question.serving <= inside else most
        return max(0, free)

    # ---- single rules ------------------------------------------------------------------------

    def _singles(self, programme: Programme) -> Iterator[Way]:
        question = self._question
        result = best_single_rules(
            programme.usage, question.slow, question.budget, programme.moments, SINGLES
        )
        for rule, moved in result:
            if self._time_left():
                yield self._way((rule,), question.slow_share(question.slow, moved))
        threshold = [each for each in result if _goes_by_threshold(each[0])]
        if not threshold:
            for rule, moved in best_single_rules(
                programme.usage,
                question.slow,
                question.budget,
                programme.moments,
                1,
                only=_goes_by_threshold,
            ):
                if self._time_left():
                    yield self._way((rule,), question.slow_share(question.slow, moved))
        if question.wish.need is None:
            return
        for target in question.inner:
            sizes = [(0, SIZE_MAX), *((0, most) for most in SMALL), *((n, SIZE_MAX) for n in SMALL)]
            for least, most in sizes:
                if self._time_left(0.4):
                    rule = PlaceRule(owner=Owner(), target=target.name, least=least, most=most)
                    yield self._way((rule,), 0.0)

    def _private(self, rules: tuple[PlaceRule, ...], slow: float = 0.0) -> Iterator[Way]:
        """A private heap for a task, or for everyone's small blocks, in front of other rules. Only
        for a need: it keeps blocks apart and gives no memory."""
        question = self._question
        if question.wish.need is None or len(question.layout.regions) >= REGIONS_MAX:
            return
        if not self._time_left(0.6):
            return
        usage = question.usage(())
        for owner, most in self._owners_apart():
            if not self._time_left(0.6):
                return
            rows = question.classes.rows
            wanted = [
                not row.fixed and is_of(row.owner, owner) and row.most <= most for row in rows
            ]
            share = np.array([wanted[min(unit.classes)] for unit in usage.units], dtype=float)
            peak = int(usage.over_time(share).max())
            name = owner.task or f"up to {most}"
            size = int(peak * _APART) + _CONTROL
            if peak and size < question.room and len(rules) < question.rules_left:
                heap = PlaceRule(owner=owner, target=name, most=most, private=size // 16 * 16)
                with contextlib.suppress(HeapscopeError):  # there is no place for such a heap
                    yield self._way((heap, *rules), slow)

    def _owners_apart(self) -> Iterator[tuple[Owner, int]]:
        tasks: dict[str, int] = {}
        for row in self._question.classes.rows:
            if row.owner.task is not None:
                tasks[row.owner.task] = tasks.get(row.owner.task, 0) + row.requested
        for task in sorted(tasks, key=lambda name: -tasks[name])[:_TASKS]:
            yield Owner(task=task), SIZE_MAX
        yield from ((Owner(), most) for most in SMALL[:4])

    # ---- pools -------------------------------------------------------------------------------

    def _pooled(self) -> Programme:
        """The programme with slow memory and pools."""
        question = self._question
        to = (*question.slow, *question.pools)
        return Programme(usage=question.usage(to), targets=to, budget=question.budget)

    def _with_pools(self, plain: Way, programme: Programme, loose: Assignment | None) -> Way:
        """The best of the programme's solution and of pools in front of the rules without them, one
        added after the other where it wins; `plain` where none does. A pool that a request
        finds full is not one of them: where that goes is another matter on the chip than here."""
        question = self._question
        homes = pool_homes(question)
        best = plain
        if loose is not None:
            slow = question.slow_share(programme.targets, loose.moved)
            to = with_counts(programme.targets, loose.counts, homes)
            best = self._better(best, sent(question.classes, to, loose.moved), slow)
        usage = programme.usage
        added: tuple[PlaceRule, ...] = ()
        apart = self._way(plain.rules, plain.slow)
        for rules in single_pools(usage, programme.targets, homes):
            if not self._time_left():
                break
            before = apart
            apart = self._better(apart, (*added, *rules, *plain.rules), plain.slow)
            added = added if apart is before else (*added, *rules)
        return apart if is_better(question, apart, best) else best

    def _better(self, best: Way, rules: tuple[PlaceRule, ...], slow: float) -> Way:
        """The way with these rules, where it is better than the best and no pool is too small."""
        question = self._question
        apart = {rule.target for rule in rules if rule.pool is not None or rule.private}
        heaps = len(question.placed.regions) + len(apart)
        if not rules or len(rules) > question.rules_left or heaps > REGIONS_MAX:
            return best
        with contextlib.suppress(HeapscopeError):  # there is no room for the memory of a pool
            way = self._way(rules, slow)
            full = any(row.refused for row in way.outcome.rules if row.target.startswith("pool "))
            if not full and is_better(question, way, best):
                return way
        return best

    # ---- solutions ---------------------------------------------------------------------------

    def _solutions(self, loose: Assignment | None) -> Iterator[Way]:
        question = self._question
        slow = question.slow
        if loose is not None and slow:
            yield from self._replayed(slow, loose.moved)
        if slow and self._time_left(_LAST):
            strict = Programme(
                usage=question.usage(slow, resized_stay=False),
                targets=slow,
                budget=question.budget,
            )
            yield from self._repaired(strict)
        if question.wish.need is not None:
            able = [t for t in question.inner if question.serving.issuperset(t.regions)]
            homes = sorted(able, key=lambda target: -target.room)[:HOMES]
            for home in homes:
                others = tuple(t for t in (*question.inner, *slow) if t is not home)
                if others and self._time_left(_LAST):
                    usage = question.usage(others, resized_stay=False)
                    programme = Programme(usage=usage, targets=others, budget=question.budget)
                    yield from self._repaired(programme, PlaceRule(owner=Owner(), target=home.name))

    def _repaired(self, programme: Programme, rest: PlaceRule | None = None) -> Iterator[Way]:
        """With more room left free, as long as requests found none where their rule sends them."""
        for margin in MARGINS:
            if not self._time_left():
                return
            result = programme.solve(until=self._question.until, margin=margin)
            if result is None:
                return
            ways = list(self._replayed(programme.targets, result.moved, rest, programme, margin))
            yield from ways
            if all(way.outcome.elsewhere == 0 for way in ways):
                return

    def _replayed(
        self,
        to: Sequence[PlaceTarget],
        moved: Array,
        rest: PlaceRule | None = None,
        programme: Programme | None = None,
        margin: float = 0.0,
    ) -> Iterator[Way]:
        """Once; with fewer classes moved where the rules would be too many."""
        question = self._question
        last = () if rest is None else (rest,)
        rules = (*sent(question.classes, to, moved), *last)
        if len(rules) > question.rules_left:
            if programme is None:
                return
            most = question.rules_left - len(last)
            result = programme.solve(until=question.until, margin=margin, classes_most=most)
            if result is None:
                return
            moved = result.moved
            rules = (*sent(question.classes, to, moved), *last)
        if rules and self._time_left():
            yield self._way(rules, question.slow_share(to, moved))

    def _time_left(self, part: float = 1.0) -> bool:
        """Whether there is time, for what may take this part of it."""
        question = self._question
        end = question.until - (1 - part) * question.wish.seconds
        if question.now() < end:
            return True
        self._stopped = True
        return False


def is_better(question: PlaceQuestion, one: Way, other: Way) -> bool:
    """Fewer requests fail, or as many and the aim's figure is larger by more than WORTH."""
    if one.outcome.failures != other.outcome.failures:
        return one.outcome.failures < other.outcome.failures
    figure, less = (question.figure(way.outcome) for way in (one, other))
    return figure > less + WORTH * max(1, less)


def _goes_by_threshold(rule: PlaceRule) -> bool:
    """It does what CONFIG_SPIRAM_MALLOC_ALWAYSINTERNAL does."""
    outside = rule.target == "SPIRAM" and not rule.private
    return outside and rule.owner == Owner() and rule.least > 0 and rule.most == SIZE_MAX


def _is_threshold(way: Way) -> bool:
    return len(way.rules) == 1 and _goes_by_threshold(way.rules[0])
