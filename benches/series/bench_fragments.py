"""Dates of fragmentation alone, in many simulated series whose blocks stay at random places: how
often the date is right, and the interval holds the truth. Another seed: --seed N."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np

sys.path.append(str(Path(__file__).parent))
import simulated
from fit_weights import as_series

from heapscope.answers.series.dates import SeriesBand
from heapscope.answers.series.judge import FRAGMENTATION, judge_series
from heapscope.answers.series.weighed import MODELS

DATES = 150


def dates(seed: int) -> list[tuple[float, SeriesBand]]:
    """The true time that is left, and the date, of series that are judged to fragment."""
    simulated._SHARES = {"pinned": 10, "replaced pins": 8}
    rng = np.random.default_rng(seed)
    pairs: list[tuple[float, SeriesBand]] = []
    while len(pairs) < DATES:
        one = simulated.draw(rng)
        series = as_series(one, MODELS[0])
        if one.truth != FRAGMENTATION or not one.stops or series is None:
            continue
        judged = judge_series(series)
        until = judged.until(int(one.need))
        if judged.verdict == FRAGMENTATION and until is not None:
            pairs.append((one.stops, until))
    return pairs


def main(seed: int = 23) -> None:
    pairs = dates(seed)
    twice = np.mean([stops / 2 <= one.value <= 2 * stops for stops, one in pairs])
    inside = np.mean([one.low <= stops <= one.high for stops, one in pairs])
    early = np.mean([stops < one.low for stops, one in pairs])
    print(
        f"seed {seed}: {len(pairs)} dates, {100 * twice:.1f} % within a factor of 2, "
        f"{100 * inside:.1f} % in the interval, {100 * early:.1f} % before it"
    )


if __name__ == "__main__":
    main(*map(int, sys.argv[2:3]))
