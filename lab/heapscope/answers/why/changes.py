"""The changes to one moment: thought of, replayed, ranked."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from heapscope.answers.why.change import EFFORTS, Change, ChangeOutcome
from heapscope.answers.why.idea import Idea, Question
from heapscope.answers.why.ideas_knobs import options_of_the_sdk
from heapscope.answers.why.ideas_leaks import what_leaks_freed
from heapscope.answers.why.ideas_memory import (
    another_allocator,
    another_order,
    another_threshold,
    more_memory,
)
from heapscope.answers.why.ideas_private import private_heap
from heapscope.answers.why.ideas_program import (
    earlier,
    obstacles_earlier,
    one_fewer,
    other_capabilities,
)
from heapscope.base.wording import plural, size

Thinker = Callable[[Question], Iterator[Idea]]

#: All changes that are tried. A module that knows another kind of change adds its thinker here.
THINKERS: tuple[Thinker, ...] = (
    what_leaks_freed,
    more_memory,
    another_threshold,
    options_of_the_sdk,
    earlier,
    obstacles_earlier,
    other_capabilities,
    another_order,
    another_allocator,
    one_fewer,
    private_heap,
)


def changes_for(
    question: Question, before: ChangeOutcome, *, thinkers: tuple[Thinker, ...] = THINKERS
) -> tuple[tuple[Change, ...], tuple[Change, ...]]:
    """Those that help, best first; and those that were tried and do not."""
    tried = [
        change_of(idea, outcome, before)
        for thinker in thinkers
        for idea in thinker(question)
        if (outcome := question.trials.run(idea.variation, idea.target or question.target))
    ]
    helpful = [change for change in tried if _gains(change.outcome, before, question)]
    unhelpful = tuple(change for change in tried if change not in helpful)
    helpful = _least_thresholds(helpful, question)
    helpful.sort(key=_rank)
    return tuple(helpful), unhelpful


def _gains(outcome: ChangeOutcome, before: ChangeOutcome, question: Question) -> bool:
    """The request is served, and not at the cost of another one: where the trace asked for it,
    fewer of its requests fail."""
    if question.target.need is not None:
        return outcome.served and outcome.failures <= before.failures
    return outcome.served and outcome.failures < max(1, before.failures)


#: In the order in which an engineer tries them: the program first, then where it allocates, then
#: the SDK, then its allocator, and the chip last.
ORDER = (
    *("free", "fewer", "early", "capability", "threshold", "order"),
    *("private", "knob", "poisoning", "allocator", "memory"),
)


def _rank(change: Change) -> tuple[int, int, int, int]:
    """The order in which they are tried comes first, then the cost, then what is left."""
    after = change.outcome
    return ORDER.index(change.kind), change.cost, after.failures, -after.minimum_free


def _least_thresholds(changes: list[Change], question: Question) -> list[Change]:
    """Keeps only the limit of malloc nearest to today's, where several limits help."""
    rule = question.trials.layout.malloc.threshold
    limits = [change for change in changes if change.kind == "threshold"]
    if len(limits) < 2:
        return changes
    nearest = min(limits, key=lambda change: abs(_limit(change) - rule))
    return [change for change in changes if change.kind != "threshold" or change is nearest]


def _limit(change: Change) -> int:
    """Out of "... above 4,096 B instead of ..."."""
    return int(change.text.split(" above ")[1].split(" B")[0].replace(",", ""))


def change_of(idea: Idea, outcome: ChangeOutcome, before: ChangeOutcome) -> Change:
    return Change(
        kind=idea.kind,
        text=idea.text,
        options=idea.options,
        rules=idea.rules,
        lines=idea.lines,
        effort=idea.effort,
        given_up=idea.given_up,
        cost=EFFORTS[idea.effort].worth + idea.given_up,
        outcome=outcome,
        result=_result(outcome, before),
    )


def _result(outcome: ChangeOutcome, before: ChangeOutcome) -> str:
    head = "does not help" if not outcome.served else "it succeeds"
    if outcome.short_events:
        head = f"short after {plural(outcome.short_events, 'event')}"
        if before.short_events:
            head += f" instead of {before.short_events:,}"
    rest = f"{size(outcome.minimum_free)} free at the least"
    if outcome.failures == before.failures == 0:
        return f"{head}; {rest}"
    if outcome.failures == 0:
        return f"{head}, and no request of the trace fails; {rest}"
    now = plural(outcome.failures, "request")
    fail = "fails" if outcome.failures == 1 else "fail"
    return f"{head}; {now} of the trace still {fail} ({before.failures:,} now); {rest}"
