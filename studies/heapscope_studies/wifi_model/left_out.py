"""How good the models are where they have not seen: rows, chips and SDK dates left out.

Whatever is chosen (widths of priors) is chosen anew from the rows left in. A row
is left out whole, its four throughputs. Nothing of later.csv takes part but where
newer software is asked about: some of its rows are the best rows of the tables once more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations

import numpy as np

from heapscope.forecast.predict.guess import Guess, predicted_throughput
from heapscope.forecast.predict.posterior import Array
from heapscope.forecast.predict.throughput import Widths
from heapscope.forecast.predict.wifi_table import METRICS, WifiRow
from heapscope_studies.wifi_model.throughput_fit import choose_widths, fit_throughput, names_for

Progress = Callable[[int, int], None]


@dataclass(frozen=True, kw_only=True)
class LeftOut:
    """One row as predicted from others."""

    row: WifiRow
    throughput: Mapping[str, Guess]
    widths: Widths = field(repr=False)


def leave_out(
    rows: Sequence[WifiRow],
    folds: Sequence[tuple[Sequence[WifiRow], Sequence[WifiRow]]],
    *,
    progress: Progress = lambda done, total: None,
) -> list[LeftOut]:
    """Folds: rows to learn from, rows to predict. Groups that no row is of are guessed from the
    prior."""
    groups = names_for(rows)
    results = []
    for number, (learn, ask) in enumerate(folds):
        progress(number, len(folds))
        widths = choose_widths(learn)
        names, posterior = fit_throughput(learn, widths, groups=groups)
        for row in ask:
            throughput = predicted_throughput(
                [(row.knobs, metric) for metric in METRICS], names, posterior, widths
            )
            results.append(
                LeftOut(
                    row=row,
                    throughput=dict(zip(METRICS, throughput, strict=True)),
                    widths=widths,
                )
            )
    progress(len(folds), len(folds))
    return results


def percent(left_outs: Iterable[LeftOut], metrics: Sequence[str] = METRICS) -> Array:
    """Errors of all throughputs, percent of what was measured, without sign."""
    return np.array(
        [
            abs(each.throughput[metric].mbps() / each.row.throughput[metric] - 1) * 100
            for each in left_outs
            for metric in metrics
            if metric in each.row.throughput
        ]
    )


def ordered(left_outs: Sequence[LeftOut]) -> tuple[int, int]:
    """Pairs of configurations of one group whose order comes out right, and all that differ."""
    right = total = 0
    for a, b in combinations(left_outs, 2):
        if a.row.knobs.group != b.row.knobs.group:
            continue
        for metric in METRICS:
            truth = a.row.throughput[metric] - b.row.throughput[metric]
            if truth:
                total += 1
                right += truth * (a.throughput[metric].mbps() - b.throughput[metric].mbps()) > 0
    return right, total


def covered(left_outs: Sequence[LeftOut], *, share: float) -> tuple[int, int]:
    """Throughputs inside the band that is to hold this share, and all."""
    inside = [
        each.throughput[metric].holds(value, share=share)
        for each in left_outs
        for metric, value in each.row.throughput.items()
    ]
    return sum(inside), len(inside)
