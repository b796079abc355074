"""The trades that an answer cannot do without: one after the other is put back, the one that gives
least first, as long as the goals are met."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from heapscope.config.value import Value
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.tune.memory import FREE, LeftMemory
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.question import TuneQuestion
from heapscope.forecast.tune.trades import TuneTrade, values_of


def least_trades(
    taken: Sequence[TuneTrade],
    problem: Problem,
    question: TuneQuestion,
    memory_of: Callable[[dict[str, Value]], MemoryModel],
) -> tuple[TuneTrade, ...]:
    """`problem` has all of them; `memory_of`: the memory with some values in place of none. All
    stay where the goals cannot be met even so."""
    result = problem.best(question.prefer, problem.limits(question.goals))
    if result is None:
        return tuple(taken)
    needed = next((goal.amount for goal in question.goals if goal.target == FREE), None)
    left = list(taken)
    for trade in sorted(taken, key=lambda each: each.gain):
        fewer = [each for each in left if each is not trade]
        if needed is not None:
            memory = LeftMemory(model=memory_of(values_of(fewer)), now=problem.left.now)
            free = memory.free(result.choice)
            low = free.median - (0.0 if problem.median else free.half_80)
            if low < needed * 1024:
                continue
        left = fewer
    return tuple(left)
