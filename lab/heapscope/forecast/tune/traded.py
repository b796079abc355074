"""A question whose answer may give something up for memory.

A trade that the models weigh changes throughputs too, so that no argument says whether it helps:
the question is asked with it and without it. All others that may be taken are taken before the
search, and those that the answer can do without are put back.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, combinations, islice

from heapscope.config.value import Value
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.tune.answer import TuneResult
from heapscope.forecast.tune.goals import SPEED
from heapscope.forecast.tune.least_trades import least_trades
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.problem import Problem
from heapscope.forecast.tune.question import TuneQuestion
from heapscope.forecast.tune.trades import CODE, Trades, TuneTrade, values_of

_FORCED = "the goals cannot be had without: code runs from flash (--trade code)"
_UNCOUNTED = "the throughputs do not count what is given up for memory"
_TRIES = 4  # sets of trades that are tried, where no configuration has all that is needed

#: The configuration with some options at other values.
MemoryOf = Callable[[dict[str, Value]], MemoryModel]


@dataclass(frozen=True, kw_only=True)
class Answered:
    """`taken`: the trades that the configuration of the problem has."""

    problem: Problem
    result: TuneResult
    taken: tuple[TuneTrade, ...]

    @property
    def worth(self) -> tuple[bool, float]:
        """The amount of what is preferred; without an answer, by how little the goals give way."""
        best, relaxation = self.result.best, self.result.relaxation
        if best is None:
            return False, -relaxation.share if relaxation is not None else 0.0
        return True, self.problem.amount(self.result.prefer, best)


@dataclass(frozen=True, kw_only=True, eq=False)
class TradedQuestion:
    """`keep`: options that stay as they are. `traces`: the answer is replayed, so that no trade is
    put back."""

    question: TuneQuestion
    memory_of: MemoryOf
    problem_of: Callable[[MemoryModel], Problem]
    answer: Callable[[Problem, Sequence[str]], TuneResult]
    keep: Collection[str] = ()
    traces: bool = False

    def answered(self, groups: Collection[str]) -> Answered:
        """`groups`: kinds that may be given up. None: code alone, and only where it must."""
        best = self._best(groups)
        if best.result.best is None and not groups:
            code = self._of(self._all((), {CODE}), _FORCED)
            best = code if code.result.best is not None else best
        if best.taken and best.result.best is not None and not self.traces:
            best = self._with_least(best, groups)
        names = {each.option for each in best.taken}
        offers = [each for each in self._possible if each.option not in names]
        if best.result.best is None:
            offers = self._meeting(best, offers)
        notes = (_UNCOUNTED,) if any(not each.weighed for each in best.taken) else ()
        result = replace(
            best.result, trades=(*best.taken, *offers), notes=(*best.result.notes, *notes)
        )
        return replace(best, result=result)

    @functools.cached_property
    def _possible(self) -> tuple[TuneTrade, ...]:
        return self._trades.possible()

    @functools.cached_property
    def _trades(self) -> Trades:
        return Trades(model=self.memory_of({}), keep=self.keep)

    def _best(self, groups: Collection[str]) -> Answered:
        """The best of all ways to take the weighed trades; between equals that with fewer."""
        best: Answered | None = None
        for weighed in _subsets([e for e in self._possible if e.weighed and e.group in groups]):
            taken = self._all(weighed, groups)
            if taken is None:
                continue
            tried = self._of(taken)
            if best is None or tried.worth > (best.worth[0], best.worth[1] + self._slack(best)):
                best = tried
        assert best is not None  # the one with none
        return best

    def _slack(self, best: Answered) -> float:
        """The amount of what is preferred by which two runs differ."""
        problem, prefer = best.problem, self.question.prefer
        if best.result.best is None or prefer == SPEED:
            return problem.slack(SPEED) if best.result.best is not None else 0.0
        return problem.equal_within(prefer, best.worth[1])

    def _all(
        self, weighed: Sequence[TuneTrade], groups: Collection[str]
    ) -> tuple[TuneTrade, ...] | None:
        """With those all others of the kinds; None: they cannot be together."""
        first, then, possible = self._trades.taken(weighed), self._trades, self._possible
        if len(first) < len(weighed):
            return None
        if weighed:  # others are possible behind them, and give something else
            then = Trades(model=self.memory_of(values_of(weighed)), keep=self.keep)
            possible = then.possible()
        rest = then.taken(each for each in possible if each.group in groups and not each.weighed)
        return (*first, *rest)

    def _of(self, taken: tuple[TuneTrade, ...] | None, *notes: str) -> Answered:
        problem = self.problem_of(self.memory_of(values_of(taken or ())))
        return Answered(problem=problem, result=self.answer(problem, notes), taken=taken or ())

    def _with_least(self, best: Answered, groups: Collection[str]) -> Answered:
        """Where memory is preferred and kinds were named, all of them stay."""
        question = self.question
        if groups and question.prefer == FREE:
            return best
        most = question if groups else replace(question, prefer=FREE)
        taken = least_trades(best.taken, best.problem, most, self.memory_of)
        taken = self._trades.taken(taken)  # without what hung on one that was put back
        return self._of(taken, *(() if groups else (_FORCED,)))

    def _meeting(self, best: Answered, offers: Sequence[TuneTrade]) -> list[TuneTrade]:
        """The fewest of them with which there is a configuration are marked; those of the largest
        gain first. They are asked for as a whole, since gains do not just add up."""
        relaxation = best.result.relaxation
        needed = next((g.amount for g in self.question.goals if g.target == FREE), None)
        most = None if relaxation is None else relaxation.alone.get(FREE)
        if needed is None or most is None:
            return [*offers]  # no memory helps the others
        missing = (needed - most) * 1024
        for some in islice(_enough(offers, missing), _TRIES):
            taken = self._trades.taken((*best.taken, *some))
            problem = self.problem_of(self.memory_of(values_of(taken)))
            if problem.best(self.question.prefer, problem.limits(self.question.goals)) is not None:
                names = {each.option for each in taken}
                return [replace(each, meets=each.option in names) for each in offers]
        return [*offers]


def _enough(offers: Sequence[TuneTrade], missing: float) -> Iterator[tuple[TuneTrade, ...]]:
    """Sets that give so many bytes, the smaller ones first: of those with the largest gains, with
    the trades that make the device slower and without them."""
    ordered = sorted(offers, key=lambda each: -each.gain)
    pools = (ordered, [each for each in ordered if not each.weighed])
    sets = {tuple(pool[: count + 1]): None for pool in pools for count in range(len(pool))}
    enough = (each for each in sets if sum(trade.gain for trade in each) >= missing)
    yield from sorted(enough, key=len)


def _subsets(of: Sequence[TuneTrade]) -> Iterator[tuple[TuneTrade, ...]]:
    """All sets of trades: the empty one comes first, the whole one last."""
    return chain.from_iterable(combinations(of, count) for count in range(len(of) + 1))
