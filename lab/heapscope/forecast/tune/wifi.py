"""The throughputs of predict/ as quantities of a space.

They are linear in features of the knobs, but for a window that two knobs bound. The effect of a
knob's value on the features is read off by asking for them with that value alone changed, so that
the form of the terms stays predict's.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Hashable, Mapping
from dataclasses import replace
from statistics import NormalDist

import numpy as np

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.forecast.predict.constants import Constants
from heapscope.forecast.predict.environment import Environment, place_of, seen_in
from heapscope.forecast.predict.guess import Guess, predicted_throughput
from heapscope.forecast.predict.memory_states import FreeBand
from heapscope.forecast.predict.radio import air_limit
from heapscope.forecast.predict.throughput import (
    LIMITS,
    PENALTIES,
    beyond_features,
    ceiling_terms,
    limit_features,
    penalty_features,
    penalty_terms,
)
from heapscope.forecast.predict.wifi_table import METRICS, Knobs
from heapscope.forecast.tune.memory import FREE
from heapscope.forecast.tune.options import as_number
from heapscope.forecast.tune.quantity import Quantity, not_below, time_above
from heapscope.forecast.tune.space import Array, Choice, Larger, Space

#: Share of the band whose lower bound needs are held at.
BAND = 0.8
_WINDOW = "receive_window"  # the limit that two knobs bound

#: The knobs when one has this value and the others are as they were.
With = Callable[[Knobs, str, Hashable], Knobs]


class WifiFigures(Row):
    """The prediction for one configuration: throughputs in Mbit/s; free, its memory, in KB."""

    median: dict[str, float] = figure("The medians.", least=None, digits=4)
    low_80: dict[str, float] = figure("The lower bounds of the 80 % bands.", least=None, digits=4)
    high_80: dict[str, float] = figure("The upper bounds of the 80 % bands.", least=None, digits=4)


def figures(
    constants: Constants, knobs: Knobs, free: FreeBand, environment: Environment | None = None
) -> WifiFigures:
    """By metric, FREE among them. `environment`: None is the tables' shielded box."""
    guesses = _throughput(constants, knobs)
    median, low, high = {}, {}, {}
    for metric, shielded in zip(METRICS, guesses, strict=True):
        guess = seen_in(environment or Environment(), knobs, metric, shielded)
        median[metric] = guess.mbps()
        low[metric], high[metric] = guess.band(BAND)
    left, half = free.median / 1024, free.half_80 / 1024
    median[FREE], low[FREE], high[FREE] = left, left - half, left + half
    return WifiFigures(median=median, low_80=low, high_80=high)


def window(base: Knobs, knobs: tuple[str, str], values: tuple[tuple[Hashable, ...], ...]) -> Larger:
    """The receive window's term: of the window alone, and of the buffers behind it."""
    alone, widest = replace(base, dynamic_rx=0), replace(base, tcp_wnd=1 << 20)
    return Larger(
        name=_WINDOW,
        knobs=knobs,
        of=(
            {
                value: limit_features(replace(alone, tcp_wnd=as_number(value)))[_WINDOW]
                for value in values[0]
            },
            {
                value: limit_features(replace(widest, dynamic_rx=as_number(value)))[_WINDOW]
                for value in values[1]
            },
        ),
    )


