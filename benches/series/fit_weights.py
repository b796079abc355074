"""Weights of `heapscope.answers.series.weighed`, from simulated series: a softmax of the numbers of
each series, by Newton's method. `fit_weights.py [--seed N]` writes them into the tree."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

sys.path.append(str(Path(__file__).parent))
from simulated import Simulated, draw

from heapscope.answers.series.samples import HeapSeries, in_rounds
from heapscope.answers.series.weighed import MODELS, OUTCOMES, numbers_of

DATA = Path(__file__).parents[2] / "lab" / "heapscope" / "data" / "series" / "weights.json"
SERIES = 12_000
_PULL = 1.0  # of the weights to 0
_STEPS = 30

Matrix = NDArray[np.float64]


def known(seed: int, count: int) -> Iterator[Simulated]:
    """So many series whose truth can be known by their last sample."""
    rng = np.random.default_rng(seed)
    while count:
        one = draw(rng)
        if one.truth is not None:
            count -= 1
            yield one


def as_series(one: Simulated, kind: str) -> HeapSeries | None:
    """The series that a device prints: with the largest block, without it, or the minimum alone;
    None: such a figure cannot tell it."""
    if kind == MODELS[0]:
        return in_rounds(HeapSeries(seconds=one.seconds, free=one.free, largest=one.largest))
    if one.truth == OUTCOMES[2]:
        return None
    if kind == MODELS[1]:
        return in_rounds(HeapSeries(seconds=one.seconds, free=one.free))
    lows = np.minimum.accumulate(one.free)
    return HeapSeries(seconds=one.seconds, free=lows, lows=True)


def fitted(numbers: Matrix, truth: NDArray[np.int64]) -> dict[str, list[float] | list[list[float]]]:
    mean, spread = numbers.mean(0), np.maximum(numbers.std(0), 0.01)
    far = np.clip((numbers - mean) / spread, -3, 3)
    design = np.concatenate([np.ones((len(far), 1)), far], axis=1)
    kinds = int(truth.max()) + 1
    right = np.eye(kinds)[truth]
    weights = np.zeros((design.shape[1], kinds))
    size = weights.size
    for _ in range(_STEPS):
        scores = design @ weights
        shares = np.exp(scores - scores.max(1, keepdims=True))
        shares /= shares.sum(1, keepdims=True)
        gradient = (design.T @ (shares - right) + _PULL * weights).T.ravel()
        bend = _PULL * np.eye(size)
        width = design.shape[1]
        for one in range(kinds):
            for other in range(kinds):
                part = shares[:, one] * ((one == other) - shares[:, other])
                spot = (
                    slice(one * width, (one + 1) * width),
                    slice(other * width, (other + 1) * width),
                )
                bend[spot] += design.T @ (design * part[:, None])
        weights -= np.linalg.solve(bend, gradient).reshape(kinds, width).T
    return {
        "mean": [round(float(one), 5) for one in mean],
        "spread": [round(float(one), 5) for one in spread],
        "weights": [[round(float(one), 4) for one in line] for line in weights],
    }


def main(seed: int = 1) -> None:
    print(f"seed {seed}")
    drawn = list(known(seed, SERIES))
    models = {}
    for kind in MODELS:
        pairs = [(s, one.truth) for one in drawn if (s := as_series(one, kind)) is not None]
        numbers = np.array([numbers_of(series) for series, _ in pairs])
        truth = np.array([OUTCOMES.index(str(word)) for _, word in pairs])
        models[kind] = fitted(numbers, truth)
    DATA.parent.mkdir(exist_ok=True)
    DATA.write_text(json.dumps(models, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(*map(int, sys.argv[2:3]))
