"""Finds plans, tests them on perturbed runs, and says what is known of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.answers.why.plan import Plan, PlanAnswer, PlannedRequest
from heapscope.answers.why.plan_search import PlanSearch, PlanState
from heapscope.answers.why.plan_words import ASSUMED, lines_of, patch, predicted, steps, steps_text
from heapscope.answers.why.trial import Target, Trials
from heapscope.base.interrupt import scratch_folder
from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.forecast.predict.knob_offers import KnobOffer
from heapscope.simulation.jitter.runs import STRENGTH, Jitter, PerturbedRuns
from heapscope.simulation.jitter.share import Share, share
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.loss import is_cut
from heapscope.trace.whole import read_whole

_CONFIG_MAX = 16 << 20  # bytes
RUNS = 50  #: perturbed runs by default
ENOUGH = 0.95  # of the runs; below it the plan's memory grows further
_NONE = (0, 0)  # failures, and needs that do not always fit
_GROWTHS = (64, 32, 16, 8, 4)  # the added memory, as parts of the region that grows


@dataclass(frozen=True, kw_only=True)
class PlanWish:
    """The plan that is asked for. `jitter` None: nothing is tested on perturbed runs. `sdkconfig`:
    the name and the text of the file that a patch is made for."""

    jitter: Jitter | None = None
    sdkconfig: tuple[str, str] | None = None


def plan_wish(
    sdkconfig: str | Path | None,
    *,
    jitter: int | None = None,
    seed: int = 0,
    strength: float = STRENGTH,
) -> PlanWish:
    """`jitter`: perturbed runs; None: RUNS. InputError: a value is outside its range."""
    count = RUNS if jitter is None else jitter
    perturbed = Jitter(runs=count, seed=seed, strength=strength) if count else None
    if perturbed is not None:
        perturbed.check()
    if sdkconfig is None:
        return PlanWish(jitter=perturbed)
    file = Path(sdkconfig)  # it was read before, as options
    remedy = "give the project's sdkconfig"
    whole = read_whole(file, limit=_CONFIG_MAX, what="a configuration", remedy=remedy)
    name, text = printable(file.name, limit=200), whole.data.decode("utf-8", "replace")
    return PlanWish(jitter=perturbed, sdkconfig=(name, text))


@dataclass(frozen=True)
class _Tested:
    """Failures of each perturbed run and the needs that did not always fit in it; and what differs
    from run to run."""

    troubles: tuple[tuple[int, int], ...]
    varied: tuple[str, ...]

    @property
    def good(self) -> Share:
        return share(self.troubles.count(_NONE), len(self.troubles))

    def helped(self, before: _Tested) -> int:
        """The runs in which something is better and nothing is worse, or nothing is wrong."""
        pairs = zip(self.troubles, before.troubles, strict=True)
        return sum(_better(now, then) for now, then in pairs)


def _better(now: tuple[int, int], then: tuple[int, int]) -> bool:
    worse = any(after > was for after, was in zip(now, then, strict=True))
    return not worse and (now != then or now == _NONE)


def find_plan(
    path: Path,
    trials: Trials,
    result: ReplayResult,
    *,
    wish: PlanWish,
    knobs: tuple[KnobOffer, ...] = (),
    tried: Callable[[], None] | None = None,
) -> PlanAnswer:
    """`result`: of the trace as it is, with the needs of `trials`, which a plan keeps true. Changed
    traces lie in a temporary folder meanwhile."""
    failures = result.summary.failures
    if is_cut(result.loss):
        return _nothing(
            failures,
            "No plan is made: events are missing in the trace, so how the run went on is not "
            "known. A recording without a loss settles it.",
        )
    if not failures and not any(row.short_events for row in result.needs):
        needs = " and each need always fits" if result.needs else ""
        return _nothing(0, f"No request of the trace fails{needs}, so there is nothing to plan.")
    with scratch_folder() as folder:
        search = PlanSearch(Path(folder), knobs, tried)
        first = search.begin(path, trials, result)
        states = search.plans(first)
        if not states:
            return replace(
                _nothing(failures, *_no_help(search.replays, result)), tried=search.replays
            )
        return _Judge(search, first, result, wish, knobs).answer(states)


def _nothing(failures: int, *answer: str) -> PlanAnswer:
    return PlanAnswer(
        plans=(),
        tried=0,
        failures=failures,
        jitter=None,
        varied=(),
        predicted=(),
        answer=answer,
    )


def _no_help(replays: int, result: ReplayResult) -> tuple[str, str]:
    needs = " or lets a need fit more often" if result.needs else ""
    return (
        f"No change that was tried, in {plural(replays, 'replay')}, makes fewer requests fail"
        f"{needs}.",
        "Either the requests are larger than the memory can be, or the program keeps more than it "
        "needs: heapscope leaks shows what stays, and a recording with call sites shows who asks.",
    )


class _Judge:
    """Plans, held against the trace without a plan."""

    def __init__(
        self,
        search: PlanSearch,
        first: PlanState,
        result: ReplayResult,
        wish: PlanWish,
        knobs: tuple[KnobOffer, ...],
    ) -> None:
        self._search = search
        self._first = first
        self._rows = dict(zip(first.trials.needs, result.needs, strict=True))
        self._wish = wish
        self._knobs = knobs
        self._before = self._tested(first)

    def answer(self, states: Sequence[PlanState]) -> PlanAnswer:
        judged = [self._judged(state) for state in states]
        judged.sort(key=lambda pair: (*pair[0].trouble, *_weak(pair[1]), *pair[0].rank))
        plans = [self._plan(i, *pair) for i, pair in enumerate(judged, start=1)]
        best = plans[0]
        return PlanAnswer(
            plans=tuple(plans),
            tried=self._search.replays,
            failures=self._first.failures,
            jitter=self._wish.jitter,
            varied=() if self._before is None else self._before.varied,
            predicted=predicted(self._knobs, best.changes),
            answer=(
                *steps_text(
                    best.changes,
                    before=self._first.failures,
                    failures=best.failures,
                    needs=best.needs,
                    runs=best.runs,
                    runs_before=best.runs_before,
                    helps=best.helps,
                ),
                ASSUMED,
            ),
        )

    def _judged(self, state: PlanState) -> tuple[PlanState, _Tested | None]:
        """With more memory, where a plan that makes memory larger fails in too many runs."""
        tested = self._tested(state)
        if tested is None or not state.whole:
            return state, tested
        best = state, tested
        largest = max(region.size for region in self._first.trials.layout.regions)
        for part in _GROWTHS:
            if best[1].good.good >= ENOUGH * tested.good.runs:
                break
            grown = self._search.grown(state, self._first.trials.layout, largest // part // 8 * 8)
            if grown is None or not grown.whole:
                continue
            again = self._tested(grown)
            if again is not None and again.good.good > best[1].good.good:
                best = grown, again
        return best

    def _tested(self, state: PlanState) -> _Tested | None:
        if self._wish.jitter is None:
            return None
        with PerturbedRuns(state.trials.recording.push, self._wish.jitter) as runs:
            troubles: list[tuple[int, int]] = []
            for number in range(self._wish.jitter.runs):
                reader = state.trials.reader(state.variation, Target())
                assert reader is not None  # the same memory was replayed on
                with reader:
                    runs.play(reader, number)
                    short = sum(bool(row.short_events) for row in reader.needs())
                    troubles.append((reader.summary().failures, short))
                self._search.count()
            return _Tested(tuple(troubles), runs.varied)

    def _needs(self, state: PlanState) -> Iterator[PlannedRequest]:
        """They come from one more replay of the whole trace; none: nothing was needed."""
        if not self._rows:
            return
        needs = self._search.replayed(state).needs
        after = dict(zip(state.trials.needs, needs, strict=True))
        for need, before in self._rows.items():
            row = after.get(need)
            how = "reserved" if row is None else "short" if row.short_events else "fits"
            yield PlannedRequest(
                size=before.size,
                capabilities=before.capabilities,
                how=how,
                short_events=0 if row is None else row.short_events,
                short_before=before.short_events,
                minimum_margin=None if row is None else row.minimum_margin,
            )

    def _plan(self, number: int, state: PlanState, tested: _Tested | None) -> Plan:
        before, changes = self._before, state.changes
        lines = lines_of(changes)
        given = self._wish.sdkconfig
        helps = None if tested is None or before is None else tested.helped(before)
        return Plan(
            number=number,
            changes=changes,
            failures=state.failures,
            ended=self._first.failures - state.failures,
            given_up=sum(change.given_up for change in changes),
            cost=sum(change.cost for change in changes),
            minimum_free=state.minimum_free,
            needs=tuple(self._needs(state)),
            runs=None if tested is None else tested.good,
            runs_before=None if before is None else before.good,
            helps=helps,
            lines=lines,
            patch=patch(lines, *given) if given is not None and lines else "",
            rules=tuple(line for change in changes for line in change.rules),
            steps=steps(changes),
        )


def _weak(tested: _Tested | None) -> tuple[bool]:
    """A plan that fails in too many runs comes behind those that do not."""
    return (tested is not None and tested.good.good < ENOUGH * tested.good.runs,)
