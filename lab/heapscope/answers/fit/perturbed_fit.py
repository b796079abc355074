"""A pool on perturbed runs: the share that it serves, and the pool that serves most of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import NamedTuple

from heapscope.answers.fit.limits import STEP, Limits
from heapscope.answers.fit.request_trials import RequestTrials
from heapscope.answers.fit.schedule import cores
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.base.wording import size
from heapscope.memory.layout.pool import POOL_BASE
from heapscope.native.config import NativeConfig
from heapscope.native.reader import NativeReader
from heapscope.native.steps import FitRow, NativeSteps
from heapscope.simulation.jitter.quantile import enough_for
from heapscope.simulation.jitter.runs import Jitter, PerturbedRuns
from heapscope.simulation.jitter.share import Share, share

NO_NEEDS = RequestTrials()

_FINE = 256  # part of the pool to which the least pool of one run is looked for


class PerturbedFit(Row):
    """How perturbed runs of the trace go on pools of this allocator."""

    jitter: Jitter = figure("How the runs were perturbed.")
    varied: tuple[str, ...] = figure("The differences from run to run, in sentences.")
    at_pool: Share = figure("The runs that `pool` serves.")
    safe: int | None = figure(
        "The pool, to a 256th, that served 99 % of the runs; larger ones may fail. null: it is "
        "more than twice `pool`, or than the allocator's largest heap.",
        "B",
        least=64,
        step=STEP,
    )
    at_safe: Share | None = figure(
        "The runs that `safe` serves, of as many others, which it was not chosen by. null: `safe` "
        "is."
    )

    def sentences(self, allocator: str, pool: int) -> Iterator[str]:
        yield f"{allocator}: {size(pool)} serve {self.at_pool.text}."
        if self.safe is None or self.at_safe is None:
            yield f"{allocator}: no pool up to {size(2 * pool)} serves 99 % of them."
        else:
            yield f"{allocator}: {size(self.safe)} serve {self.at_safe.text} of other seeds."


def perturbed_fit(
    runs: PerturbedRuns,
    allocator: str,
    pool: int,
    limits: Limits,
    *,
    only: int | None,
    ends: NativeConfig | None = None,
    needing: RequestTrials = NO_NEEDS,
    done: Callable[[], None],
) -> PerturbedFit:
    """`pool`: the one that serves the recorded run. `only`: the task whose blocks alone are kept.
    `ends`: rules for the ends of free blocks. `needing`: requests that a pool has to have room for
    at every moment. `done` is called after each run."""
    count = runs.jitter.runs

    def least(number: int) -> RunFit:
        done()
        return fit_of_run(
            runs, number, allocator, pool, limits, only=only, ends=ends, needing=needing
        )

    with ThreadPoolExecutor(cores()) as threads:
        results = list(threads.map(least, range(count)))
        safe = enough_for([each.least for each in results])

        def serves(number: int) -> bool:
            with _steps(runs, number, only, ends) as steps:
                done()
                try_pool = needing.trying(steps, partial(runs.play, number=number))
                return safe is not None and try_pool(allocator, safe).survives

        others = range(count, 2 * count) if safe is not None else range(0)
        good = sum(threads.map(serves, others))
    return PerturbedFit(
        jitter=runs.jitter,
        varied=runs.varied,
        at_pool=share(sum(each.served for each in results), count),
        safe=safe,
        at_safe=None if safe is None else share(good, count),
    )


class RunFit(NamedTuple):
    """`served`: by the pool of the recorded run. `least`: the run's own least pool, to a 256th of
    that; None: more than `most`, which is twice that, or the allocator's largest heap."""

    served: bool
    least: int | None
    most: int


def fit_of_run(
    runs: PerturbedRuns,
    number: int,
    allocator: str,
    pool: int,
    limits: Limits,
    *,
    only: int | None = None,
    ends: NativeConfig | None = None,
    needing: RequestTrials = NO_NEEDS,
) -> RunFit:
    """`pool`: the one that serves the recorded run."""
    most = min(2 * pool, limits.most) // STEP * STEP
    with _steps(runs, number, only, ends) as steps:
        try_pool = partial(needing.trying(steps, partial(runs.play, number=number)), allocator)
        served, least = _least(try_pool, steps.floor, pool, most)
    return RunFit(served, least, most)


def _steps(
    runs: PerturbedRuns, number: int, only: int | None, ends: NativeConfig | None
) -> NativeSteps:
    steps = NativeSteps(POOL_BASE, only=only, ends=ends)
    with NativeReader() as reader:
        steps.fill_from(reader)
        runs.play(reader, number)
    return steps


def _least(
    try_pool: Callable[[int], FitRow], floor: int, pool: int, most: int
) -> tuple[bool, int | None]:
    """Whether the pool serves the run; and the least pool by halving, None: more than `most`."""
    served = try_pool(pool).survives
    bad, good = (floor // STEP * STEP, pool) if served else (pool, most)
    if not served and not try_pool(good).survives:
        return served, None
    while good - bad > max(STEP, pool // _FINE):
        middle = (bad + good) // 2 // STEP * STEP
        if middle <= bad:
            break
        if try_pool(middle).survives:
            good = middle
        else:
            bad = middle
    return served, good