def time_quantity(
    constants: Constants,
    base: Knobs,
    space: Space,
    changed: With,
    metric: str,
    *,
    median: bool,
    environment: Environment | None = None,
) -> Quantity:
    """Time of a bit, us: at the median, or at the upper end of its band. The environment adds a sum
    of its own. The width of its unknown part is joined with that of the error. The time that the
    air takes stands behind that of the processor."""
    limits = [name for name in LIMITS[metric] if name != _WINDOW]
    windowed = _WINDOW in LIMITS[metric]
    weights, slope = _time_weights(constants, base, metric, limits, windowed=windowed)
    there = environment or Environment()
    place = place_of(there, base, metric)
    weights = place.factor * np.append(weights, (1.0, 0.0))
    covariance = np.zeros((len(weights), len(weights)))
    covariance[:-2, :-2] = place.factor**2 * (slope @ constants.throughput.covariance @ slope.T)

    def features(knobs: Knobs) -> Array:
        paid, held, beyond = _features(knobs)
        added = place_of(there, knobs, metric).added
        return np.array(
            [
                1.0,
                *(paid[p] for p in PENALTIES),
                *(held[n] for n in limits),
                *(beyond[n] for n in LIMITS[metric]),
                0.0,
                added,
                place.factor / air_limit(knobs, metric).mbps,
            ]
        )

    z, error = _band(_throughput(constants, base)[0], median)
    error = float(np.hypot(error, z * place.width))
    unit = np.zeros(len(weights))
    unit[-3] = 1.0
    constant, parts = features(base), _parts(base, space, changed, features)
    larger = {_WINDOW: unit} if windowed else {}
    return Quantity(
        name=metric,
        constant=constant,
        parts=parts,
        larger=larger,
        cost=not_below(time_above(weights, covariance, error, z), constants.widths.sharpness),
        scale=float(weights @ constant),
    )


@functools.lru_cache(maxsize=1024)
def _features(knobs: Knobs) -> tuple[Mapping[str, float], ...]:
    """Those that do not hang on the metric: penalties, limits, and what is beyond these."""
    return penalty_features(knobs), limit_features(knobs), beyond_features(knobs)


def _time_weights(
    constants: Constants, base: Knobs, metric: str, limits: list[str], *, windowed: bool
) -> tuple[Array, Array]:
    """The weight of each feature, us, and its derivatives by the constants: the ceiling's time, the
    penalties', the limits', what is beyond the published rows of each, the window's."""
    index = {name: number for number, name in enumerate(constants.names)}
    theta = constants.throughput.theta

    def exponential(terms: Mapping[str, float]) -> tuple[float, Array]:
        row = np.zeros(len(theta))
        for name, value in terms.items():
            row[index[name]] += value
        value = float(np.exp(row @ theta))
        return value, value * row

    def beyond(limit: str) -> tuple[float, Array]:
        own, _ = exponential({f"limit.{limit}": 1.0})
        more, slope = exponential({f"limit.{limit}": 1.0, f"beyond.{limit}": 1.0})
        slope[index[f"limit.{limit}"]] -= own
        return more - own, slope

    ceiling = {name: -value for name, value in ceiling_terms(base, metric).items()}
    built = [exponential(ceiling)]
    for penalty in PENALTIES:
        terms = dict(ceiling)
        for name in penalty_terms(base, metric, penalty):
            terms[name] = terms.get(name, 0.0) + 1.0
        built.append(exponential(terms))
    built += [exponential({f"limit.{name}": 1.0}) for name in limits]
    built += [beyond(name) for name in LIMITS[metric]]
    built.append(
        exponential({f"limit.{_WINDOW}": 1.0}) if windowed else (0.0, np.zeros(len(theta)))
    )
    return np.array([value for value, _ in built]), np.array([row for _, row in built])


def _parts(
    base: Knobs, space: Space, changed: With, features: Callable[[Knobs], Array]
) -> dict[str, dict[Hashable, Array]]:
    at = features(base)
    return {
        knob.name: {value: features(changed(base, knob.name, value)) - at for value in knob.values}
        for knob in space.knobs
    }


def _throughput(constants: Constants, knobs: Knobs) -> list[Guess]:
    """By metric, in their order."""
    return predicted_throughput(
        [(knobs, metric) for metric in METRICS],
        constants.names,
        constants.throughput,
        constants.widths,
    )


def _band(guess: Guess, median: bool) -> tuple[float, float]:
    """Widths of the constants, and the measurement's error, as far as the band reaches."""
    if median:
        return 0.0, 0.0
    return NormalDist().inv_cdf((1 + BAND) / 2), replace(guess, width=0.0).reach(BAND)


def rebuilt(base: Knobs, choice: Choice, changed: With) -> Knobs:
    """The knobs of a choice."""
    built = base
    for name, value in choice.items():
        built = changed(built, name, value)
    return built
