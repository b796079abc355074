"""Software as a dimension of throughput: a walk through the years.

Drivers and TCP/IP change with every release, mostly for the better. Between two days the logarithm
of a ceiling moves by a step whose width grows with the root of the time between them, as a random
walk does. At a few days published rows of one chip tell where it went. A release in between is as
unsure as a walk between two known places, and one beyond the last as a walk from there on.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import pairwise
from math import sqrt

from heapscope.forecast.predict.wifi_table import METRICS, home_year

#: Days at which a chip was measured that was measured at another one too: the ESP32 at the first
#: two, the ESP32-C6 at the last two.
KNOTS = (2018.87, 2020.55, 2023.25, 2024.95)
_HOME = 1  # the knot of the rank tables' software: the ceilings are those of it
#: When the branch of a release left the main one (history of espressif/esp-idf).
_BRANCHED: Mapping[tuple[int, int], float] = {
    (3, 0): 2017.97,
    (3, 1): 2018.62,
    (3, 2): 2018.85,
    (3, 3): 2019.19,
    (4, 0): 2019.58,
    (4, 1): 2020.04,
    (4, 2): 2020.41,
    (4, 3): 2021.11,
    (4, 4): 2021.80,
    (5, 0): 2022.59,
    (5, 1): 2023.30,
    (5, 2): 2023.84,
    (5, 3): 2024.31,
    (5, 4): 2024.82,
    (5, 5): 2025.36,
    (6, 0): 2025.81,
    (6, 1): 2026.55,
}
_APART = 0.55  # years from one release to the next


def year_of(version: tuple[int, int] | None) -> float:
    """The day of a release's software; None: the development branch."""
    last = max(_BRANCHED)
    if version is None or version > last:
        more = 1 if version is None else max(1, 4 * (version[0] - last[0]) + version[1] - last[1])
        return _BRANCHED[last] + _APART * more
    return next(year for known, year in _BRANCHED.items() if known >= version)


def release_of(year: float) -> str:
    """The release that software of that day became."""
    result = next((known for known, branched in _BRANCHED.items() if branched >= year), None)
    return "later" if result is None else f"{result[0]}.{result[1]}"


def years_from_known(year: float) -> float:
    """The time to the nearest day at which software was measured."""
    return min(abs(year - knot) for knot in KNOTS)


def software_terms(year: float, metric: str, chip: str) -> Iterator[tuple[str, float]]:
    """The walk's part in the logarithm of a ceiling: constants and their coefficients."""
    yield "software.year", year - KNOTS[_HOME]
    for number, weight in _weights(year):
        if number != _HOME:
            yield f"software.{number}", weight
            yield f"software.{number}.{metric}", weight
    away = _away(year)
    if away:
        yield "software.away", away
        yield f"software.away.{metric}", away
    home = home_year(chip)
    if home is not None and year != home:
        yield f"aged.{chip}", sqrt(abs(year - home)) * (1 if year > home else -1)


def software_beliefs(walk: float) -> Iterator[tuple[str, dict[str, float], float]]:
    """The steps before any data: a constant, what it steps from (coefficients), the width.
    `walk`: the width of a year's step."""
    for after, number in _steps():
        width = walk * sqrt(abs(KNOTS[number] - KNOTS[after]))
        for metric in ("", *(f".{metric}" for metric in METRICS)):
            start = {} if after == _HOME else {f"software.{after}{metric}": 1.0}
            yield f"software.{number}{metric}", start, width
    for metric in ("", *(f".{metric}" for metric in METRICS)):
        yield f"software.away{metric}", {}, walk


def _steps() -> Iterator[tuple[int, int]]:
    """From the home knot outwards."""
    yield from pairwise(range(_HOME, -1, -1))
    yield from pairwise(range(_HOME, len(KNOTS)))


def _weights(year: float) -> Iterator[tuple[int, float]]:
    """The share of the knots around: where a walk between two places is, at the mean."""
    if year <= KNOTS[0] or year >= KNOTS[-1]:
        yield (0 if year <= KNOTS[0] else len(KNOTS) - 1), 1.0
        return
    right = next(number for number, knot in enumerate(KNOTS) if knot >= year)
    left = KNOTS[right - 1]
    share = (year - left) / (KNOTS[right] - left)
    yield right - 1, 1 - share
    yield right, share


def _away(year: float) -> float:
    """The width of the walk there, in years of steps, when it is known at the knots."""
    if year <= KNOTS[0] or year >= KNOTS[-1]:
        return sqrt(years_from_known(year))
    right = next(number for number, knot in enumerate(KNOTS) if knot >= year)
    before, after = year - KNOTS[right - 1], KNOTS[right] - year
    return sqrt(before * after / (before + after))
