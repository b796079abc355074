"""One configuration's search: space, quantities and the judge, ready for questions."""

from __future__ import annotations

import os
from collections.abc import Callable, Hashable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from typing import TypeVar

from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.errors import InputError
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.constants import Constants
from heapscope.predict.environment import Environment
from heapscope.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.predict.memory_states import MemoryModel
from heapscope.predict.wifi_table import METRICS, NO_PSRAM, Knobs, chips
from heapscope.trace.names import printable
from heapscope.tune.answer import Candidate
from heapscope.tune.domain import Domain, make_space
from heapscope.tune.memory import FREE, LeftMemory
from heapscope.tune.needs import SPEED, TuneNeed
from heapscope.tune.options import (
    KNOBS,
    broken_rules,
    changed,
    choice_of,
    with_choice,
)
from heapscope.tune.quantity import Quantity, added
from heapscope.tune.search import Search, Solution
from heapscope.tune.space import Choice, Space
from heapscope.tune.wifi import figures, rebuilt, time_quantity

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

#: Relative gain below which a change is noise.
_NOTHING = 1e-7


def with_psram(config: Config, kind: str) -> Config:
    """With PSRAM that Wi-Fi and lwIP use, as the published tables have it, or without any."""
    known = chips()[config.chip].psram if config.chip in chips() else ()
    if kind not in known:
        raise InputError(
            f"--psram {printable(kind)}: no published figures of such a {config.chip}",
            remedy=f"of the {config.chip} there is: {', '.join(known) or 'nothing with Wi-Fi'}",
        )
    if kind == NO_PSRAM:
        return config.changed_to({"SPIRAM": False})
    values: dict[str, Value] = {"SPIRAM": True, "SPIRAM_TRY_ALLOCATE_WIFI_LWIP": True}
    if "octal" in known:
        values["SPIRAM_MODE_OCT"] = kind == "octal"
    return config.changed_to(values)


@dataclass(eq=False, kw_only=True)
class Problem:
    config: Config
    constants: Constants
    now: Knobs
    domain: Domain
    median: bool
    notes: tuple[str, ...]
    environment: Environment
    left: LeftMemory
    quantities: Mapping[str, Quantity]
    search: Search = field(repr=False)

    @classmethod
    def of(
        cls,
        config: Config,
        constants: Constants,
        *,
        idf: str | None = None,
        now: Knobs | None = None,
        keep: Sequence[str] = (),
        median: bool = False,
        extrapolate: bool = False,
        environment: Environment | None = None,
        memory: MemoryModel | None = None,
    ) -> Problem:
        """`idf`: of the software, where the configuration does not say. `now`: knobs to start from
        in place of the configuration's, which then only has the rules. `memory`: of the
        configuration; None: that of one TCP connection."""
        read = knobs_of(config, idf=idf)
        now = now or read.knobs
        if memory is None:
            memory = MemoryModel(
                scene=MemoryScene(config=config, minor=minor_of_config(config, idf))
            )
        left = LeftMemory(model=memory, now=choice_of(now))
        domain = make_space(config, now, left, keep=keep, extrapolate=extrapolate)
        space = domain.space
        made = {
            metric: time_quantity(
                constants, now, space, changed, metric, median=median, environment=environment
            )
            for metric in METRICS
        }
        made[SPEED] = added(SPEED, {made[metric]: 1 / made[metric].scale for metric in METRICS})
        made[FREE] = left.quantity(space, median=median)
        before = {rule.id for rule in broken_rules(config)}
        known: dict[tuple[Hashable, ...], bool] = {}

        def sound(choice: Choice) -> bool:
            key = tuple(choice[name] for name in KNOBS if name in choice)
            if key not in known:
                after = {rule.id for rule in broken_rules(with_choice(config, choice))}
                known[key] = after <= before
            return known[key]

        return cls(
            config=config,
            constants=constants,
            now=now,
            domain=domain,
            median=median,
            notes=read.notes,
            environment=environment or Environment(),
            left=left,
            quantities=made,
            search=Search(space, judge=sound),
        )

    @property
    def solved(self) -> int:
        """Programmes, in all."""
        return self.search.solved

    @property
    def current(self) -> dict[str, Hashable]:
        return choice_of(self.now)

    def candidate(self, choice: Choice) -> Candidate:
        ordered = {name: choice[name] for name in KNOBS if name in choice}
        return Candidate(
            choice=ordered,
            **vars(
                figures(
                    self.constants,
                    rebuilt(self.now, choice, changed),
                    self.left.free(ordered),
                    self.environment,
                )
            ),
        )

    def amount(self, target: str, candidate: Candidate) -> float:
        """The amount of a target in its own unit, at the bound that counts. That of `speed` is
        minus the cost."""
        if target == SPEED:
            return -self.quantities[SPEED].value(candidate.choice, self.domain.space)
        at = candidate.median if self.median else candidate.low_80
        return at[target]

    def limits(self, needs: Sequence[TuneNeed]) -> dict[Quantity, float]:
        return {self.quantities[need.target]: cost_of(need.target, need.amount) for need in needs}

    def best(
        self,
        prefer: str,
        limits: Mapping[Quantity, float],
        *,
        held: Choice | None = None,
        near: Choice | None = None,
    ) -> Solution | None:
        """The best of what is preferred. `near`: where to look first."""
        goal = self.quantities[prefer]
        self.search.touch(goal, *limits, at={**(near or self.current), **(held or {})})
        return self.search.least(goal, limits, held=held)

    def each(self, items: Sequence[Asked], ask: Callable[[Problem, Asked], Answer]) -> list[Answer]:
        """`ask` of every item, side by side where there are cores: the solver lets go of Python's
        lock. Each starts from what is known now, so that no answer depends on another's turn."""
        forks = [self._fork() for _ in items]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
            answers = list(threads.map(ask, forks, items))
        self.search.solved += sum(fork.solved for fork in forks)
        return answers

    def _fork(self) -> Problem:
        return replace(self, search=self.search.fork())

    def polished(
        self, prefer: str, limits: Mapping[Quantity, float], found: Solution
    ) -> dict[str, Hashable]:
        """Among all that are as good: the fastest (or, of the fast, the one with most memory), and
        of these the one that changes least."""
        goal = self.quantities[prefer]
        second = self.quantities[FREE if prefer != FREE else SPEED]
        tight = {**limits, goal: self._just(goal, found.value, limits)}
        faster = self.search.least(second, tight)
        if faster is None:
            return found.choice
        tight[second] = self._just(second, faster.value, tight)
        self.search.touch(goal, second, at=faster.choice)
        least = self.search.lightest(self._changes(self.domain.space), tight)
        return faster.choice if least is None else least.choice

    def _just(self, quantity: Quantity, value: float, limits: Mapping[Quantity, float]) -> float:
        return min(value + _NOTHING * quantity.scale, limits.get(quantity, float("inf")))

    def _changes(self, space: Space) -> dict[str, dict[Hashable, float]]:
        """A changed knob weighs 1, and how far it goes a little more."""
        weights: dict[str, dict[Hashable, float]] = {}
        for knob in space.knobs:
            current = self.current[knob.name]
            at = knob.values.index(current) if current in knob.values else 0
            weights[knob.name] = {
                value: float(value != current) + abs(number - at) / (20 * len(knob.values))
                for number, value in enumerate(knob.values)
            }
        return weights


def cost_of(target: str, amount: float) -> float:
    """The most that a quantity may be, so that its target is at least `amount`."""
    return -amount if target == FREE else 1 / amount
