"""The ends of free blocks: which requests take from the high one, learnt from one recording and
kept only where it wins on a second one, too (docs/design/place.md)."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from heapscope.answers.fit.fit_trace import ends_of
from heapscope.answers.fit.limits import STEP, find_limits, most_tried
from heapscope.answers.fit.schedule import run_searches
from heapscope.answers.fit.search import search
from heapscope.answers.place.blocks import Array
from heapscope.answers.place.classes import Owner
from heapscope.answers.place.question import PlaceQuestion
from heapscope.answers.place.rule_lines import PlaceRule, file_of, sent_high
from heapscope.answers.place.trial import placement_of
from heapscope.memory.layout.allocator import has_ends
from heapscope.memory.layout.pool import POOL_BASE, POOL_MAX, POOL_MIN, pool_layout
from heapscope.native.reader import NativeReader
from heapscope.native.steps import NativeSteps

LIVES = (0.001, 0.01, 0.05, 0.2)  # parts of the trace: what lives shorter is short-lived
FLIPPED = 12  # classes tried at the other end, in descending order of requested bytes
OWNERS = 4  # tasks that are tried alone
PART = 0.25  # share of the time budget spent on comparing tables; their full gain is reported
FINE = 512  # part of the pool to which candidates are compared


@dataclass(frozen=True, kw_only=True)
class EndsOf:
    """One recording: the aim's figure without the rules for ends and with them. For a block that
    must fit it is the largest block at the worst moment, else the smallest pool."""

    without: int
    having: int


@dataclass(frozen=True, kw_only=True)
class BestEnds:
    """`rules`: those for the high end; (): none won on the first recording. `second`: None: they
    were not tried there. `tried`: tables that were compared."""

    rules: tuple[PlaceRule, ...]
    first: EndsOf | None
    second: EndsOf | None
    tried: int
    pools: bool  # the figure is the smallest pool
    stopped: bool  # the time was over before all tables were tried

    @property
    def wins(self) -> bool:
        """On both recordings."""
        return (
            self.first is not None
            and self.second is not None
            and self._better(self.first)
            and self._better(self.second)
        )

    def _better(self, one: EndsOf) -> bool:
        return one.having < one.without if self.pools else one.having > one.without


def heap_with_ends(question: PlaceQuestion) -> str | None:
    """The allocator of the first region whose heap has two ends; None: none has."""
    names = (region.allocator for region in question.layout.regions)
    return next(filter(has_ends, names), None)


def find_ends(
    question: PlaceQuestion, other: PlaceQuestion, before: Sequence[PlaceRule] = ()
) -> BestEnds:
    """`other`: the same question for the second recording. `before`: the rules that were found for
    regions; those for ends come behind them. There is a heap with two ends."""
    allocator = heap_with_ends(question)
    assert allocator is not None
    search_ = _EndsSearch(question, _aim(question, allocator, before))
    result = search_.best()
    requested = (question, other) if result else ()
    sides = [compare_ends(side, allocator, result, before) for side in requested]
    first, second = sides or (None, None)
    return BestEnds(
        rules=result,
        first=first,
        second=second,
        tried=search_.tried,
        pools=question.wish.need is None,
        stopped=search_.stopped,
    )


def compare_ends(
    question: PlaceQuestion,
    allocator: str,
    rules: Sequence[PlaceRule],
    before: Sequence[PlaceRule] = (),
) -> EndsOf:
    """One recording under rules for ends that were learnt anywhere."""
    last = _last_aim(question, allocator, before)
    return EndsOf(without=abs(last(())), having=abs(last(rules)))


# ---- the aim's figure, the larger the better -----------------------------------------------------

Aim = Callable[[Sequence[PlaceRule]], int]


def _aim(question: PlaceQuestion, allocator: str, before: Sequence[PlaceRule]) -> Aim:
    """To compare candidates: a pool is found to a part of itself."""
    if question.wish.need is not None:
        return _largest(question, before)
    first: list[int] = []

    def figure(rules: Sequence[PlaceRule]) -> int:
        with _steps(question, rules) as steps:
            result = _least(steps, allocator, first[0] if first else steps.floor)
        first.append(result)
        return -result

    return figure


def _last_aim(question: PlaceQuestion, allocator: str, before: Sequence[PlaceRule]) -> Aim:
    """The figure that is reported: a pool as `fit` finds it."""
    if question.wish.need is not None:
        return _largest(question, before)

    def figure(rules: Sequence[PlaceRule]) -> int:
        with _steps(question, rules) as steps:
            return -_pool(steps, allocator)

    return figure


def _largest(question: PlaceQuestion, before: Sequence[PlaceRule]) -> Aim:
    def figure(rules: Sequence[PlaceRule]) -> int:
        outcome = question.trials.run(question.text((*before, *rules)))
        return 0 if outcome.failures else max(0, outcome.largest or 0)

    return figure


def _steps(question: PlaceQuestion, rules: Sequence[PlaceRule]) -> NativeSteps:
    placement = placement_of(file_of(rules), pool_layout(POOL_MIN, "heapscope"))
    ends = None if placement is None else ends_of(placement, question.path)
    steps = NativeSteps(POOL_BASE, ends=ends)
    with NativeReader() as reader:
        steps.fill_from(reader)
        question.recording.push(reader)
    return steps


def _least(steps: NativeSteps, allocator: str, near: int) -> int:
    """A pool that serves the trace, by halving; POOL_MAX: none does."""
    bad, good = steps.floor // STEP * STEP, max(near, POOL_MIN) // STEP * STEP
    while not (tried := steps.try_pool(allocator, good)).survives:
        if tried.refused_always or good > POOL_MAX // 2:
            return POOL_MAX
        bad, good = good, (good + good // 16 + STEP) // STEP * STEP
    while good - bad > max(STEP, good // FINE):
        middle = (bad + good) // 2 // STEP * STEP
        if middle <= bad:
            break
        if steps.try_pool(allocator, middle).survives:
            good = middle
        else:
            bad = middle
    return good


def _pool(steps: NativeSteps, allocator: str) -> int:
    """The pool as `heapscope fit` finds it; 0: none."""
    floor = max(steps.floor, POOL_MIN)
    limits = find_limits(allocator, POOL_BASE, most_tried(floor))
    if limits is None:
        return 0
    searches = {
        allocator: (
            search(floor, limits),
            functools.partial(steps.try_pool, allocator),
        )
    }
    result, _ = run_searches(searches, lambda _: None)[allocator]
    return result.pool or 0


# ---- candidates ----------------------------------------------------------------------------------


class _EndsSearch:
    """Tables over the classes of the question: by how long blocks of a class live, by task, and
    then the best of them with one class after the other at the other end."""

    def __init__(self, question: PlaceQuestion, aim: Aim) -> None:
        self._question = question
        self._aim = aim
        self._until = question.now() + PART * question.wish.seconds
        self.stopped = False
        self._known: dict[tuple[PlaceRule, ...], int] = {}

    @property
    def tried(self) -> int:
        """Tables that were compared, the empty one included."""
        return len(self._known)

    def best(self) -> tuple[PlaceRule, ...]:
        """(): none is better than no rules."""
        none = self._figure(np.zeros(len(self._question.classes.rows), dtype=bool))
        best: tuple[int, Array] | None = None
        for high in self._first():
            figure = self._figure(high)
            if figure is not None and (best is None or figure > best[0]):
                best = (figure, high)
        if best is None or none is None:
            return ()
        for row in self._largest_classes():
            high = best[1].copy()
            high[row] = not high[row]
            figure = self._figure(high)
            if figure is not None and figure > best[0]:
                best = (figure, high)
        return self._rules(best[1]) if best[0] > none else ()

    def _figure(self, high: Array) -> int | None:
        """None: there are more rules than a file can have, or the time is over."""
        rules = self._rules(high)
        if len(rules) > self._question.rules_left // 2:
            return None
        if rules not in self._known:
            if self._known and self._question.now() > self._until:
                self.stopped = True
                return None
            self._known[rules] = self._aim(rules)
        return self._known[rules]

    def _rules(self, high: Array) -> tuple[PlaceRule, ...]:
        return sent_high(self._question.classes, high)

    def _first(self) -> Iterator[Array]:
        rows = self._question.classes.rows
        free = np.array([not row.fixed for row in rows], dtype=bool)
        lives = self._lives()
        for part in LIVES:
            yield free & (lives < part)
            yield free & (lives >= part)
        sizes = np.array([row.least for row in rows])
        for least in (64, 256, 1024, 4096):
            yield free & (sizes >= least)
            yield free & (sizes < least)
        tasks = sorted(
            {row.owner.task for row in rows if row.owner.task is not None},
            key=lambda task: -sum(row.requested for row in rows if row.owner.task == task),
        )
        for task in tasks[:OWNERS]:
            yield free & np.array([row.owner == Owner(task=task) for row in rows], dtype=bool)

    def _lives(self) -> Array:
        """The median life of each class's blocks, as a part of the trace."""
        blocks, classes = self._question.blocks, self._question.classes
        of = classes.of[blocks.request]
        length = (blocks.end - blocks.begin) / max(1, blocks.events)
        return np.array([np.median(length[of == number]) for number in range(len(classes.rows))])

    def _largest_classes(self) -> list[int]:
        rows = self._question.classes.rows
        free = [number for number, row in enumerate(rows) if not row.fixed]
        return sorted(free, key=lambda number: -rows[number].requested)[:FLIPPED]
