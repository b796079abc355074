"""The search for a plan: changes on top of changes, each replayed with the whole trace.

A state is the trace and the memory with some changes made. The changes that `why` knows are thought
of anew at each state, for its first failed request and for the one of its largest group; those that
end failures lead to the next states, and the best few go on (docs/design/plan.md).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.layout.layout import Layout, Region
from heapscope.measure.result import ReplayResult
from heapscope.predict.knob_offers import KnobOffer
from heapscope.replay.run import replay
from heapscope.why.change import Change, ChangeOutcome
from heapscope.why.changes import THINKERS, change_of
from heapscope.why.groups import group
from heapscope.why.idea import Idea, Question
from heapscope.why.ideas_memory import growth_idea
from heapscope.why.moment import Scene, look_at_event
from heapscope.why.recording import read_recording
from heapscope.why.trial import Target, Trials, Variation

WIDTH = 2  # states that go on
DEPTH = 4  # changes of a plan
PLANS = 3  # that are given
ONCE = ("memory", "threshold", "order", "allocator", "poisoning")


@dataclass(frozen=True, kw_only=True)
class PlanState:
    """Some changes made. `path`: of the trace as it is then; `event`: of the request that the last
    change was thought of for."""

    path: Path
    trials: Trials
    changes: tuple[Change, ...]
    failures: int
    minimum_free: int

    @property
    def cost(self) -> int:
        return sum(change.cost for change in self.changes)

    @property
    def rank(self) -> tuple[int, int, int]:
        return self.failures, self.cost, -self.minimum_free

    @property
    def variation(self) -> Variation:
        return Variation(layout=self.trials.layout, placement=self.trials.placement)


@dataclass(frozen=True)
class PlanCandidate:
    """A change to a state that ends failures."""

    state: PlanState
    idea: Idea
    change: Change

    @property
    def rank(self) -> tuple[int, int, int]:
        after = self.change.outcome
        return after.failures, self.state.cost + self.change.cost, -after.minimum_free


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
            trials.recording, trials.layout, placement=trials.placement, tried=self.count
        )
        return PlanState(
            path=path,
            trials=counted,
            changes=(),
            failures=result.summary.failures,
            minimum_free=result.malloc.minimum_free,
        )

    def plans(self, first: PlanState) -> list[PlanState]:
        """The best states, at most PLANS; each ends more failures than it has to be told of."""
        ended: list[PlanState] = []
        open_ = [first]
        for _ in range(DEPTH):
            found = [each for state in open_ for each in self._candidates(state)]
            found.sort(key=lambda each: each.rank)
            made = [self._made(each) for each in _unlike(found, WIDTH + PLANS)]
            ended += made
            least = min((each.cost for each in ended if not each.failures), default=None)
            open_ = sorted(
                (each for each in made if each.failures and (least is None or each.cost < least)),
                key=lambda each: each.rank,
            )[:WIDTH]
            if not open_:
                break
        ended.sort(key=lambda state: state.rank)
        whole = [state for state in ended if not state.failures]
        return _needed(whole or ended)[:PLANS]

    def _candidates(self, state: PlanState) -> Iterator[PlanCandidate]:
        before = ChangeOutcome(
            served=False,
            failures=state.failures,
            minimum_free=state.minimum_free,
            short_events=None,
        )
        for question in self._questions(state):
            for thinker in THINKERS:
                for idea in thinker(question):
                    if _repeats(idea, state):
                        continue
                    outcome = state.trials.run(idea.variation, idea.target or question.target)
                    if outcome is not None and outcome.failures < state.failures:
                        yield PlanCandidate(state, idea, change_of(idea, outcome, before))

    def _questions(self, state: PlanState) -> Iterator[Question]:
        """Its first failed request, and the first of its largest group."""
        trials = state.trials
        result = replay(
            state.path, trials.layout, capsets=(), buckets=0, placement=trials.placement
        )
        self.count()
        alike = group(result.failures)
        if not alike:
            return
        scene = Scene(
            recording=trials.recording,
            layout=trials.layout,
            placement=trials.placement,
            result=result,
        )
        largest = max(alike, key=lambda each: len(each.rows))
        for event in dict.fromkeys((alike[0].first.event, largest.first.event)):
            moment = look_at_event(scene, event)
            if moment is not None:
                yield Question(
                    moment=moment, target=Target(event=event), trials=trials, knobs=self._knobs
                )

    def _made(self, candidate: PlanCandidate) -> PlanState:
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
                tried=self.count,
            ),
            changes=(*state.changes, candidate.change),
            failures=outcome.failures,
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
            return self._replaced(state, places[0], idea)
        return None

    def _replaced(self, state: PlanState, place: int, idea: Idea) -> PlanState | None:
        """With another change in the place of one that changes the layout."""
        trials = Trials(
            state.trials.recording,
            idea.variation.layout,
            placement=state.trials.placement,
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


def _unlike(found: Sequence[PlanCandidate], most: int) -> list[PlanCandidate]:
    """The best of each kind of change, and no two that change the same."""
    kept: dict[tuple[str, ...], PlanCandidate] = {}
    for each in found:
        kinds = (*(change.kind for change in each.state.changes), each.change.kind)
        kept.setdefault(kinds, each)
    return list(kept.values())[:most]
