"""The throughput that one configuration gives more than another, divided among what differs.

Both are of one board in one place, so that most of what is not known of it drops out: a band is
that of the difference.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist

import numpy as np

from heapscope.config.config import Config
from heapscope.forecast.ladder.exchange import Exchange
from heapscope.forecast.ladder.fair_share import Array
from heapscope.forecast.ladder.side import ConfigSide
from heapscope.forecast.predict.config_knobs import has_wifi, knobs_of
from heapscope.forecast.predict.constants import Constants, read_constants
from heapscope.forecast.predict.radio import through_air
from heapscope.forecast.predict.throughput import Cases
from heapscope.forecast.predict.wifi_table import METRICS

_HALF = NormalDist().inv_cdf(0.9)  # of an 80 % band, in standard deviations


@dataclass(frozen=True, kw_only=True)
class SpeedShare:
    """Mbit/s gained, and half of the band that is to hold 80 %."""

    median: float
    half_80: float


@dataclass(frozen=True, kw_only=True)
class SpeedGains:
    """By change, and of all, by metric."""

    shares: Mapping[str, Mapping[str, SpeedShare]]
    total: Mapping[str, SpeedShare]


def speed_gains(pair: Exchange) -> SpeedGains:
    """Empty where a side has no Wi-Fi of its own."""
    if not all(has_wifi(side.config) for side in (pair.before, pair.after)):
        return SpeedGains(shares={}, total={})
    constants = read_constants()
    shares = pair.divided(lambda side, config: _figures(constants, side, config))
    total = sum(shares.values(), np.zeros((len(METRICS), 1 + len(constants.names))))
    return SpeedGains(
        shares={change: _by_metric(constants, share) for change, share in shares.items()},
        total=_by_metric(constants, total),
    )


def _figures(constants: Constants, side: ConfigSide, config: Config) -> Array:
    """By metric: the throughput, and how it follows each constant."""
    knobs = knobs_of(config, idf=side.idf).knobs
    cases = Cases([(knobs, metric) for metric in METRICS], constants.names)
    mean, slope = cases.expected_and_slope(constants.throughput.theta)
    sharpness = constants.widths.sharpness
    processor = np.exp(mean)
    results = [
        through_air(float(each), most, sharpness)
        for each, most in zip(processor, cases.air, strict=True)
    ]
    speed = np.array(results)[:, None]
    # The air takes its part of each step of the processor: v^-s is the sum of both to the -s.
    return np.hstack([speed, speed * (speed / processor[:, None]) ** sharpness * slope])


def _by_metric(constants: Constants, share: Array) -> dict[str, SpeedShare]:
    built = {}
    for metric, (median, *slope) in zip(METRICS, share, strict=True):
        step = np.array(slope)
        variance = float(step @ constants.throughput.covariance @ step)
        built[metric] = SpeedShare(median=float(median), half_80=_HALF * sqrt(max(0.0, variance)))
    return built
