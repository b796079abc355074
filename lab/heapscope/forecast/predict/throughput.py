"""Throughput from the knobs: the time of a bit is a sum, and the air is behind it.

    1/P = (1 + penalties) / C + limits
    1/T = (P^-s + A^-s)^(1/s)

P is what the processor gives. C, its ceiling, is a chip's with its PSRAM, for each metric: it
scales with the clock, and moves with the years of the software. A penalty is a share more
processing, where code or data is not in fast memory. A limit is time that does not depend on the
chip: a window's round trip over its length, a turn of the buffers over their number, a frame
without aggregation. Every limit is bounded above by its knob alone and every penalty is a knob's
own, so that 1/P is linear in one-hot values of the knobs; a window that two knobs bound is
1/min(a, b) = max(1/a, 1/b). A is what the air carries (forecast/predict/radio.py): nothing passes
it.
"""

from __future__ import annotations

import copy
import functools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from heapscope.forecast.predict.posterior import Array, Errors
from heapscope.forecast.predict.radio import air_limit, before_air
from heapscope.forecast.predict.software import software_terms
from heapscope.forecast.predict.wifi_table import NO_PSRAM, Knobs, chips, lab, ranks

#: Limits by metric, and what 1/T holds of each: see limit_features.
LIMITS: Mapping[str, tuple[str, ...]] = {
    "tcp_tx": ("send_window", "tx_buffers"),
    "tcp_rx": ("receive_window", "block_ack", "static_rx", "no_block_ack"),
    "udp_tx": ("tx_buffers",),
    "udp_rx": ("block_ack", "static_rx", "dynamic_rx", "no_block_ack"),
}
_LIMIT_NAMES = (
    *("send_window", "receive_window", "tx_buffers", "static_rx"),
    *("dynamic_rx", "block_ack", "no_block_ack"),
)
PENALTIES = ("wifi_iram", "wifi_rx_iram", "lwip_iram", "icache")
_SEGMENT_KB = 1.44  # payload of a frame


@dataclass(frozen=True, kw_only=True)
class Widths:
    """Widths of the priors, as shares (of a natural logarithm)."""

    error: float = 0.07  # of a measurement
    degrees: float = 5.0  # of freedom of its t distribution; a number, no share
    spread: float = 0.12  # of a ceiling around its chip's and metric's
    psram: float = 0.2  # PSRAM's effect on a metric
    penalty: float = 0.5  # a penalty of a metric around the option's
    code: float = 0.5  # a chip's and metric's sensitivity to them
    chip: float = 0.15  # a chip around its clock and cores
    walk: float = 0.1  # a step of a year of the software
    sharpness: float = 6.0  # of the corner where air and processor meet; a number, no share

    @property
    def errors(self) -> Errors:
        return Errors(scale=self.error, degrees=self.degrees)


def limit_features(knobs: Knobs) -> dict[str, float]:
    """The part of each limit in 1/T, per unit of its constant: 1/KB or 1/count; 0: no limit. One
    round trip carries a window, and the segment whose acknowledgement opens it again."""
    window = 1 / (knobs.window_kb + _SEGMENT_KB)
    if knobs.dynamic_rx:
        window = max(window, 1 / (_SEGMENT_KB * (knobs.dynamic_rx + 1)))
    return {
        "send_window": 1 / (knobs.send_kb + _SEGMENT_KB),
        "receive_window": window,
        "tx_buffers": 1 / knobs.tx_buffers,
        "static_rx": 1 / knobs.static_rx,
        "dynamic_rx": 1 / knobs.dynamic_rx if knobs.dynamic_rx else 0.0,
        "block_ack": 1 / knobs.rx_ba_win if knobs.rx_ba_win else 0.0,
        "no_block_ack": 0.0 if knobs.rx_ba_win else 1.0,
    }


def beyond_features(knobs: Knobs) -> dict[str, float]:
    """The part of each limit that no published row has seen: of windows, buffers and aggregates
    that are smaller than any there. It is a sum of what single knobs give."""
    seen, now = _tightest(), _tightness(knobs)
    return {
        limit: sum(
            max(0.0, part - most) for part, most in zip(now[limit], seen[limit], strict=True)
        )
        for limit in now
    }


def _tightness(knobs: Knobs) -> dict[str, tuple[float, ...]]:
    """The part that each knob alone gives to a limit."""
    of = limit_features(knobs)
    window = 1 / (knobs.window_kb + _SEGMENT_KB)
    buffers = 1 / (_SEGMENT_KB * (knobs.dynamic_rx + 1)) if knobs.dynamic_rx else 0.0
    return {
        limit: (window, buffers) if limit == "receive_window" else (of[limit],)
        for limit in _LIMIT_NAMES
    }


@functools.cache
def _tightest() -> dict[str, tuple[float, ...]]:
    rows = [_tightness(row.knobs) for row in (*ranks(), *lab())]
    return {
        limit: tuple(max(parts) for parts in zip(*(row[limit] for row in rows), strict=True))
        for limit in _LIMIT_NAMES
    }


