"""Options that give memory back for something that no model weighs: a function, a reserve, speed
that nobody measured. data/memory/trades.csv has them, with what each loses; the sum of parts says
what each gives.

Each gives memory whatever the others are, and changes nothing else that the search knows: those
that may be taken are all taken before the search, which leaves the best configuration whatever is
preferred. Then every one that the answer can do without is put back.
"""

from __future__ import annotations

import functools
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from math import sqrt

from heapscope.base.choices import did_you_mean
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.rows.figure import computed, figure
from heapscope.base.rows.row import Row
from heapscope.config.config import Config
from heapscope.config.value import Value
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import MemoryModel, MemoryUse
from heapscope.forecast.predict.part_table import memory_table
from heapscope.forecast.tune.options import broken_rules

#: The kinds of trades, in words.
GROUPS: Mapping[str, str] = {
    "code": "code runs from flash and not from RAM",
    "features": "a function goes",
    "checks": "checks, logs and help in finding faults go",
    "stacks": "tasks of the system get the smallest stack that was published",
    "queues": "fewer things wait, or are there, at once",
    "psram": "data lies in PSRAM",
}
ALL, CODE = "all", "code"
#: A gain below this share of half of its band may as well be a loss.
_SHARE_OF_BAND = 0.5
_LEAST = 100  # bytes: less is not worth a line


@dataclass(frozen=True, kw_only=True)
class Trade:
    """An option, and its value that takes less memory."""

    group: str
    option: str
    value: Value
    loses: str
    source: str


class TuneTrade(Row):
    """An option that gives memory back for something that no model weighs."""

    group: str = figure("The kind of trade.", choices=tuple(GROUPS))
    option: str = figure("The name that the release has for the option.")
    value: Value = figure("The value that takes less memory.", hidden=True)
    now: Value | None = figure("The present value.", hidden=True)
    taken: bool = figure("The answer has it; false: it is on offer.")
    gain: int = figure("Bytes of internal memory that it gives: the median.", "B")
    gain_low: int = figure("The lower bound of the 80 % band of that.", "B")
    gain_high: int = figure("The upper bound of that band.", "B")
    loses: str = figure("The loss that comes with it.")
    source: str = figure("The source of the value.")

    @property
    @computed("The option and its values in words.")
    def text(self) -> str:
        return f"{self.option} {_shown(self.now)} -> {_shown(self.value)}"


@functools.cache
def trade_table() -> tuple[Trade, ...]:
    return tuple(
        Trade(
            group=row["group"],
            option=row["option"],
            value=row["value"] == "y" if row["value"] in ("y", "n") else int(row["value"]),
            loses=row["loses"],
            source=row["source"],
        )
        for row in memory_table("trades")
    )


def trade_options(config: Config) -> frozenset[str]:
    """Their names, and those that the release has for them."""
    names = {each.option for each in trade_table()}
    return frozenset(filter(None, (*names, *map(config.name_here, names))))


def values_of(trades: Iterable[TuneTrade]) -> dict[str, Value]:
    """The options as lines would give them."""
    return {each.option: each.value for each in trades}


def parse_trades(texts: Sequence[str]) -> frozenset[str]:
    """Raises InputError naming the unknown group."""
    results: set[str] = set()
    for text in texts:
        for name in filter(None, (part.strip() for part in text.split(","))):
            if name not in (ALL, *GROUPS):
                raise InputError(
                    f"--trade '{printable(name)}': there is no such trade",
                    remedy=f"{did_you_mean(name, GROUPS)}valid: {', '.join((*GROUPS, ALL))}",
                )
            results |= set(GROUPS) if name == ALL else {name}
    return frozenset(results)


