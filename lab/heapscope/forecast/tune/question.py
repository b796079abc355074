"""One question: the best configuration under goals, and why it is that one."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.base.errors import InputError
from heapscope.config.rules import all_rules
from heapscope.forecast.predict.environment import AIR, Environment
from heapscope.forecast.predict.wifi_table import METRICS, chips
from heapscope.forecast.tune.answer import (
    Alternative,
    Candidate,
    ChangedKnob,
    Companion,
    GoalResult,
    Relaxation,
    TuneResult,
)
from heapscope.forecast.tune.goals import SPEED, Goal
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import LABELS, broken_rules, option_values, with_choice
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.space import Choice

#: Relative change of a goal below which it is the solver's tolerance and not a gain.
_GAIN = 1e-5
#: Share of a typical cost that no figure of an alternative shows.
_SHOWN = 1e-3


@dataclass(frozen=True, kw_only=True)
class TuneQuestion:
    goals: tuple[Goal, ...]
    prefer: str
    keep: tuple[str, ...] = ()


def default_preference(goals: Sequence[Goal]) -> str:
    """Memory; speed where the goals ask only for memory."""
    return SPEED if goals and all(goal.target == FREE for goal in goals) else FREE


def answer(problem: Problem, question: TuneQuestion, *, notes: Sequence[str] = ()) -> TuneResult:
    """InputError where what is kept contradicts the rules, so that nothing is left."""
    now = problem.present
    limits = problem.limits(question.goals)
    result = problem.best(question.prefer, limits)
    reported = [*notes, *_notes(problem, question)]
    if result is None:
        relaxation = _relaxation(problem, question)
        return _result(
            problem,
            question,
            now=now,
            best=None,
            goals=tuple(
                _met(goal, problem.amount(goal.target, relaxation.best), None)
                for goal in question.goals
            ),
            relaxation=relaxation,
            notes=reported,
        )
    best = problem.candidate(problem.simplest(question.prefer, limits, result))
    return _result(
        problem,
        question,
        now=now,
        best=best,
        bound=None if question.prefer == SPEED else _amount(question.prefer, result.bound),
        goals=tuple(_goals(problem, question, best, result.choice)),
        changes=tuple(_changes(problem, best)),
        companions=tuple(_companions(problem, best)),
        alternatives=tuple(_alternatives(problem, question, best)),
        notes=[*reported, *_missing(best)],
    )


def _result(
    problem: Problem,
    question: TuneQuestion,
    *,
    now: Candidate,
    best: Candidate | None,
    goals: tuple[GoalResult, ...],
    notes: Sequence[str],
    bound: float | None = None,
    changes: tuple[ChangedKnob, ...] = (),
    companions: tuple[Companion, ...] = (),
    alternatives: tuple[Alternative, ...] = (),
    relaxation: Relaxation | None = None,
) -> TuneResult:
    return TuneResult(
        chip=problem.now.chip,
        sdk=problem.config.sdk,
        psram=problem.now.psram,
        environment=problem.environment,
        prefer=question.prefer,
        median=problem.median,
        now=now,
        best=best,
        domain=tuple(problem.domain.searched()),
        no_configuration_above=bound,
        equal_within=None if bound is None else problem.equal_within(question.prefer, bound),
        goals=goals,
        changes=changes,
        companions=companions,
        alternatives=alternatives,
        relaxation=relaxation,
        notes=tuple(notes),
        programmes=problem.solved,
    )


def _amount(target: str, cost: float) -> float:
    return -cost if target == FREE else 1 / cost


def _met(goal: Goal, value: float, without: float | None) -> GoalResult:
    return GoalResult(**vars(goal), value=value, gain_without=without)


def _goals(
    problem: Problem, question: TuneQuestion, best: Candidate, most: Choice
) -> list[GoalResult]:
    """`most`: the optimum, as good as which the best is."""
    have = problem.amount(question.prefer, problem.candidate(most))

    def dropped(goal: Goal) -> GoalResult:
        if goal.target == question.prefer:  # there is the most of it, and that is enough
            return _met(goal, problem.amount(goal.target, best), 0.0)
        others = [each for each in question.goals if each is not goal]
        without = problem.best(question.prefer, problem.limits(others), known=most)
        gain = 0.0
        if without is not None:
            then = problem.amount(question.prefer, problem.candidate(without.choice))
            gain = then - have if then - have > _GAIN * max(abs(have), 1.0) else 0.0
        return _met(goal, problem.amount(goal.target, best), gain)

    return [dropped(goal) for goal in question.goals]


def _changes(problem: Problem, best: Candidate) -> Iterator[ChangedKnob]:
    """With everything else as in the best configuration."""
    whole = {rule.id for rule in broken_rules(with_choice(problem.config, best.choice))}
    for name, after in best.choice.items():
        before = problem.current[name]
        if before == after:
            continue
        back = problem.candidate({**best.choice, name: before})
        here, there = (problem.left.elsewhere(each.choice) for each in (best, back))
        at_back = {
            rule.id for rule in broken_rules(with_choice(problem.config, back.choice))
        } - whole
        yield ChangedKnob(
            knob=name,
            old=before,
            new=after,
            effect={
                metric: best.median[metric] - back.median[metric] for metric in (FREE, *METRICS)
            }
            | {place: here[place] - there[place] for place in here},
            breaks_if_put_back=tuple(sorted(at_back)),
        )


def _alternatives(
    problem: Problem, question: TuneQuestion, best: Candidate
) -> Iterator[Alternative]:
    """The best that leaves one changed knob as it is, where that can be."""
    limits = problem.limits(question.goals)
    have = problem.amount(question.prefer, best)
    changed = [
        name
        for name, after in best.choice.items()
        if problem.current[name] != after
        and problem.current[name] in problem.domain.space.knob(name).values
    ]

    for name in changed:
        held = {name: problem.current[name]}
        known = {**best.choice, **held}
        result = problem.best(question.prefer, limits, held=held, known=known, near=_SHOWN)
        if result is not None:
            candidate = problem.candidate(result.choice)
            loss = max(0.0, have - problem.amount(question.prefer, candidate))
            yield Alternative(kept=name, best=candidate, loss=loss)


def _missing(best: Candidate) -> Iterator[str]:
    """Where no goal asks for memory, the answer may have less than none."""
    left = best.median[FREE]
    if left < 0:
        yield (
            f"it does not fit: {-left:.1f} KB of memory are missing; --goal free>=1KB finds a "
            "configuration that has some, or says that none has"
        )


def _relaxation(problem: Problem, question: TuneQuestion) -> Relaxation:
    limits = problem.limits(question.goals)
    shares = {quantity: abs(high) for quantity, high in limits.items()}
    result = problem.search.relaxed(limits, shares)
    if result is None:
        broken = ", ".join(sorted({rule.id for rule in broken_rules(problem.config)}))
        names = ", ".join(LABELS[name] for name in question.keep)
        kept = f" with {names} kept" if names else ""
        because = f" (broken now: {broken})" if broken else ""
        raise InputError(
            f"no configuration keeps all hard rules{kept}{because}",
            remedy="keep less, or mend the sdkconfig first: heapscope lint",
        )
    # many give way by as little: the best of them
    moved = {
        quantity: high + (result.value + _GAIN) * shares[quantity]
        for quantity, high in limits.items()
    }
    kindest = problem.best(question.prefer, moved)
    best = problem.candidate(
        result.choice if kindest is None else problem.simplest(question.prefer, moved, kindest)
    )
    alone: dict[str, float | None] = {}
    for goal in question.goals:
        others = [each for each in question.goals if each is not goal]
        most = problem.best(goal.target, problem.limits(others))
        alone[goal.target] = None if most is None else _amount(goal.target, most.value)
    return Relaxation(
        share=result.value,
        best=best,
        amounts={
            goal.target: _amount(goal.target, limits[quantity] + result.value * shares[quantity])
            for goal in question.goals
            for quantity in (problem.quantities[goal.target],)
        },
        alone=alone,
    )


def _companions(problem: Problem, best: Candidate) -> Iterator[Companion]:
    """Advice about the network's options that the change, and not the user, breaks."""
    before, after = problem.config, with_choice(problem.config, best.choice)
    tuned = {
        option
        for name, value in best.choice.items()
        for option in option_values(problem.now.chip, name, value)
    }
    seen: set[str] = set()
    for _ in range(2):  # a mailbox that follows a window is followed by the next
        for rule in all_rules():
            for check in rule.checks if rule.area == "lwip" and not rule.hard else ():
                new = check.broken(after) and not check.broken(before)
                if not new or not check.counts_in(after.sdk):
                    continue
                for option, value in check.replacements(after).items():
                    if option not in tuned and option not in seen:
                        seen.add(option)
                        after = after.changed_to({option: value})
                        reason = f"{rule.id}: {rule.text}"
                        yield Companion(option=option, value=value, reason=reason)


