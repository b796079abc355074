"""Explains the failed requests of a trace, and the needs that were asked about."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.answers.fit.floor import Floor, floor_of, floor_sentence
from heapscope.answers.why.case import CaseRequest
from heapscope.answers.why.change import ChangeOutcome
from heapscope.answers.why.changes import changes_for
from heapscope.answers.why.groups import Alike, group
from heapscope.answers.why.idea import Question
from heapscope.answers.why.ideas_knobs import applying
from heapscope.answers.why.moment import Scene, TrialCase, look_at_event, look_at_request
from heapscope.answers.why.movable import movable_of, movable_sentence
from heapscope.answers.why.plan_find import PlanWish, find_plan
from heapscope.answers.why.reasons import WHY, Explained, FailureGroup, RequestWhy, WhyResult
from heapscope.answers.why.recording import Recording, read_recording
from heapscope.answers.why.summary import answer
from heapscope.answers.why.trial import Target, Trials
from heapscope.answers.why.words import group_reason
from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.base.wording import plural, size
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.reader import NativeReader
from heapscope.native.steps import NativeSteps
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.failure import FailureRow
from heapscope.simulation.result.headroom import HeadroomRow
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.verdict import limits
from heapscope.trace.clock import events_named
from heapscope.trace.loss import is_cut

DEPTH = 3  #: groups of failures that are explained in depth


@dataclass(frozen=True, kw_only=True)
class Selection:
    """One failure by its number from 1, or one request by its event; neither: the groups."""

    failure: int | None = None
    event: int | None = None


def explain(
    path: str | Path,
    layout: Layout,
    *,
    needs: Sequence[Request] = (),
    placement: Placement | None = None,
    selection: Selection | None = None,
    depth: int = DEPTH,
    tried: Callable[[], None] | None = None,
    knobs: tuple[KnobOffer, ...] = (),
    knobs_of: str = "",
    plan: PlanWish | None = None,
    movable: str | None = None,
) -> WhyResult:
    """Replays the trace once as it is, then once for every moment and change. `tried` is called
    after each replay with a change. `knobs`: options of the SDK as predicted, of the configuration
    `knobs_of`. `plan`: also one combined set of changes. `movable`: call sites whose blocks the
    program may move. InputError: the trace, the layout or
    the selection is wrong."""
    result = replay(path, layout, needs=needs, capsets=(), buckets=0, placement=placement)
    recording = read_recording(path, clock=result.clock)
    knobs = applying(knobs, recording) if result.summary.failures or needs else ()
    plain = Trials(recording, layout, placement=placement, tried=tried)
    work = _Work(plain, result, knobs)
    selection = selection or Selection()
    chosen = _chosen(selection, result)
    groups = work.groups(depth) if chosen is None else (work.single(chosen, of_failure=selection),)
    requested = () if _nothing_before(result) else zip(needs, result.needs, strict=True)
    explained = tuple(work.need(need, row) for need, row in requested)
    clock = recording.clock(events_named((groups, explained)))
    match = None
    if plan is not None:
        trials = Trials(recording, layout, placement=placement, needs=needs, tried=tried)
        match = find_plan(Path(path), trials, result, wish=plan, knobs=knobs, tried=tried)
    moving = None if movable is None else movable_of(plain, movable)
    floor = _floor(recording) if result.summary.failures and not is_cut(result.loss) else None
    return WhyResult(
        trace=result.trace,
        layout=result.layout,
        events=result.summary.event_count,
        requests=result.summary.results,
        failures=result.summary.failures,
        grouped=len(result.failures),
        minimum_free=result.malloc.minimum_free,
        verdict=result.verdict,
        answer=(
            *answer(result, groups, explained, clock=clock, one=chosen is not None),
            *([] if moving is None else [movable_sentence(moving, result.summary.failures)]),
        ),
        notes=(
            *work.notes(),
            *limits(result),
            *_floor_notes(floor, layout),
        ),
        movable=moving,
        groups=groups,
        needs=explained,
        floor=floor,
        knobs_of=knobs_of,
        knobs=knobs if _wants_knobs(result, explained) else (),
        loss=None if result.loss is None else result.loss.of(WHY),
        plan=match,
        clock=clock,
    )


def _floor(recording: Recording) -> Floor | None:
    with NativeSteps(POOL_BASE) as steps:
        with NativeReader() as reader:
            steps.fill_from(reader)
            recording.push(reader)
        return floor_of(steps)


def _floor_notes(floor: Floor | None, layout: Layout) -> Iterator[str]:
    if floor is None:
        return
    memory = sum(region.size for region in layout.regions)
    text = floor_sentence(floor, None)
    if floor.live > memory:
        text += (
            f" The regions have {size(memory)}: no allocator serves it all there, only more memory "
            "or a smaller program."
        )
    yield text


def _nothing_before(result: ReplayResult) -> bool:
    """The loss is the first thing in the trace: there is no moment to look at."""
    return result.loss is not None and result.loss.event == 0


def _wants_knobs(result: ReplayResult, needs: Sequence[RequestWhy]) -> bool:
    """Something failed; and what would have helped can be told."""
    short = any(need.need.short_events for need in needs)
    return not is_cut(result.loss) and (result.failures != () or short)


def _chosen(selection: Selection, result: ReplayResult) -> int | None:
    """The event of the one request that is asked about."""
    if selection.failure is None:
        return selection.event
    kept = {row.number: row.event for row in result.failures}
    number = selection.failure
    if number not in kept:
        there = _askable(list(kept), number) if kept else "no request failed"
        raise InputError(
            f"{result.trace.path}: no failed request {number:,}: {there}",
            remedy="see them all with: heapscope replay ... --json FILE",
        )
    return kept[number]


def _askable(numbers: Sequence[int], wanted: int) -> str:
    """A sample can be asked for where there are many failures."""
    if numbers[-1] == len(numbers):
        return f"1 to {len(numbers)} can be asked for"
    nearest = sorted(sorted(numbers, key=lambda number: abs(number - wanted))[:3])
    return f"of a sample can be asked for, nearest {', '.join(f'{n:,}' for n in nearest)}"


class _Work:
    """One trace on one layout."""

    def __init__(self, trials: Trials, result: ReplayResult, knobs: tuple[KnobOffer, ...]) -> None:
        self._trials = trials
        self._knobs = knobs
        self._result = result
        self._scene = Scene(
            recording=trials.recording,
            layout=trials.layout,
            placement=trials.placement,
            result=result,
        )
        self._before = ChangeOutcome(
            served=False,
            failures=result.summary.failures,
            minimum_free=result.malloc.minimum_free,
            short_events=None,
        )

    def notes(self) -> Iterator[str]:
        summary = self._result.summary
        if summary.recorded_failures:
            yield (
                f"{plural(summary.recorded_failures, 'request')} failed where the trace was "
                f"recorded, of which {summary.recorded_failures_fit:,} would fit here; what the "
                "program would have done with them is not known, so ask with --need BYTES."
            )
        if is_cut(self._result.loss):
            yield (
                "No change was tried and none is recommended: how it would go after the loss is "
                "not known."
            )

    def groups(self, depth: int) -> tuple[FailureGroup, ...]:
        alike = group(self._result.failures)
        return tuple(
            self._group(number, rows, deep=number <= depth)
            for number, rows in enumerate(alike, start=1)
        )

    def single(self, event: int, *, of_failure: Selection) -> FailureGroup:
        rows = [row for row in self._result.failures if row.event == event]
        moment = self._moment(event)
        if moment.case.served:
            raise InputError(
                f"{self._result.trace.path}: event {event:,} did not fail on "
                f"{self._result.layout.name}",
                remedy=f"why it went where it went: heapscope replay ... --explain {event}",
            )
        number = of_failure.failure or (rows[0].number if rows else 0)
        explained = self._explained(moment, Target(event=event))
        return _failure_group(number, [moment.case.request], (event, event), moment, explained)

    def need(self, need: Request, row: HeadroomRow) -> RequestWhy:
        worst = self._look(need, row.minimum_margin_event)
        first = None
        if row.short_events and row.first_event != row.minimum_margin_event:
            first = self._need(need, row, self._look(need, row.first_event), tries=False)
        return RequestWhy(need=row, first=first, worst=self._need(need, row, worst, tries=True))

    def _look(self, need: Request, event: int | None) -> TrialCase:
        return look_at_request(self._scene, need, event)

    def _need(
        self, need: Request, row: HeadroomRow, moment: TrialCase, *, tries: bool
    ) -> Explained:
        """Changes are judged by all moments at once, so they are tried for one of them only."""
        if not tries or row.short_events == 0:
            return Explained(case=moment.case, changes=(), tried=0, unhelpful=())
        return self._explained(moment, Target(need=need), row)

    def _group(self, number: int, alike: Alike, *, deep: bool) -> FailureGroup:
        rows = alike.rows
        first = self._moment(alike.first.event)
        nearest = None
        if deep and alike.nearest.event != alike.first.event:
            event = alike.nearest.event
            nearest = self._explained(self._moment(event), Target(event=event))
        explained = self._explained(first, Target(event=alike.first.event)) if deep else None
        events = rows[0].event, rows[-1].event
        return _failure_group(number, rows, events, first, explained, nearest)

    def _moment(self, event: int) -> TrialCase:
        moment = look_at_event(self._scene, event)
        if moment is None:
            raise InputError(
                f"{self._result.trace.path}: event {event:,} asks for no memory, or is not in it",
                remedy="give the number of a malloc, calloc, aligned or realloc event",
            )
        return moment

    def _explained(
        self, moment: TrialCase, target: Target, row: HeadroomRow | None = None
    ) -> Explained:
        if is_cut(self._result.loss):
            return Explained(case=moment.case, changes=(), tried=0, unhelpful=())
        question = Question(
            moment=moment,
            target=target,
            trials=self._trials,
            need=row,
            knobs=self._knobs,
        )
        before = self._before
        if row is not None:
            before = replace(before, short_events=row.short_events)
        helpful, unhelpful = changes_for(question, before)
        return Explained(
            case=moment.case,
            changes=helpful,
            tried=len(helpful) + len(unhelpful),
            unhelpful=unhelpful,
        )


def _failure_group(
    number: int,
    rows: Sequence[FailureRow] | Sequence[CaseRequest],
    events: tuple[int, int],
    moment: TrialCase,
    first: Explained | None,
    nearest: Explained | None = None,
) -> FailureGroup:
    """`events`: of the first of the rows and the last."""
    one, sizes = rows[0], [row.size for row in rows]
    return FailureGroup(
        number=number,
        count=len(rows),
        task=one.task,
        site=one.site,
        call=one.call,
        capabilities=one.capabilities,
        smallest=min(sizes),
        largest=max(sizes),
        first_event=events[0],
        last_event=events[1],
        reason=group_reason(moment.case),
        first=first,
        nearest=nearest,
    )
