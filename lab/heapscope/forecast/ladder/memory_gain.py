"""The memory that one configuration leaves more than another, divided among what differs.

Free memory is a sum: the chip's memory less each part. So is the difference, and each part of it
is divided by itself, among those options alone that its formulas ask about.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from math import hypot

import numpy as np

from heapscope.config.config import Config
from heapscope.forecast.ladder.exchange import CODE, PLATFORM, Exchange
from heapscope.forecast.ladder.fair_share import Array
from heapscope.forecast.ladder.side import ConfigSide
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.memory_states import (
    DRAM,
    IRAM,
    MEMORIES,
    PSRAM,
    MemoryModel,
)
from heapscope.forecast.predict.memory_use import use_of
from heapscope.forecast.predict.part_table import BOOT, parts_in

#: Not a state of its own: the busiest one that a configuration has.
LEFT = "left"
#: The part of internal memory that code and data take before anything is allocated.
STATIC = "static"
PLACES = (*MEMORIES, STATIC)


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryShare:
    """Bytes gained by state and place, and half of the bands that are to hold 80 %."""

    median: Array
    half_80: Array


@dataclass(frozen=True, kw_only=True, eq=False)
class MemoryGains:
    """`states`: the rows of every share, LEFT the last. `shares`: by change. `total`: of all."""

    states: tuple[str, ...]
    shares: Mapping[str, MemoryShare]
    total: MemoryShare


def memory_gains(pair: Exchange) -> MemoryGains:
    before, after = pair.before.model, pair.after.model
    states = (*(each for each in before.states if each in after.states), LEFT)
    kinds = {
        part.id: part.kind
        for model in (before, after)
        for part in parts_in(model.scene.config.chip, model.scene.minor)
    }

    def base(side: ConfigSide, config: Config) -> Array:
        return _table(side, config, states, _base)

    def taken(part: str) -> dict[str, Array]:
        return pair.divided(
            lambda side, config: _table(
                side, config, states, lambda model, state: _taken(model, state, part)
            )
        )

    divided = {part: taken(part) for part in kinds}
    bases = pair.divided(base)
    changes = sorted(
        {PLATFORM, CODE, *pair.members, *bases, *(c for s in divided.values() for c in s)}
    )
    doubt = _doubt(before, after) if pair.of_platform else 0.0

    def share(of: list[str]) -> MemoryShare:
        sizes = {
            part: sum((shares[each] for each in of if each in shares), np.zeros(_shape(states)))
            for part, shares in divided.items()
        }
        own = sum((bases[each] for each in of if each in bases), np.zeros(_shape(states)))
        return _share(own, sizes, kinds, states, doubt if PLATFORM in of else 0.0)

    return MemoryGains(
        states=states,
        shares={each: share([each]) for each in changes},
        total=share(changes),
    )


def _shape(states: tuple[str, ...]) -> tuple[int, int]:
    return len(states), len(PLACES)


def _table(
    side: ConfigSide,
    config: Config,
    states: tuple[str, ...],
    row: Callable[[MemoryModel, str], list[float]],
) -> Array:
    model = side.model.of(config)
    return np.array([row(model, model.busiest if each == LEFT else each) for each in states])


def _taken(model: MemoryModel, state: str, part: str) -> list[float]:
    """Bytes that a part takes by its figure."""
    built = dict.fromkeys(PLACES, 0.0)
    for each in model.held(state, only=(part,)):
        built[each.place] += each.taken
        if each.static and each.place == DRAM:
            built[STATIC] += each.taken
    return list(built.values())


def _base(model: MemoryModel, state: str) -> list[float]:
    """Free bytes before any part is taken off."""
    return [
        *(model.before_parts(state, place) for place in MEMORIES),
        model.before_parts(BOOT, DRAM),
    ]


def _doubt(before: MemoryModel, after: MemoryModel) -> float:
    """One standard deviation of what two releases or chips leave to an empty program."""
    return hypot(*(model.constant(BOOT, DRAM)[1] for model in (before, after)))


def _share(
    base: Array,
    sizes: Mapping[str, Array],
    kinds: Mapping[str, str],
    states: tuple[str, ...],
    doubt: float,
) -> MemoryShare:
    fit = memory_fit()
    median, half = base.copy(), np.zeros_like(base)
    for part, size in sizes.items():
        factor = np.full(len(PLACES), fit.factor(kinds[part]))
        factor[PLACES.index(PSRAM)] = 1  # nobody measured how far off parts in PSRAM are
        median -= size * factor
    for at in np.ndindex(*base.shape):
        here = [(kinds[part], float(size[at])) for part, size in sizes.items() if size[at]]
        own = doubt**2 if PLACES[at[1]] in (DRAM, IRAM, STATIC) else 0.0
        variance = use_of(here).variance(fit) + own
        if not variance and base[at]:
            variance = 1.0  # memory that the chip's map tells, to the byte
        half[at] = fit.difference_half(variance, states[at[0]])
        if PLACES[at[1]] == PSRAM:  # how much a module has, no option says
            half[at] = hypot(half[at], abs(base[at]) / 2)
    return MemoryShare(median=median, half_80=half)
