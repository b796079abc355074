"""The best configuration for a program of which there is a trace: solved and replayed in turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.measure.wording import plural
from heapscope.trace.metadata import recorded_facts
from heapscope.tune.answer import Companion, TuneResult, TuneTrace
from heapscope.tune.memory import FREE
from heapscope.tune.needs import TuneNeed
from heapscope.tune.problem import Problem
from heapscope.tune.question import TuneQuestion, answer
from heapscope.tune.replayed import STEP_KB, TraceNeed
from heapscope.tune.tls import recorded_variant


def by_replays(
    problem: Problem,
    question: TuneQuestion,
    traces: Sequence[Path],
    contiguous: int,
    notes: Sequence[str],
    progress: Callable[[int], None],
) -> TuneResult:
    """The best of the program's variants, each with a trace of its own: no model knows what a TLS
    mode allocates when, so each is asked. Between equals the one that needs least is taken."""

    def worth(result: TuneResult) -> tuple[bool, float, float]:
        least = -result.relaxation.share if result.relaxation else 0.0
        if result.best is not None:
            least = round(problem.amount(question.prefer, result.best), 3)
        fits = result.replay.fits_from_kb if result.replay else 0.0
        return result.best is not None, least, -fits

    found = [_by_replay(problem, question, trace, contiguous, notes, progress) for trace in traces]
    best = max(found, key=worth)
    others = [each.replay for each in found if each is not best and each.replay is not None]
    said = [f"{Path(o.trace).name} needs {o.fits_from_kb:.2f} KB: not taken" for o in others]
    return replace(best, notes=(*best.notes, *said))


def _by_replay(
    problem: Problem,
    question: TuneQuestion,
    trace: Path,
    contiguous: int,
    notes: Sequence[str],
    progress: Callable[[int], None],
) -> TuneResult:
    """Solve, replay, cut, until the replay agrees."""
    need = TraceNeed(
        trace=trace,
        config=problem.config,
        contiguous=contiguous,
        progress=progress,
    )
    floor = need.least()
    while True:
        result = answer(problem, _with_free(question, floor), notes=notes)
        free = None if result.best is None else problem.amount(FREE, result.best)
        if free is None or need.survives(free):
            break
        need.refused += 1
        floor = free + STEP_KB
    piece = f" with {contiguous:,} bytes always in one piece" if contiguous else ""
    said = (
        f"{trace.name} fits{piece} from {floor:.2f} KB on of the memory that Wi-Fi, lwIP and the "
        f"SDK's tasks leave to the program ({need.replays} replays)"
    )
    if need.unmet:
        said += f"; {plural(need.unmet, 'request')} that no memory of the chip serves left aside"
    facts = TuneTrace(
        trace=str(trace),
        fits_from_kb=floor,
        replays=need.replays,
        refused=need.refused,
        largest_min=None if free is None else need.largest_at(free),
    )
    lines = recorded_variant(problem.config, recorded_facts(trace))
    recorded = tuple(
        Companion(option=name, value=value, reason=f"{trace.name} was recorded with it")
        for name, value in lines.items()
    )
    return replace(
        result,
        companions=(*result.companions, *(recorded if result.best is not None else ())),
        notes=(*result.notes, said),
        replay=facts,
    )


def _with_free(question: TuneQuestion, floor: float) -> TuneQuestion:
    """The trace adds a need of memory, where the user has none that is larger."""
    own = [need for need in question.needs if need.target == FREE and need.amount >= floor]
    others = tuple(need for need in question.needs if need.target != FREE)
    mine = own or [TuneNeed(target=FREE, amount=floor, text="--trace")]
    return replace(question, needs=(*others, *mine))
