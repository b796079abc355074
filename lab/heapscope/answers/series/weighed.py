"""How likely it is that a series falls for good, by weights that simulated series gave
(benches/series/bench_series.py). No file of a device is behind them."""

from __future__ import annotations

import json
from functools import cache
from importlib.resources import files
from typing import Any

import numpy as np

from heapscope.answers.series.envelope import Levels
from heapscope.answers.series.features import fall, fragments
from heapscope.answers.series.samples import HeapSeries, alike

#: The outcomes, in the order of the weights' columns.
STABLE, LEAK, FRAGMENTATION = OUTCOMES = ("stable", "leak", "fragmentation")
#: The sets of weights, by which figures a series has.
BOTH, FREE, LOWS = MODELS = ("free and largest", "free", "minimum")
_FAR = 3.0  # standard deviations, beyond which a number says no more


def kind_of(series: HeapSeries) -> str:
    """Which of MODELS judges it."""
    return LOWS if series.lows else FREE if series.largest is None else BOTH


def numbers_of(series: HeapSeries) -> Levels:
    """The numbers that the model of the series weighs."""
    first = fall(series.seconds, alike(series.free, series.phases))
    if kind_of(series) != BOTH or series.largest is None:
        return first
    largest = alike(series.largest, series.phases)
    parts = fragments(series.seconds, alike(series.free, series.phases), largest)
    return np.concatenate([first, fall(series.seconds, largest), parts])


def chances(series: HeapSeries) -> dict[str, float]:
    """The probability of each of OUTCOMES; they add up to 1."""
    kind = kind_of(series)
    model = _weights()[kind]
    far = np.clip((numbers_of(series) - model["mean"]) / model["spread"], -_FAR, _FAR)
    scores = np.concatenate(([1.0], far)) @ model["weights"]
    odds = np.exp(scores - scores.max())
    shares = odds / odds.sum()
    return dict.fromkeys(OUTCOMES, 0.0) | dict(zip(OUTCOMES, map(float, shares), strict=False))


@cache
def _weights() -> dict[str, dict[str, Any]]:
    text = files("heapscope").joinpath("data/series/weights.json").read_text(encoding="utf-8")
    return {
        kind: {name: np.array(numbers) for name, numbers in model.items()}
        for kind, model in json.loads(text).items()
    }
