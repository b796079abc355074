"""A prediction and its band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from heapscope.forecast.predict.posterior import Errors, Posterior
from heapscope.forecast.predict.radio import through_air
from heapscope.forecast.predict.throughput import Cases, Widths
from heapscope.forecast.predict.wifi_table import Knobs


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A prediction of what the processor gives, ln(Mbit/s), behind which is the air: `most`,
    Mbit/s. `width` is the standard deviation of what the constants say; a measurement then has its
    error."""

    mean: float
    width: float
    errors: Errors
    most: float
    sharpness: float

    def mbps(self, off: float = 0.0) -> float:
        """The throughput; `off`: where the processor gives that much more, ln. It is above zero and
        below what the air carries, whatever it is."""
        return through_air(math.exp(self.mean + off), self.most, self.sharpness)

    def reach(self, share: float) -> float:
        """Half-width of the prediction interval with this coverage, before the air-rate cap."""
        upper = (1 + share) / 2
        own = NormalDist().inv_cdf(upper) * self.width
        return math.hypot(own, self.errors.quantile(upper))

    def band(self, share: float) -> tuple[float, float]:
        reach = self.reach(share)
        return self.mbps(-reach), self.mbps(reach)

    def holds(self, mbps: float, *, share: float) -> bool:
        low, high = self.band(share)
        return low <= mbps <= high


def predicted_throughput(
    cases: Sequence[tuple[Knobs, str]],
    names: Sequence[str],
    posterior: Posterior,
    widths: Widths,
) -> list[Guess]:
    built = Cases(cases, names)
    expected, slope = built.expected_and_slope(posterior.theta)
    width = np.sqrt(np.einsum("ij,jk,ik->i", slope, posterior.covariance, slope))
    return [
        Guess(
            mean=float(mean),
            width=float(each),
            errors=widths.errors,
            most=most,
            sharpness=widths.sharpness,
        )
        for mean, each, most in zip(expected, width, built.air, strict=True)
    ]
