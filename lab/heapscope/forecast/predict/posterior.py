"""Constants from data: the most likely ones under a normal prior, when errors have heavy tails.

The errors follow Student's t: published tables hold outliers, and one of them must not bend all
constants. The fit is Gauss-Newton with weights. Its result is a normal distribution around the most
likely constants (Laplace), so that every prediction has a band. Where the data say little, the
prior decides and the band is wide. The evidence is the probability of the data under the whole
model. It chooses the widths of priors, and it needs no rows that are left out.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import cos, exp, lgamma, log, pi, sqrt, tan

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

_STEPS = 60
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(40)  # integrate smooth functions from -1 to 1
_SAME_ANGLE = 1e-15


@dataclass(frozen=True, kw_only=True)
class Errors:
    """Student's t: `scale` in the unit of the observations; the fewer `degrees` of freedom, the
    heavier its tails."""

    scale: float
    degrees: float

    @property
    def log_height(self) -> float:
        """ln of the density where there is no error."""
        half = self.degrees / 2
        return lgamma(half + 0.5) - lgamma(half) - 0.5 * log(pi * self.degrees) - log(self.scale)

    def quantile(self, share: float) -> float:
        """The error that this share of all errors is below, for shares from a half up.

        With error = scale * sqrt(degrees) * tan(angle) the distribution is the integral of
        height * cos(angle) ** (degrees - 1), which is smooth, so Newton's steps on the angle agree
        with scipy.special.stdtrit to 12 digits. scipy itself would take longer to be imported than
        most commands run."""
        height = exp(self.log_height) * self.scale * sqrt(self.degrees)
        angle = 0.0
        for _ in range(_STEPS):
            cosines = np.cos(angle / 2 * (1 + _NODES))
            below = 0.5 + height * angle / 2 * float(_WEIGHTS @ cosines ** (self.degrees - 1))
            step = (share - below) / (height * cos(angle) ** (self.degrees - 1))
            angle += step
            if abs(step) < _SAME_ANGLE:
                break
        return self.scale * sqrt(self.degrees) * tan(angle)


@dataclass(frozen=True, kw_only=True)
class Posterior:
    theta: Array
    covariance: Array
    log_evidence: float
