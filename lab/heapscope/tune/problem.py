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
from heapscope.predict.wifi_table import METRICS, NO_PSRAM, Knobs, chips
from heapscope.trace.names import printable
from heapscope.tune.answer import Candidate
from heapscope.tune.domain import Domain, make_space
from heapscope.tune.merged import Merged, merge
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
from heapscope.tune.wifi import FREE, figures, free_quantity, rebuilt, time_quantity

Asked = TypeVar("Asked")
Answer = TypeVar("Answer")

#: Window knobs with the buffer knob that limits their useful length.
_FOLLOWERS = (("tcp_wnd", "dynamic_rx"), ("tcp_snd_buf", "tx"))
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
    taken_kb: float
    quantities: Mapping[str, Quantity]
    search: Search = field(repr=False)
    merged: Merged | None = field(repr=False)
    _small: Search | None = field(repr=False)

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
        taken_kb: float = 0.0,
    ) -> Problem:
        """`idf`: of the software, where the configuration does not say. `now`: knobs to start from
        in place of the configuration's, which then only has the rules. `taken_kb`: of the available
        memory, by TLS sessions and Bluetooth."""
        read = knobs_of(config, idf=idf)
        now = now or read.knobs
        domain = make_space(config, now, keep=keep, extrapolate=extrapolate)
        space = domain.space
        made = {
            metric: time_quantity(
                constants, now, space, changed, metric, median=median, environment=environment
            )
            for metric in METRICS
        }
        made[SPEED] = added(SPEED, {made[metric]: 1 / made[metric].scale for metric in METRICS})
        made[FREE] = free_quantity(constants, now, space, changed, median=median, taken_kb=taken_kb)
        before = {rule.id for rule in broken_rules(config)}
        known: dict[tuple[Hashable, ...], bool] = {}

        def sound(choice: Choice) -> bool:
            key = tuple(choice[name] for name in KNOBS if name in choice)
            if key not in known:
                after = {rule.id for rule in broken_rules(with_choice(config, choice))}
                known[key] = after <= before
            return known[key]

        merged = merge(space, _FOLLOWERS, made.values())
        small = None
        if merged is not None:
            small = Search(merged.space, judge=lambda choice: sound(merged.expanded(choice)))
        return cls(
            config=config,
            constants=constants,
            now=now,
            domain=domain,
            median=median,
            notes=read.notes,
            environment=environment or Environment(),
            taken_kb=taken_kb,
            quantities=made,
            search=Search(space, judge=sound),
            merged=merged,
            _small=small,
        )

    @property
    def solved(self) -> int:
        """Programmes, in all."""
        return self.search.solved + (self._small.solved if self._small else 0)

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
                    self.environment,
                    taken_kb=self.taken_kb,
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
        return self._least(self.quantities[prefer], limits, held or {}, near)

    def _least(
        self,
        goal: Quantity,
        limits: Mapping[Quantity, float],
        held: Choice,
        near: Choice | None = None,
    ) -> Solution | None:
        """In the smaller space, where what is held can be held there. A choice that the judge
        refuses could be allowed with a shorter window: then all is searched."""
        merged, small = self.merged, self._small
        if merged is None or small is None or not merged.longest.keys().isdisjoint(held):
            return self.search.least(goal, limits, held=held)
        refused = small.refused
        small.touch(*map(merged.reduced, (goal, *limits)), at={**(near or self.current), **held})
        found = small.least(
            merged.reduced(goal),
            {merged.reduced(quantity): high for quantity, high in limits.items()},
            held=held,
        )
        if small.refused > refused:
            return self.search.least(goal, limits, held=held)
        if found is None:
            return None
        return replace(found, choice=merged.expanded(found.choice))

    def each(self, items: Sequence[Asked], ask: Callable[[Problem, Asked], Answer]) -> list[Answer]:
        """`ask` of every item, side by side where there are cores: the solver lets go of Python's
        lock. Each starts from what is known now, so that no answer depends on another's turn."""
        forks = [self._fork() for _ in items]
        with ThreadPoolExecutor(max_workers=os.cpu_count()) as threads:
            answers = list(threads.map(ask, forks, items))
        self.search.solved += sum(fork.solved for fork in forks)
        return answers

    def _fork(self) -> Problem:
        small = self._small
        return replace(self, search=self.search.fork(), _small=small.fork() if small else None)

    def polished(
        self, prefer: str, limits: Mapping[Quantity, float], found: Solution
    ) -> dict[str, Hashable]:
        """Among all that are as good: the fastest (or, of the fast, the one with most memory), and
        of these the one that changes least; windows then stay as near as they can to now."""
        goal = self.quantities[prefer]
        second = self.quantities[FREE if prefer != FREE else SPEED]
        tight = {**limits, goal: self._just(goal, found.value, limits)}
        faster = self._least(second, tight, {})
        if faster is None:
            return found.choice
        tight[second] = self._just(second, faster.value, tight)
        merged, small = self.merged, self._small
        if merged is None or small is None:
            least = self.search.lightest(self._changes(self.domain.space), tight)
            return faster.choice if least is None else least.choice
        small.touch(merged.reduced(goal), merged.reduced(second), at=faster.choice)
        least = small.lightest(
            self._changes(merged.space),
            {merged.reduced(quantity): high for quantity, high in tight.items()},
        )
        if least is None:
            return faster.choice
        return merged.nearest(merged.expanded(least.choice), self.current, tight)

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
