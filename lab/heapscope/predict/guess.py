"""A prediction and its band."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np

from heapscope.predict.posterior import Errors, Posterior
from heapscope.predict.throughput import (
    Cases,
    Widths,
)
from heapscope.predict.wifi_table import Knobs


@dataclass(frozen=True, kw_only=True)
class Guess:
    """A prediction of ln(Mbit/s). `width` is the standard
    deviation of what the constants say; a measurement then has its error."""

    mean: float
    width: float
    errors: Errors

    def reach(self, share: float) -> float:
        """Half the band that is to hold this share of all measurements."""
        upper = (1 + share) / 2
        own = NormalDist().inv_cdf(upper) * self.width
        return math.hypot(own, self.errors.quantile(upper))

    def holds(self, value: float, *, share: float) -> bool:
        return abs(value - self.mean) <= self.reach(share)


def predicted_throughput(
    cases: Sequence[tuple[Knobs, str]],
    names: Sequence[str],
    posterior: Posterior,
    widths: Widths,
) -> list[Guess]:
    expected, slope = Cases(cases, names).expected_and_slope(posterior.theta)
    width = np.sqrt(np.einsum("ij,jk,ik->i", slope, posterior.covariance, slope))
    return [
        Guess(mean=float(mean), width=float(each), errors=widths.errors)
        for mean, each in zip(expected, width, strict=True)
    ]