def _where(environment: Environment) -> str:
    texts = ["in air" if environment.place == AIR else "in a shielded box"]
    if environment.round_trip_ms:
        texts.append(f"round trip longer by {environment.round_trip_ms:g} ms")
    if environment.loss:
        texts.append(f"{100 * environment.loss:g} % of the frames lost")
    return ", ".join(texts)


def _notes(problem: Problem, question: TuneQuestion) -> Iterator[str]:
    now, domain = problem.now, problem.domain
    yield from problem.notes
    held = "median" if problem.median else "lower bound of the 80 % band"
    yield f"goals are held at the {held}"
    yield "windows are tried in steps of 1,024 bytes, buffers in steps of 1"
    if domain.thin:
        yield f"no published table of the {now.group}: values tried are those of other chips"
    out = [LABELS[name] for name in domain.outside if name not in question.keep]
    if out:
        yield f"outside the published values now: {', '.join(out)}; the models know less there"
    if not problem.environment.plain:
        yield _where(problem.environment)
    highest = chips()[now.chip].mhz
    if now.mhz and now.mhz != highest:
        yield f"the CPU is at {now.mhz} MHz, the published figures are of {highest}"
    broken = [rule.id for rule in broken_rules(problem.config)]
    if broken:
        yield f"the configuration as it is breaks: {', '.join(sorted(set(broken)))}"
