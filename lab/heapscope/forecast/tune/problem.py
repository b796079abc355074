"""One configuration's search: space, quantities and the judge, ready for questions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.constants import Constants
from heapscope.forecast.predict.environment import Environment
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.wifi_table import METRICS, NO_PSRAM, Knobs, chips
from heapscope.forecast.tune.answer import Candidate
from heapscope.forecast.tune.domain import Domain, make_space
from heapscope.forecast.tune.goals import SPEED, Goal
from heapscope.forecast.tune.memory import FREE, LeftMemory
from heapscope.forecast.tune.options import (
    KNOBS,
    TOGETHER,
    as_pairs,
    broken_rules,
    changed,
    choice_of,
    with_choice,
)
from heapscope.forecast.tune.quantity import Quantity, added
from heapscope.forecast.tune.search import SURE, Search, Solution
from heapscope.forecast.tune.space import Choice, Space
from heapscope.forecast.tune.wifi import WifiFigures, figures, rebuilt, time_quantity

#: Relative gain below which a change is the solver's tolerance.
_NOTHING = 1e-7
#: Share of a time per bit by which two runs of one build differ: no change is for less.
_SAME_SPEED = 0.01


def with_psram(config: Config, kind: str) -> Config:
    """With PSRAM that Wi-Fi and lwIP use, as the published tables have it, or without any."""
    known = chips()[config.chip].psram if config.chip in chips() else ()
    if kind not in known:
        raise InputError(
            f"--psram-mode {printable(kind)}: no published figures of such a {config.chip}",
            remedy=f"of the {config.chip} there is: {', '.join(known) or 'nothing with Wi-Fi'}",
        )
    return config.changed_to(psram_values(config.chip, kind))


def psram_values(chip: str, kind: str) -> dict[str, Value]:
    """Until 4.4 the option that a file sets has the chip in its name, and SPIRAM follows it."""
    switches = ("SPIRAM", f"{chip.upper()}_SPIRAM_SUPPORT")
    if kind == NO_PSRAM:
        return dict.fromkeys(switches, False)
    values: dict[str, Value] = dict.fromkeys(switches, True)
    if "octal" in chips()[chip].psram:
        values["SPIRAM_MODE_OCT"] = kind == "octal"
    return values | {"SPIRAM_TRY_ALLOCATE_WIFI_LWIP": True}


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
    start: WifiFigures
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
        start: MemoryModel | None = None,
    ) -> Problem:
        """`idf`: of the software, where the configuration does not say. `now`: knobs to start from
        in place of the configuration's, which then only has the rules. `memory`: of the
        configuration; None: that of one TCP connection. `start`: before anything was
        changed, where the search itself begins with something changed."""
        read = knobs_of(config, idf=idf)
        now = now or read.knobs
        if memory is None:
            memory = MemoryModel(
                scene=MemoryScene(config=config, minor=minor_of_config(config, idf))
            )
        left = LeftMemory(model=memory, now=choice_of(now))
        domain = make_space(config, now, left, keep=keep, extrapolate=extrapolate)
        space = domain.space
        built = {
            metric: time_quantity(
                constants, now, space, changed, metric, median=median, environment=environment
            )
            for metric in METRICS
        }
        built[SPEED] = added(SPEED, {built[metric]: 1 / built[metric].scale for metric in METRICS})
        built[FREE] = left.quantity(space, median=median)
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
            quantities=built,
            start=figures(
                constants,
                now if start is None else knobs_of(start.scene.config, idf=idf).knobs,
                left.free(left.now) if start is None else start.free_dram(start.busiest),
                environment,
            ),
            search=Search(space, judge=sound),
        )

    @property
    def solved(self) -> int:
        """Programmes, in all."""
        return self.search.solved

    @property
    def current(self) -> dict[str, Hashable]:
        return self.whole(choice_of(self.now))

    def whole(self, choice: Choice) -> dict[str, Hashable]:
        """With the value of the knob that stands for others, where there is one."""
        every = next((k.values for k in self.domain.space.knobs if k.name == TOGETHER), ())
        pairs = as_pairs(TOGETHER, every[0]) if every else ()
        own = {TOGETHER: tuple((name, choice[name]) for name, _ in pairs)} if pairs else {}
        return {**choice, **own}

    @property
    def present(self) -> Candidate:
        """The configuration as it is, before anything is given up."""
        return Candidate(choice=self.current, **vars(self.start))

    def candidate(self, choice: Choice) -> Candidate:
        ordered = {name: choice[name] for name in KNOBS if name in choice}
        knobs, free = rebuilt(self.now, choice, changed), self.left.free(choice)
        stated = figures(self.constants, knobs, free, self.environment)
        return Candidate(choice=ordered, **vars(stated))

    def amount(self, target: str, candidate: Candidate) -> float:
        """The amount of a target in its own unit, at the bound that counts. That of `speed` is
        minus the cost."""
        if target == SPEED:
            return -self.quantities[SPEED].value(self.whole(candidate.choice), self.domain.space)
        at = candidate.median if self.median else candidate.low_80
        return at[target]

    def limits(self, goals: Sequence[Goal]) -> dict[Quantity, float]:
        return {self.quantities[goal.target]: cost_of(goal.target, goal.amount) for goal in goals}

    def best(
        self,
        prefer: str,
        limits: Mapping[Quantity, float],
        *,
        held: Choice | None = None,
        known: Choice | None = None,
        near: float = 0.0,
    ) -> Solution | None:
        """The best of what is preferred. `known`: a good one to begin with. `near`: the share of a
        typical cost by which it need not be the best."""
        goal, known = self.quantities[prefer], None if known is None else self.whole(known)
        return self.search.least(goal, limits, held=held, known=known, near=max(near, SURE))

    def slack(self, prefer: str) -> float:
        """By how much two configurations may differ in what is preferred, and be equally good: as
        a cost. The same change gives so much in two programs, or two runs, apart."""
        if prefer != FREE:
            return _SAME_SPEED * self.quantities[prefer].scale
        return memory_fit().apart(self.left.model.busiest) / 1024

    def equal_within(self, prefer: str, amount: float) -> float:
        """The same as an amount of what is preferred, but speed."""
        return self.slack(prefer) * (1.0 if prefer == FREE else amount**2)

    def simplest(
        self, prefer: str, limits: Mapping[Quantity, float], least: Solution
    ) -> dict[str, Hashable]:
        """The choice that changes fewest knobs of all that are as good as the one of least cost,
        which is exact; with just these changed the best, and then the nearest."""
        goal, weights = self.quantities[prefer], self._changes(self.domain.space)
        equal = {**limits, goal: self._just(goal, least.value + self.slack(prefer), limits)}
        few = self.search.lightest(weights, equal, known=least.choice)
        assert few is not None  # the least itself
        held = {name: value for name, value in few.choice.items() if value == self.current[name]}
        best = self.search.least(goal, equal, held=held, known=few.choice)
        assert best is not None  # the few themselves
        tight = {**equal, goal: self._just(goal, best.value, equal)}
        nearest = self.search.lightest(weights, tight, held=held, known=best.choice)
        return (nearest or best).choice

    def polished(
        self, prefer: str, limits: Mapping[Quantity, float], solution: Solution
    ) -> dict[str, Hashable]:
        """Among those that are as good, one that is faster (or, of the fast, with more memory) and
        changes less, until no change of two knobs leads further."""
        goal = self.quantities[prefer]
        tight = {**limits, goal: self._just(goal, solution.value, limits)}
        second = self.quantities[FREE if prefer != FREE else SPEED]
        return self.search.descended(
            solution.choice, tight, second, self._changes(self.domain.space)
        )

    def _just(self, quantity: Quantity, value: float, limits: Mapping[Quantity, float]) -> float:
        return min(value + _NOTHING * quantity.scale, limits.get(quantity, float("inf")))

    def _changes(self, space: Space) -> dict[str, dict[Hashable, float]]:
        """A changed knob weighs 1, and how far it goes a little more."""
        weights: dict[str, dict[Hashable, float]] = {}
        for knob in space.knobs:
            current = self.current[knob.name]
            at = knob.values.index(current) if current in knob.values else 0
            own = float(knob.name != TOGETHER)  # the others have its weight
            weights[knob.name] = {
                value: own * ((value != current) + abs(number - at) / (20 * len(knob.values)))
                for number, value in enumerate(knob.values)
            }
        return weights


def cost_of(target: str, amount: float) -> float:
    """The most that a quantity may be, so that its target is at least `amount`."""
    return -amount if target == FREE else 1 / amount
