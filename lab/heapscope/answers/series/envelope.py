"""The upper envelope of a series, its slope, and lines through it."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

Levels = NDArray[np.float64]

_BLOCKS = (6, 24)  # at least and at most
_EACH = 6  # samples of a block
_STILL = 0.9  # a correlation of neighbours that is not passed
_ROUNDS = 25


def blocks(seconds: Levels, levels: Levels, *, share: float = 0.9) -> tuple[Levels, Levels]:
    """Stretches of equal length: their mean moments (blocks,) and, of each, the level below which
    the `share` of its samples is (blocks,). `seconds`, `levels`: (samples,). Stretches without a
    sample are left out."""
    count = int(np.clip(len(seconds) // _EACH, *_BLOCKS))
    edges = np.linspace(seconds[0], seconds[-1], count + 1)[1:-1]
    bounds = np.concatenate(([0], np.searchsorted(seconds, edges), [len(seconds)]))
    spans = [(low, high) for low, high in pairwise(bounds) if high > low]
    moments = np.array([seconds[low:high].mean() for low, high in spans])
    tops = np.array([_below(levels[low:high], share) for low, high in spans])
    return moments, tops


def _below(levels: Levels, share: float) -> float:
    """The same as numpy's quantile, which takes ten times as long for a few numbers."""
    order = np.sort(levels)
    at = share * (len(order) - 1)
    low = int(at)
    high = min(low + 1, len(order) - 1)
    return float(order[low] + (at - low) * (order[high] - order[low]))


def slope(moments: Levels, levels: Levels) -> tuple[float, float]:
    """The slope of the straight line of least squares (B/s), and how many of its standard errors
    that is, where neighbours may be alike (AR(1))."""
    if len(moments) < 4:
        return 0.0, 0.0
    across = moments - moments.mean()
    spread = float(across @ across)
    per_second = float(across @ (levels - levels.mean())) / spread
    rest = levels - levels.mean() - per_second * across
    noise = float(rest @ rest)
    alike = float(np.clip((rest[1:] @ rest[:-1]) / max(noise, 1e-9), 0, _STILL))
    error = np.sqrt(max(noise, 1e-9) / (len(moments) - 2) * (1 + alike) / (1 - alike) / spread)
    floor = 1e-4 * (abs(float(levels[0])) + 1) / max(float(moments[-1] - moments[0]), 1e-9)
    return per_second, per_second / max(float(error), floor)


def upper_line(seconds: Levels, levels: Levels, *, share: float = 0.85) -> tuple[float, float]:
    """The line below which the `share` of all samples is (quantile regression, by weights that are
    made anew until it stays): its slope (B/s) and its level at the last sample."""
    span = max(float(seconds[-1] - seconds[0]), 1e-9)
    design = np.stack([np.ones(len(seconds)), (seconds - seconds[-1]) / span], axis=1)
    weights = np.ones(len(seconds))
    small = 1e-3 * (float(np.ptp(levels)) + 1)
    line = np.zeros(2)
    for _ in range(_ROUNDS):
        line, *_ = np.linalg.lstsq(
            design * np.sqrt(weights)[:, None], levels * np.sqrt(weights), rcond=None
        )
        rest = levels - design @ line
        weights = np.where(rest > 0, share, 1 - share) / np.maximum(np.abs(rest), small)
    return float(line[1]) / span, float(line[0])


def left_over(moments: Levels, tops: Levels, knot: int | None = None) -> float:
    """The sum of squares that a line leaves, or two that meet at a knot; never quite 0."""
    columns = [np.ones(len(moments)), moments - moments[0]]
    if knot is not None:
        columns.append(np.maximum(moments - moments[knot], 0))
    design = np.stack(columns, axis=1)
    line, *_ = np.linalg.lstsq(design, tops, rcond=None)
    left = tops - design @ line
    return float(left @ left) + 1e-6 * float(tops @ tops) / len(tops) + 1e-9


def best_knot(moments: Levels, tops: Levels) -> int:
    """The stretch where two lines meet that fit best; 0: the stretches are too few. The line with a
    knot leaves what the straight one leaves, less what the hinge adds that no line has."""
    knots = np.arange(2, len(moments) - 3)
    if not knots.size:
        return 0
    across = moments - moments.mean()
    spread = float(across @ across)

    def apart(levels: Levels) -> Levels:
        even = levels - levels.mean(axis=-1, keepdims=True)
        rest: Levels = even - (even @ across / spread)[..., None] * across
        return rest

    hinges = apart(np.maximum(moments - moments[knots][:, None], 0))
    gains = (hinges @ apart(tops)) ** 2 / np.maximum((hinges**2).sum(axis=1), 1e-9)
    return int(knots[np.argmax(gains)])
