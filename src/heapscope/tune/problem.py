"""One configuration's search: space, quantities and the judge, ready for questions."""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field

from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.errors import HeapscopeError
from heapscope.predict.config_knobs import knobs_of
from heapscope.predict.constants import Constants
from heapscope.predict.wifi_table import METRICS, NO_PSRAM, Knobs, chips
from heapscope.trace.names import printable
from heapscope.tune.domain import Domain, make_space
from heapscope.tune.needs import SPEED, Need
from heapscope.tune.options import (
    KNOBS,
    broken_rules,
    changed,
    choice_of,
    with_choice,
)
from heapscope.tune.quantity import Quantity, added
from heapscope.tune.result import Candidate
from heapscope.tune.search import Search, Solution
from heapscope.tune.space import Choice
from heapscope.tune.wifi import FREE, figures, free_quantity, rebuilt, time_quantity

__all__ = ["Problem", "cost_of", "with_psram"]

#: Of what the goal is worth, so little that nobody would change an option for it.
_NOTHING = 1e-7


def with_psram(config: Config, kind: str) -> Config:
    """With PSRAM that Wi-Fi and lwIP use, as the published tables have it, or without any."""
    known = chips()[config.chip].psram if config.chip in chips() else ()
    if kind not in known:
        raise HeapscopeError(
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
    ) -> Problem:
        """`idf`: of the software, where the configuration does not say. `now`: knobs to start from
        in place of the configuration's, which then only has the rules."""
        read = knobs_of(config, idf=idf)
        now = now or read.knobs
        domain = make_space(config, now, keep=keep, extrapolate=extrapolate)
        space = domain.space
        made = {
            metric: time_quantity(constants, now, space, changed, metric, median=median)
            for metric in METRICS
        }
        made[SPEED] = added(SPEED, {made[metric]: 1 / made[metric].scale for metric in METRICS})
        made[FREE] = free_quantity(constants, now, space, changed, median=median)
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
            quantities=made,
            search=Search(space, judge=sound),
        )

    @property
    def current(self) -> dict[str, Hashable]:
        return choice_of(self.now)

    def candidate(self, choice: Choice) -> Candidate:
        ordered = {name: choice[name] for name in KNOBS if name in choice}
        return Candidate(
            choice=ordered, figures=figures(self.constants, rebuilt(self.now, choice, changed))
        )

    def amount(self, target: str, candidate: Candidate) -> float:
        """Of a target in its own unit, at the bound that counts; of `speed` minus the cost."""
        if target == SPEED:
            return -self.quantities[SPEED].value(candidate.choice, self.domain.space)
        at = candidate.figures.median if self.median else candidate.figures.low
        return at[target]

    def limits(self, needs: Sequence[Need]) -> dict[Quantity, float]:
        return {self.quantities[need.target]: cost_of(need.target, need.amount) for need in needs}

    def best(
        self, prefer: str, limits: Mapping[Quantity, float], *, held: Choice | None = None
    ) -> Solution | None:
        """The best of what is preferred."""
        return self.search.least(self.quantities[prefer], limits, held=held)

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
        least = self.search.lightest(self._changes(), tight)
        return faster.choice if least is None else least.choice

    def _just(self, quantity: Quantity, value: float, limits: Mapping[Quantity, float]) -> float:
        return min(value + _NOTHING * quantity.scale, limits.get(quantity, float("inf")))

    def _changes(self) -> dict[str, dict[Hashable, float]]:
        """A changed knob weighs 1, and how far it goes a little more."""
        weights: dict[str, dict[Hashable, float]] = {}
        for knob in self.domain.space.knobs:
            current = self.current[knob.name]
            at = knob.values.index(current) if current in knob.values else 0
            weights[knob.name] = {
                value: float(value != current) + abs(number - at) / (20 * len(knob.values))
                for number, value in enumerate(knob.values)
            }
        return weights


def cost_of(target: str, amount: float) -> float:
    """What a quantity must not be above so that its target is at least so much."""
    return -amount if target == FREE else 1 / amount
