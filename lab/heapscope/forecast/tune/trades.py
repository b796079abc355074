"""Options that give memory back for something that no model weighs: a function, a reserve, speed
that nobody measured, another memory. data/memory/trades.csv has them, with what each loses; the sum
of parts says what each gives.

Each gives memory whatever the others are. One that changes nothing else that the search knows is
taken before the search where it may be, which leaves the best configuration whatever is preferred;
one that changes throughputs too is `weighed`: both ways are searched (traded.py). Then every one
that the answer can do without is put back.
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
from heapscope.config.kconfig.readers import ReadValues
from heapscope.config.value import Value
from heapscope.forecast.predict.config_knobs import knobs_of
from heapscope.forecast.predict.known_gain import is_known_gain
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import DRAM, IRAM, PSRAM, MemoryModel
from heapscope.forecast.predict.memory_use import MemoryUse
from heapscope.forecast.predict.part_table import BOOT, memory_table
from heapscope.forecast.predict.wifi_table import Knobs, chips
from heapscope.forecast.tune.options import broken_rules

#: The kinds of trades, in words.
GROUPS: Mapping[str, str] = {
    "code": "code runs from flash and not from RAM",
    "features": "a function goes",
    "checks": "checks, logs and help in finding faults go",
    "stacks": "tasks of the system get the smallest stack that was published",
    "queues": "fewer things wait, or are there, at once",
    "psram": "data lies in PSRAM",
    "memory": "slower memory is heap: RTC memory, IRAM by bytes",
    "cores": "one core does all",
    "bluetooth": "another host of Bluetooth, for which the program is written anew",
    "board": "PSRAM that the configuration does not use must be on the board",
}
ALL, CODE = "all", "code"
#: Kinds that ask for another program, or for another board: "all" does not mean them.
_BOARD = "board"
_APART = ("bluetooth", _BOARD)
_LEAST = 100  # bytes: less is not worth a line


@dataclass(frozen=True, kw_only=True)
class Trade:
    """An option, and its value that takes less memory. `needs`: options that it needs on."""

    group: str
    option: str
    value: Value
    needs: tuple[str, ...]
    loses: str
    source: str


class TuneTrade(Row):
    """An option that gives memory back for something that no model weighs."""

    group: str = figure("The kind of trade.", choices=tuple(GROUPS))
    option: str = figure("The name that the release has for the option.")
    value: Value = figure("The value that takes less memory.", hidden=True)
    now: Value | None = figure("The present value.", hidden=True)
    needs: tuple[str, ...] = figure("Options that it needs and that are off now.")
    taken: bool = figure("The answer has it; false: it is on offer.")
    weighed: bool = figure("Throughputs change with it, by the models.")
    meets: bool = figure(
        "Where no configuration has all that is needed: one that has this, and the others of which "
        "this is true, has it.",
        default=False,
    )
    gain: int = figure("Bytes of internal memory that it gives: the median.", "B")
    gain_low: int = figure("The lower bound of the 80 % band of that.", "B")
    gain_high: int = figure("The upper bound of that band.", "B")
    iram: int = figure("Bytes of IRAM that it gives; below 0: takes.", "B", least=None)
    psram: int = figure("Bytes of PSRAM that it gives; below 0: takes.", "B", least=None)
    loses: str = figure("The loss that comes with it.")
    source: str = figure("The source of the value.")

    @property
    @computed("The option and its values in words.")
    def text(self) -> str:
        needs = f" with {' and '.join(self.needs)}" if self.needs else ""
        return f"{self.option} {_shown(self.now)} -> {_shown(self.value)}{needs}"

    @property
    def elsewhere(self) -> str:
        """The bytes that it gives in other memories: ", -12.0 KB of IRAM"; "": nothing."""
        sizes = {"IRAM": self.iram, "PSRAM": self.psram}
        shown = [f", {size / 1024:+.1f} KB of {name}" for name, size in sizes.items() if size]
        return "".join(shown)

    @property
    def values(self) -> dict[str, Value]:
        return {**dict.fromkeys(self.needs, True), self.option: self.value}


@functools.cache
def trade_table() -> tuple[Trade, ...]:
    return tuple(
        Trade(
            group=row["group"],
            option=row["option"],
            value=row["value"] == "y" if row["value"] in ("y", "n") else int(row["value"]),
            needs=tuple(row["needs"].split()),
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
    return {name: value for each in trades for name, value in each.values.items()}


def all_trades() -> frozenset[str]:
    """The kinds that "all" means."""
    return frozenset(GROUPS) - frozenset(_APART)


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
            results |= all_trades() if name == ALL else {name}
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
            if built is not None:
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
            fixed = [
                each for each in fixed if all(after.value(n) == v for n, v in each.values.items())
            ]
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
        needs = tuple(self.config.name_here(name) or name for name in trade.needs)
        needs = tuple(name for name in needs if self.config.value(name) is not True)
        if set(needs) & set(self.keep) or (trade.group == _BOARD and not needs):
            return None
        if not self.config.can_set(needs[0] if needs else here):
            return None
        after = self.config.changed_to({**dict.fromkeys(needs, True), here: trade.value})
        if after.value(here) != trade.value:
            return None
        model = self.model.of(after)
        moved = self._moved(model, {here, *needs})
        ground = self.model.ground(model, self.model.busiest)
        fit, use = memory_fit(), moved[DRAM]
        median = ground - use.taken(fit)
        variance = use.variance(fit) or float(bool(ground))
        half = fit.difference_half(variance, self.model.busiest)
        told = is_known_gain(median, median - half, median + half)
        if median < _LEAST or not told or not self._gives(use, ground):
            return None
        return TuneTrade(
            group=trade.group,
            option=here,
            value=trade.value,
            now=now,
            needs=needs,
            taken=False,
            weighed=self.config.chip in chips() and knobs_of(after).knobs != self._knobs,
            gain=round(median),
            gain_low=round(max(0.0, median - half)),  # what goes takes nothing
            gain_high=round(median + half),
            iram=round(model.before_code(BOOT, IRAM) - self.model.before_code(BOOT, IRAM))
            - round(moved[IRAM].taken(fit)),
            psram=-round(moved[PSRAM].taken(fit)),
            loses=trade.loses,
            source=trade.source,
        )

    def _moved(self, after: MemoryModel, options: Collection[str]) -> Mapping[str, MemoryUse]:
        """The memory of each kind that another configuration takes more at the busiest: that of the
        parts which ask for something that changed."""
        texts = after.scene.config.values.text
        now = self._texts
        reached = self._read.reached(options).intersection(now)
        changed = {name for name in reached if texts(name) != now[name]} | {*options}
        parts = {part for part, names in self._options_read.items() if names & changed}
        return self.model.changes(after, self.model.busiest, parts)

    def _gives(self, use: MemoryUse, ground: float) -> bool:
        """The lower end of the memory's band rises with it, whatever else is taken: the band grows
        by no more than the doubt that parts share, and by that of each over a band that is there
        anyway."""
        fit, row = memory_fit(), memory_fit().row(use.features)
        reach, variance = self.model.widths(self.model.busiest)
        shared = sqrt(float(row @ fit.covariance @ row))
        own = fit.own_variance(use.squares) / (2 * sqrt(variance))
        return ground - use.taken(fit) > reach * (shared + own)

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
        return {name: self._read.text(name) for name in names}

    @functools.cached_property
    def _knobs(self) -> Knobs:
        return knobs_of(self.config).knobs

    @functools.cached_property
    def _read(self) -> ReadValues:
        return self.config.read_values()


def _larger(now: Value | None, trade: Trade) -> bool:
    return isinstance(now, int) and isinstance(trade.value, int) and now > trade.value


def _shown(value: Value | None) -> str:
    if isinstance(value, bool):
        return "y" if value else "n"
    return "-" if value is None else str(value)
