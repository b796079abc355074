"""The search for a plan: changes on top of changes, each replayed with the whole trace.

A state is the trace and the memory with some changes made. The changes that `why` knows are thought
of anew at each state, for its first failed request and for the one of its largest group; those that
end failures lead to the next states, and the best few go on (docs/design/plan.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.answers.why.change import Change, ChangeOutcome
from heapscope.answers.why.changes import THINKERS, change_of
from heapscope.answers.why.groups import group
from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.ideas_memory import growth_idea
from heapscope.answers.why.moment import Scene, look_at_event, look_at_request
from heapscope.answers.why.recording import read_recording
from heapscope.answers.why.trial import Target, Trials, Variation
from heapscope.base.request import Request
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.memory.layout.layout import Layout, Region
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.result import ReplayResult

WIDTH = 2  # states that go on
DEPTH = 4  # changes of a plan
PLANS = 3  # that are given
ONCE = ("memory", "threshold", "order", "allocator", "poisoning")


@dataclass(frozen=True, kw_only=True)
class PlanState:
    """Some changes made. `path`: of the trace as it is then; its `trials` look at the needs that no
    change has reserved. `needs_short`: needs that do not fit after every event; `short_events`:
    these events of all needs added."""

    path: Path
    trials: Trials
    changes: tuple[Change, ...]
    failures: int
    needs_short: int
    short_events: int
    minimum_free: int

    @property
    def whole(self) -> bool:
        """Nothing fails, and each need always fits."""
        return self.failures == self.needs_short == 0

    @property
    def trouble(self) -> tuple[int, int, int]:
        return self.failures, self.needs_short, self.short_events

    @property
    def cost(self) -> int:
        return sum(change.cost for change in self.changes)

    @property
    def rank(self) -> tuple[int, int, int, int, int]:
        return *self.trouble, self.cost, -self.minimum_free

    @property
    def variation(self) -> Variation:
        return Variation(layout=self.trials.layout, placement=self.trials.placement)


@dataclass(frozen=True)
class PlanCandidate:
    """A change to a state that ends failures, or keeps more needs true and ends none less.
    `reserved`: the need that it takes care of at start-up."""

    state: PlanState
    idea: Idea
    change: Change
    reserved: Request | None = None

    @property
    def rank(self) -> tuple[int, int, int, int, int]:
        after = self.change.outcome
        return *_trouble(after), self.state.cost + self.change.cost, -after.minimum_free


def _trouble(after: ChangeOutcome) -> tuple[int, int, int]:
    return after.failures, after.needs_short or 0, after.short_events or 0


class PlanSearch:
    """`folder`: for traces with changed events. `knobs`: options of the SDK, as predicted. `tried`
    is called after each replay."""

    def __init__(
        self, folder: Path, knobs: tuple[KnobOffer, ...], tried: Callable[[], None] | None
    ) -> None:
        self._folder = folder
        self._knobs = knobs
        self._report = tried
        self._traces = 0
        self.replays = 0

    def count(self) -> None:
        self.replays += 1
        if self._report is not None:
            self._report()

    def begin(self, path: Path, trials: Trials, result: ReplayResult) -> PlanState:
        counted = Trials(
            trials.recording,
            trials.layout,
            placement=trials.placement,
            needs=trials.needs,
            tried=self.count,
        )
        short = [row.short_events for row in result.needs]
        return PlanState(
            path=path,
            trials=counted,
            changes=(),
            failures=result.summary.failures,
            needs_short=sum(map(bool, short)),
            short_events=sum(short),
            minimum_free=result.malloc.minimum_free,
        )

    def plans(self, first: PlanState) -> list[PlanState]:
        """The best states, at most PLANS; each ends more failures than it is asked to end."""
        ended: list[PlanState] = []
        open_ = [first]
        for _ in range(DEPTH):
            results = [each for state in open_ for each in self._candidates(state)]
            results.sort(key=lambda each: each.rank)
            entries = [self._plan(each) for each in _unlike(results, WIDTH + PLANS)]
            ended += entries
            least = min((each.cost for each in ended if each.whole), default=None)
            open_ = sorted(
                (
                    each
                    for each in entries
                    if not each.whole and (least is None or each.cost < least)
                ),
                key=lambda each: each.rank,
            )[:WIDTH]
            if not open_:
                break
        ended.sort(key=lambda state: state.rank)
        whole = [state for state in ended if state.whole]
        return _needed(whole or ended)[:PLANS]

    def _candidates(self, state: PlanState) -> Iterator[PlanCandidate]:
        before = ChangeOutcome(
            served=False,
            failures=state.failures,
            minimum_free=state.minimum_free,
            short_events=state.short_events,
        )
        for question in self._questions(state):
            for thinker in THINKERS:
                for idea in thinker(question):
                    if _repeats(idea, state):
                        continue
                    reserved = None if idea.target is None else question.target.need
                    trials = state.trials.without(reserved)
                    outcome = trials.run(idea.variation, idea.target or question.target)
                    if outcome is not None and _trouble(outcome) < state.trouble:
                        change = change_of(idea, outcome, before)
                        yield PlanCandidate(state, idea, change, reserved)

    def _questions(self, state: PlanState) -> Iterator[Question]:
        """Its first failed request, and the first of its largest group; its need that is missed by
        most, and the one that is missed most often."""
        trials = state.trials
        result = self.replayed(state)
        scene = Scene(
            recording=trials.recording,
            layout=trials.layout,
            placement=trials.placement,
            result=result,
        )
        alike = group(result.failures)
        largest = max(alike, key=lambda each: len(each.rows), default=None)
        first = [alike[0].first.event] if alike else []
        for event in dict.fromkeys((*first, *([largest.first.event] if largest else []))):
            moment = look_at_event(scene, event)
            if moment is not None:
                yield Question(
                    moment=moment, target=Target(event=event), trials=trials, knobs=self._knobs
                )
        rows = dict(zip(trials.needs, result.needs, strict=True))
        short = [need for need, row in rows.items() if row.short_events]
        short.sort(key=lambda need: rows[need].minimum_margin)
        often = sorted(short, key=lambda need: -rows[need].short_events)
        for need in dict.fromkeys((*short[:1], *often[:1])):
            yield Question(
                moment=look_at_request(scene, need, rows[need].minimum_margin_event),
                target=Target(need=need),
                trials=trials,
                need=rows[need],
                knobs=self._knobs,
            )

    def replayed(self, state: PlanState) -> ReplayResult:
        """The whole trace as it is in this state, with the needs that its trials look at."""
        trials = state.trials
        self.count()
        return replay(
            state.path,
            trials.layout,
            needs=trials.needs,
            capsets=(),
            buckets=0,
            placement=trials.placement,
        )

    def _plan(self, candidate: PlanCandidate) -> PlanState:
        variation, state = candidate.idea.variation, candidate.state
        path, recording = state.path, state.trials.recording
        if variation.edit is not None:
            self._traces += 1
            path = self._folder / f"changed-{self._traces}.hst"
            path.write_bytes(b"".join(recording.edited(variation.edit)))
            recording = read_recording(path)
        outcome = candidate.change.outcome
        return PlanState(
            path=path,
            trials=Trials(
                recording,
                variation.layout,
                placement=variation.placement or state.trials.placement,
                needs=state.trials.without(candidate.reserved).needs,
                tried=self.count,
            ),
            changes=(*state.changes, candidate.change),
            failures=outcome.failures,
            needs_short=outcome.needs_short or 0,
            short_events=outcome.short_events or 0,
            minimum_free=outcome.minimum_free,
        )

    def grown(self, state: PlanState, before: Layout, more: int) -> PlanState | None:
        """The same plan with so many bytes more in the region that it makes larger. None: it makes
        none larger, or the region cannot grow so far."""
        places = [i for i, change in enumerate(state.changes) if change.kind == "memory"]
        now = state.trials.layout
        if not places:
            return None
        for index, region in enumerate(now.regions):
            was = _was(before, region)
            if was is None or region.size <= was.size:
                continue
            small = replace(region, start=was.start, size=was.size)
            undone = (*now.regions[:index], small, *now.regions[index + 1 :])
            idea = growth_idea(replace(now, regions=undone), index, region.size - was.size + more)
            return None if idea is None else self._replaced(state, places[0], idea)
        return None

    def _replaced(self, state: PlanState, place: int, idea: Idea) -> PlanState | None:
        """With another change in the place of one that changes the layout."""
        trials = Trials(
            state.trials.recording,
            idea.variation.layout,
            placement=state.trials.placement,
            needs=state.trials.needs,
            tried=self.count,
        )
        outcome = trials.run(Variation(layout=trials.layout), Target(event=0))
        if outcome is None:
            return None
        old = state.changes[place]
        new = replace(
            old,
            text=idea.text,
            options=idea.options,
            given_up=idea.given_up,
            cost=old.cost + idea.given_up - old.given_up,
        )
        return replace(
            state,
            trials=trials,
            changes=(*state.changes[:place], new, *state.changes[place + 1 :]),
            failures=outcome.failures,
            needs_short=outcome.needs_short or 0,
            short_events=outcome.short_events or 0,
            minimum_free=outcome.minimum_free,
        )


def _was(before: Layout, region: Region) -> Region | None:
    """The region as it was: it grew at its start or at its end."""
    return next(
        (each for each in before.regions if each.start == region.start or each.end == region.end),
        None,
    )


def _needed(states: Sequence[PlanState]) -> list[PlanState]:
    """Without those that do no more than a better one with fewer changes of the same kinds."""
    kept: list[PlanState] = []
    for state in states:
        kinds = {change.kind for change in state.changes}
        if not any({change.kind for change in each.changes} <= kinds for each in kept):
            kept.append(state)
    return kept


def _repeats(idea: Idea, state: PlanState) -> bool:
    """A change of the kind that a later one of its kind would undo, or the same lines again."""
    return any(
        (change.kind == idea.kind and idea.kind in ONCE)
        or change.text == idea.text
        or (bool(idea.lines) and change.lines == idea.lines)
        for change in state.changes
    )


def _unlike(plan_candidates: Sequence[PlanCandidate], most: int) -> list[PlanCandidate]:
    """Keeps the best candidate of each kind, without two that modify the same thing."""
    kept: dict[tuple[str, ...], PlanCandidate] = {}
    for each in plan_candidates:
        kinds = (*(change.kind for change in each.state.changes), each.change.kind)
        kept.setdefault(kinds, each)
    return list(kept.values())[:most]
