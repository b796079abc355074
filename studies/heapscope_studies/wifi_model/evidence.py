"""The most likely constants under a prior, by errors with heavy tails, and their evidence."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Protocol, TypeVar

import numpy as np

from heapscope.forecast.predict.posterior import Array, Errors, Posterior

_STEPS = 60
_ENOUGH = 0.005  # of the cost: further steps move no constant that matters
T = TypeVar("T")


class Likelihood(Protocol):
    """The observations, and the values that the constants predict for them."""

    observed: Array

    def expected(self, theta: Array) -> Array: ...

    def expected_and_slope(self, theta: Array) -> tuple[Array, Array]:
        """The second: derivatives, observations by constants."""
        ...


@dataclass(frozen=True, kw_only=True)
class Prior:
    """Sums of constants that are about so much. `rows` times theta has means `means`, width 1."""

    rows: Array
    means: Array
    start: Array
    log_width: float  # ln |det rows|

    @classmethod
    def of(
        cls, names: Sequence[str], beliefs: Sequence[tuple[Mapping[str, float], float, float]]
    ) -> Prior:
        """Beliefs: a sum of constants (coefficient by name), its mean, its width. There must be as
        many beliefs as constants, so that the prior is proper."""
        index = {name: number for number, name in enumerate(names)}
        rows = np.zeros((len(beliefs), len(names)))
        means = np.zeros(len(beliefs))
        for number, (terms, mean, width) in enumerate(beliefs):
            for name, coefficient in terms.items():
                rows[number, index[name]] = coefficient / width
            means[number] = mean / width
        return cls(
            rows=rows,
            means=means,
            start=np.asarray(np.linalg.solve(rows, means), dtype=np.float64),
            log_width=float(np.linalg.slogdet(rows)[1]),
        )


def fit_posterior(
    likelihood: Likelihood, prior: Prior, *, errors: Errors, start: Array | None = None
) -> Posterior:
    """`start`: constants to begin with, of a similar fit; it is quicker, and changes nothing."""
    theta = prior.start if start is None else start
    own = prior.rows.T @ prior.rows

    def cost(at: Array) -> float:
        squares = ((likelihood.expected(at) - likelihood.observed) / errors.scale) ** 2
        belief = prior.rows @ at - prior.means
        tail = np.log1p(squares / errors.degrees).sum()
        return float((errors.degrees + 1) * tail + belief @ belief)

    now = cost(theta)
    damping = 1e-3
    for _ in range(_STEPS):
        slope, off = _linear(likelihood, theta, errors)
        curvature = slope.T @ slope + own
        pull = slope.T @ off + prior.rows.T @ (prior.rows @ theta - prior.means)
        better = False
        for _ in range(8):
            damped = curvature.copy()
            damped.flat[:: len(theta) + 1] *= 1 + damping
            tried = theta - np.linalg.solve(damped, pull)
            then = cost(tried)
            if then < now:
                better = True
                break
            damping *= 6
        if not better:
            break
        gained = now - then
        theta, now = tried, then
        damping = max(damping / 6, 1e-9)
        if gained < _ENOUGH:
            break
    slope, off = _linear(likelihood, theta, errors)
    curvature = slope.T @ slope + own
    return Posterior(
        theta=theta,
        covariance=np.asarray(np.linalg.inv(curvature), dtype=np.float64),
        log_evidence=-now / 2
        + errors.log_height * len(off)
        + prior.log_width
        - 0.5 * float(np.linalg.slogdet(curvature)[1]),
    )


def _linear(likelihood: Likelihood, theta: Array, errors: Errors) -> tuple[Array, Array]:
    """Derivatives and errors in units of the scale, each times the root of its observation's
    weight. An observation far off weighs little."""
    expected, slope = likelihood.expected_and_slope(theta)
    off = (expected - likelihood.observed) / errors.scale
    root = np.sqrt((1 + 1 / errors.degrees) / (1 + off**2 / errors.degrees))
    return slope * (root / errors.scale)[:, None], off * root


def choose(start: T, grid: Mapping[str, Sequence[float]], evidence: Callable[[T], float]) -> T:
    """`start`, a frozen dataclass, with the fields of `grid` set to the values that have the most
    evidence, one field after the other."""
    best, most = start, evidence(start)
    for field, values in grid.items():
        here = best
        for value in values:
            if value != getattr(here, field):
                tried: T = replace(here, **{field: value})  # type: ignore[type-var]
                result = evidence(tried)
                if result > most:
                    best, most = tried, result
    return best
