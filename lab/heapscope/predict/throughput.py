"""Throughput from the knobs: the time of a bit is a sum.

    1/T = (1 + penalties) / C + limits

C, the ceiling, is a chip's with its PSRAM, for each metric: it scales with the clock and with newer
software. A penalty is a share more processing, where code or data is not in fast memory. A limit is
time that does not depend on the chip: a window's round trip over its length, a turn of the buffers
over their number, a frame without aggregation. Every limit is bounded above by its knob alone and
every penalty is a knob's own, so that 1/T is linear in one-hot values of the knobs; a window that
two knobs bound is 1/min(a, b) = max(1/a, 1/b).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import log

import numpy as np

from heapscope.predict.posterior import Array, Errors
from heapscope.predict.wifi_table import NO_PSRAM, Knobs, chips

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
    own = log((knobs.mhz or chips()[knobs.chip].mhz) / chips()[knobs.chip].mhz)
    newer = knobs.generation
    terms = {
        f"chip.{knobs.chip}": 1.0,
        f"metric.{metric}": 1.0,
        f"spread.{knobs.group}.{metric}": 1.0,
        "clock.own": own,
        "newer": newer,
        f"newer.{metric}": newer,
        f"newer.{knobs.chip}": newer,
    }
    if 0 < newer < 1:
        terms["newer.between"] = 1.0
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
    """Configurations and metrics, ready to be evaluated for given constants; `observed` in
    ln(Mbit/s), zeros where nothing was."""

    def __init__(
        self,
        cases: Sequence[tuple[Knobs, str]],
        names: Sequence[str],
        observed: Sequence[float] | None = None,
    ) -> None:
        index = {name: number for number, name in enumerate(names)}
        count, size = len(cases), len(names)
        self.observed: Array = np.log(observed) if observed else np.zeros(count)
        self._ceiling = np.zeros((count, size))
        self._penalty = np.zeros((len(PENALTIES), count, size))
        self._paid = np.zeros((len(PENALTIES), count))
        self._limit_at = np.array([index[f"limit.{limit}"] for limit in _LIMIT_NAMES])
        self._limit = np.zeros((count, len(_LIMIT_NAMES)))
        for row, (knobs, metric) in enumerate(cases):
            for name, value in ceiling_terms(knobs, metric).items():
                self._ceiling[row, index[name]] = value
            paid = penalty_features(knobs)
            for number, penalty in enumerate(PENALTIES):
                self._paid[number, row] = paid[penalty]
                if paid[penalty]:
                    for name in penalty_terms(knobs, metric, penalty):
                        self._penalty[number, row, index[name]] = 1.0
            features = limit_features(knobs)
            for number, limit in enumerate(_LIMIT_NAMES):
                if limit in LIMITS[metric]:
                    self._limit[row, number] = features[limit]

    def expected(self, theta: Array) -> Array:
        *_, total = self._parts(theta)
        return -np.log(total)

    def expected_and_slope(self, theta: Array) -> tuple[Array, Array]:
        time, penalties, limits, total = self._parts(theta)
        slope = self._ceiling * ((time + penalties.sum(axis=0)) / total)[:, None]
        for number in range(len(PENALTIES)):
            if self._paid[number].any():
                slope -= self._penalty[number] * (penalties[number] / total)[:, None]
        slope[:, self._limit_at] -= limits / total[:, None]
        return -np.log(total), slope

    def _parts(self, theta: Array) -> tuple[Array, Array, Array, Array]:
        """Time of a bit in the ceiling, each penalty and each limit, and in all; us."""
        time = np.exp(-self._ceiling @ theta)
        penalties = self._paid * np.exp(self._penalty @ theta) * time
        limits = self._limit * np.exp(theta[self._limit_at])
        return time, penalties, limits, time + penalties.sum(axis=0) + limits.sum(axis=1)
