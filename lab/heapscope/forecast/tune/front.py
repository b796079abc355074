"""The trade-off: configurations of which none has more of both memory and a
throughput."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from heapscope.forecast.tune.answer import FrontPoint
from heapscope.forecast.tune.goals import Goal
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.problem import Problem, cost_of
from heapscope.forecast.tune.quantity import Quantity

#: Levels of memory that are asked for, spread evenly; each point found is exact.
POINTS = 16
Progress = Callable[[int, int], None]


def pareto_front(
    problem: Problem,
    metric: str,
    goals: Sequence[Goal],
    *,
    points: int = POINTS,
    progress: Progress = lambda done, total: None,
) -> tuple[FrontPoint, ...]:
    """From the most memory to the fastest. Goals of memory and of the metric itself are not held:
    the front shows what they would cost. Empty: the other goals cannot be had."""
    others = problem.limits([goal for goal in goals if goal.target not in (FREE, metric)])
    most, fastest = _end(problem, FREE, metric, others), _end(problem, metric, FREE, others)
    if most is None or fastest is None:
        return ()
    results = [most]
    step = (most.free_kb - fastest.free_kb) / (points - 1)
    for number in range(1, points - 1):
        progress(number, points)
        level = most.free_kb - number * step
        if level < results[-1].free_kb:
            point = _end(problem, metric, FREE, others, free=level)
            if point is not None:
                results.append(point)
    results.append(fastest)
    return _undominated(results)


def _end(
    problem: Problem,
    first: str,
    second: str,
    others: Mapping[Quantity, float],
    *,
    free: float | None = None,
) -> FrontPoint | None:
    """The most of the first, and of all that have it the most of the second."""
    limits = dict(others)
    if free is not None:
        limits[problem.quantities[FREE]] = cost_of(FREE, free)
    result = problem.best(first, limits)
    if result is None:
        return None
    goal = problem.quantities[first]
    limits[goal] = result.value + 1e-7 * goal.scale
    both = problem.best(second, limits)
    best = problem.candidate((both or result).choice)
    return FrontPoint(
        free_kb=problem.amount(FREE, best),
        value=problem.amount(first if second == FREE else second, best),
        best=best,
    )


def _undominated(points: Sequence[FrontPoint]) -> tuple[FrontPoint, ...]:
    """Each once, by memory; the solver's tolerance can leave one that another is better than."""
    ordered = sorted(points, key=lambda point: (-point.free_kb, -point.value))
    kept: list[FrontPoint] = []
    for point in ordered:
        if not kept or point.value > kept[-1].value + 1e-6:
            kept.append(point)
    return tuple(kept)