def penalty_features(knobs: Knobs) -> dict[str, float]:
    """1 where the penalty is paid. The cache's: below the size of the chip's best rank."""
    small = 0 < knobs.icache_kb < chips()[knobs.chip].icache_kb
    return {
        "wifi_iram": float(not knobs.wifi_iram),
        "wifi_rx_iram": float(not knobs.wifi_rx_iram),
        "lwip_iram": float(not knobs.lwip_iram),
        "icache": float(small),
    }


def ceiling_terms(knobs: Knobs, metric: str) -> dict[str, float]:
    """ln C as a sum: coefficient by the constant's name."""
    of = chips()[knobs.chip]
    terms = {
        f"chip.{knobs.chip}": 1.0,
        f"metric.{metric}": 1.0,
        f"spread.{knobs.group}.{metric}": 1.0,
        "clock.own": log((knobs.mhz or of.mhz) / of.mhz),
        "cores": float(knobs.cores - of.cores),
        "cores.own": float(knobs.cores - of.cores),
        "optimized": float(knobs.optimized),
        "core_locking": float(knobs.core_locking),
        "band.5": float(knobs.band_ghz > 3),
        **dict(software_terms(knobs.year, metric, knobs.chip)),
    }
    if knobs.psram != NO_PSRAM:
        terms[f"psram.{knobs.group}"] = 1.0
        terms[f"psram.{metric}"] = 1.0
    return {name: value for name, value in terms.items() if value}


def penalty_terms(knobs: Knobs, metric: str, penalty: str) -> tuple[str, ...]:
    """The logarithm of a penalty as a sum of constants."""
    return (
        f"penalty.{metric}.{penalty}",
        f"code.{knobs.chip}",
        f"code.{knobs.chip}.{metric}",
    )


class Cases:
    """Configurations and metrics, ready to be evaluated for given constants. `observed`: the
    processor's part of `seen` (Mbit/s), ln; see behind_air. `air`: what the air carries."""

    def __init__(
        self,
        cases: Sequence[tuple[Knobs, str]],
        names: Sequence[str],
        seen: Sequence[float] = (),
    ) -> None:
        index = {name: number for number, name in enumerate(names)}
        count, size = len(cases), len(names)
        self.observed: Array = np.zeros(count)
        self.log_stretch = 0.0  # ln of the density of `seen` over that of `observed`
        self.air = [air_limit(knobs, metric).mbps for knobs, metric in cases]
        self._seen = seen
        self._ceiling = np.zeros((count, size))
        self._penalty = np.zeros((len(PENALTIES), count, size))
        self._paid = np.zeros((len(PENALTIES), count))
        self._limit_at = np.array([index[f"limit.{limit}"] for limit in _LIMIT_NAMES])
        self._beyond_at = np.array([index[f"beyond.{limit}"] for limit in _LIMIT_NAMES])
        self._limit = np.zeros((count, len(_LIMIT_NAMES)))
        self._beyond = np.zeros((count, len(_LIMIT_NAMES)))
        for row, (knobs, metric) in enumerate(cases):
            for name, value in ceiling_terms(knobs, metric).items():
                self._ceiling[row, index[name]] = value
            paid = penalty_features(knobs)
            for number, penalty in enumerate(PENALTIES):
                self._paid[number, row] = paid[penalty]
                if paid[penalty]:
                    for name in penalty_terms(knobs, metric, penalty):
                        self._penalty[number, row, index[name]] = 1.0
            features, beyond = limit_features(knobs), beyond_features(knobs)
            for number, limit in enumerate(_LIMIT_NAMES):
                if limit in LIMITS[metric]:
                    self._limit[row, number] = features[limit]
                    self._beyond[row, number] = beyond[limit]

    def behind_air(self, sharpness: float) -> Cases:
        """The same with `observed` of that sharpness. ValueError: more than the air carries was
        seen."""
        built = copy.copy(self)
        built.observed = np.log(
            [
                before_air(seen, most, sharpness)
                for seen, most in zip(self._seen, self.air, strict=True)
            ]
        )
        shares = (np.array(self._seen) / np.array(self.air)) ** sharpness
        built.log_stretch = -float(np.log1p(-shares).sum())
        return built

    def expected(self, theta: Array) -> Array:
        *_, total = self._parts(theta)
        return -np.log(total)

    def expected_and_slope(self, theta: Array) -> tuple[Array, Array]:
        time, penalties, limits, total = self._parts(theta)
        beyond = self._beyond * np.exp(theta[self._limit_at] + theta[self._beyond_at])
        slope = self._ceiling * ((time + penalties.sum(axis=0)) / total)[:, None]
        for number in range(len(PENALTIES)):
            if self._paid[number].any():
                slope -= self._penalty[number] * (penalties[number] / total)[:, None]
        slope[:, self._limit_at] -= limits / total[:, None]
        slope[:, self._beyond_at] -= beyond / total[:, None]
        return -np.log(total), slope

    def _parts(self, theta: Array) -> tuple[Array, Array, Array, Array]:
        """Time of a bit in the ceiling, each penalty and each limit, and in all; us."""
        time = np.exp(-self._ceiling @ theta)
        penalties = self._paid * np.exp(self._penalty @ theta) * time
        more = self._beyond * np.expm1(theta[self._beyond_at])
        limits = (self._limit + more) * np.exp(theta[self._limit_at])
        return time, penalties, limits, time + penalties.sum(axis=0) + limits.sum(axis=1)
