"""The best configuration for a program of which there is a trace: solved and replayed in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.request import Request
from heapscope.base.rows.request import RequestRow
from heapscope.base.wording import plural
from heapscope.config.config import Config
from heapscope.forecast.predict.least_memory import STEP_KB, LeastMemory, bytes_of
from heapscope.forecast.predict.system_layout import SystemMemory
from heapscope.forecast.predict.system_load import busiest_memory
from heapscope.forecast.tune.answer import Companion, TuneResult, TuneTrace
from heapscope.forecast.tune.goals import Goal
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import with_choice
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.question import TuneQuestion, answer
from heapscope.forecast.tune.tls import recorded_variant
from heapscope.trace.metadata import recorded_facts


def by_replays(
    problem: Problem,
    question: TuneQuestion,
    traces: Sequence[Path],
    requests: tuple[Request, ...],
    notes: Sequence[str],
    progress: Callable[[int], None],
    *,
    traced: bool = False,
) -> TuneResult:
    """The best of the program's variants, each with a trace of its own: no model knows what a TLS
    mode allocates when, so each is asked. Between equals the one that needs least is taken.
    `traced`: the traces have the system's blocks too."""

    def worth(result: TuneResult) -> tuple[bool, float, float]:
        least = -result.relaxation.share if result.relaxation else 0.0
        if result.best is not None:
            least = round(problem.amount(question.prefer, result.best), 3)
        fits = result.replay.fits_from_kb if result.replay else 0.0
        return result.best is not None, least, -fits

    results = [
        _by_replay(problem, question, trace, requests, notes, progress, traced) for trace in traces
    ]
    best = max(results, key=worth)
    others = [each.replay for each in results if each is not best and each.replay is not None]
    entries = [f"{Path(o.trace).name} needs {o.fits_from_kb:.2f} KB: not taken" for o in others]
    return replace(best, notes=(*best.notes, *entries))


def _by_replay(
    problem: Problem,
    question: TuneQuestion,
    trace: Path,
    requests: tuple[Request, ...],
    notes: Sequence[str],
    progress: Callable[[int], None],
    traced: bool,
) -> TuneResult:
    """Solve, replay, cut, until the replay agrees."""
    replays = refused = 0

    def of(config: Config) -> LeastMemory:
        return LeastMemory(
            trace=trace,
            system=_system(problem, config, traced),
            requests=requests,
            progress=lambda done: progress(replays + done),
        )

    lines = recorded_variant(problem.config, recorded_facts(trace))
    memory = of(problem.config)
    least = memory.least()
    floor = 0.0 if traced else least  # memory of another state than what the search asks for
    while True:
        result = answer(problem, _with_free(question, floor), notes=notes)
        if result.best is None:
            break
        replays += memory.replays
        chosen = with_choice(problem.config, result.best.choice)
        also = {each.option: each.value for each in result.companions}
        memory = of(chosen.changed_to({**also, **lines}))
        least, free = memory.least(), _kilobytes(memory.system, problem)
        if free >= least and memory.survives(free):
            break
        refused += 1
        missing = max(STEP_KB, least - free)
        floor = max(floor, problem.amount(FREE, result.best) + missing)
    piece = f" with {bytes_of(requests)} always in one piece" if requests else ""
    text = (
        f"{trace.name} fits{piece} from {least:.2f} KB on of the memory that Wi-Fi, lwIP and the "
        f"SDK's tasks leave to the program ({replays + memory.replays} replays)"
    )
    if memory.unmet:
        text += f"; {plural(memory.unmet, 'request')} that no memory of the chip serves left aside"
    left = None if result.best is None else _kilobytes(memory.system, problem)
    facts = TuneTrace(
        trace=str(trace),
        fits_from_kb=least,
        replays=replays + memory.replays,
        refused=refused,
        needs=tuple(map(RequestRow.of, requests)),
        minimum_free=None if left is None else memory.at(left).sets[0].minimum_free,
        largest_min=None if left is None else memory.largest(left),
    )
    recorded = tuple(
        Companion(option=name, value=value, reason=f"{trace.name} was recorded with it")
        for name, value in lines.items()
    )
    return replace(
        result,
        companions=(*result.companions, *(recorded if result.best is not None else ())),
        notes=(*result.notes, text),
        replay=facts,
    )


def _system(problem: Problem, config: Config, traced: bool) -> SystemMemory:
    model = problem.left.model
    return busiest_memory(replace(model.of(config), own=model.own), traced=traced)


def _kilobytes(system: SystemMemory, problem: Problem) -> float:
    """The memory that a configuration leaves, at the bound that counts."""
    return (system.left if problem.median else system.held) / 1024


def _with_free(question: TuneQuestion, floor: float) -> TuneQuestion:
    """The trace adds a goal of memory, where the user has none that is larger."""
    if floor == 0:
        return question
    own = [goal for goal in question.goals if goal.target == FREE and goal.amount >= floor]
    others = tuple(goal for goal in question.goals if goal.target != FREE)
    mine = own or [Goal(target=FREE, amount=floor, text="--trace")]
    return replace(question, goals=(*others, *mine))