@dataclass(frozen=True, kw_only=True, eq=False)
class Trades:
    """The trades that a configuration has. `keep`: options that stay as they are."""

    model: MemoryModel
    keep: Collection[str] = ()

    @property
    def config(self) -> Config:
        return self.model.scene.config

    def possible(self) -> tuple[TuneTrade, ...]:
        """Those of all groups whose value the release takes here and that give something, each by
        itself; none is taken yet."""
        result: dict[str, TuneTrade] = {}  # two names of one option are one
        for trade in trade_table():
            built = self._built(trade)
            if built is not None and built.gain >= _LEAST:
                result.setdefault(built.option, built)
        return tuple(result.values())

    def taken(self, trades: Iterable[TuneTrade]) -> tuple[TuneTrade, ...]:
        """Those that the release takes together, and that break no hard rule. One whose option
        another trade has changed already needs no line."""
        before = {rule.id for rule in broken_rules(self.config)}
        left = list(trades)
        while left:
            after = self.config.changed_to(values_of(left))
            fixed = [each for each in left if after.can_set(each.option)]
            fixed = [each for each in fixed if after.value(each.option) == each.value]
            if len(fixed) < len(left):
                left = fixed
            elif {rule.id for rule in broken_rules(after)} <= before:
                break
            else:  # the last one that gives least
                left.remove(min(reversed(left), key=lambda each: each.gain))
        return tuple(replace(each, taken=True) for each in left)

    def _built(self, trade: Trade) -> TuneTrade | None:
        here = self.config.name_here(trade.option)
        if here is None or {here, trade.option} & set(self.keep):
            return None
        now = self.config.value(here)
        if now == trade.value or (not isinstance(trade.value, bool) and not _larger(now, trade)):
            return None
        if not self.config.can_set(here):
            return None
        after = self.config.changed_to({here: trade.value})
        if after.value(here) != trade.value:
            return None
        use = self._change(after, here)
        if not self._gives(use):
            return None
        fit = memory_fit()
        median, half = -use.taken(fit), fit.difference_half(use.variance(fit), self.model.busiest)
        if median < _SHARE_OF_BAND * half:
            return None
        return TuneTrade(
            group=trade.group,
            option=here,
            value=trade.value,
            now=now,
            taken=False,
            gain=round(median),
            gain_low=round(max(0.0, median - half)),  # what goes takes nothing
            gain_high=round(median + half),
            loses=trade.loses,
            source=trade.source,
        )

    def _change(self, after: Config, option: str) -> MemoryUse:
        """The memory that another configuration takes more at the busiest: that of the parts which
        ask for something that changed."""
        texts = after.values.text
        changed = {name for name, text in self._texts.items() if texts(name) != text} | {option}
        parts = {part for part, names in self._options_read.items() if names & changed}
        return self.model.change(self.model.of(after), self.model.busiest, parts)

    def _gives(self, use: MemoryUse) -> bool:
        """The lower end of the memory's band rises with it, whatever else is taken: the band grows
        by no more than the doubt that parts share, and by that of each over a band that is there
        anyway."""
        fit, row = memory_fit(), memory_fit().row(use.features)
        reach, variance = self.model.widths(self.model.busiest)
        shared = sqrt(float(row @ fit.covariance @ row))
        own = fit.own_variance(use.squares) / (2 * sqrt(variance))
        return -use.taken(fit) > reach * (shared + own)

    @functools.cached_property
    def _options_read(self) -> Mapping[str, frozenset[str]]:
        """By part, the options that it asks for, in the release's names."""
        here = self.config.name_here
        return {
            part: frozenset(filter(None, map(here, names)))
            for part, names in self.model.options_read(self.model.busiest).items()
        }

    @functools.cached_property
    def _texts(self) -> Mapping[str, str]:
        names = frozenset[str]().union(*self._options_read.values())
        return {name: self.config.values.text(name) for name in names}


def _larger(now: Value | None, trade: Trade) -> bool:
    return isinstance(now, int) and isinstance(trade.value, int) and now > trade.value


def _shown(value: Value | None) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return "-" if value is None else str(value)
