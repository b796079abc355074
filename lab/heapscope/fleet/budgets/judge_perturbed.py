"""The budget of perturbed runs: the share of them in which the other budgets are kept."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from heapscope.fleet.budgets.budget import Budget
from heapscope.fleet.budgets.judge_replay import judge_replay
from heapscope.fleet.budgets.judgement import Cause, Judgement
from heapscope.simulation.jitter.share import share
from heapscope.simulation.result.result import ReplayResult

HELD = ("failures", "min_free", "need", "task")  #: budgets that a perturbed run is held to


def held_budgets(budgets: Iterable[Budget]) -> tuple[Budget, ...]:
    """Those of HELD, and that nothing fails, where none of them says how much may."""
    held = tuple(budget for budget in budgets if budget.kind in HELD)
    if any(budget.kind == "failures" for budget in held):
        return held
    return (*held, Budget(kind="failures", limit=0, given="0"))


def judge_perturbed(held: Sequence[Budget], results: Iterable[ReplayResult]) -> Judgement:
    """A run goes well where all these budgets are kept. There is at least one run."""
    good = runs = 0
    broken: Counter[str] = Counter()
    for result in results:
        runs += 1
        entries = [(budget, judge_replay(budget, result).value) for budget in held]
        bad = [budget.name for budget, value in entries if value is None or not budget.kept(value)]
        broken.update(bad)
        good += not bad
    rate = share(good, runs)
    text = ""
    if broken:
        name, count = broken.most_common(1)[0]
        text = f"{name} is the budget that most of them break: {count:,} of {runs:,} runs do."
    return Judgement(
        value=100 * good / runs,
        of=f"{good:,} of {runs:,} runs, and of all such runs {rate.between} with 95 % confidence",
        cause=Cause(text=text),
    )
