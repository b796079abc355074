"""The whole experiment: the steps are replayed, their cost worked out; then the tables."""

from __future__ import annotations

import functools
from collections.abc import Callable

from heapscope_studies import tls_ladder
from heapscope_studies.data_file import read_published
from heapscope_studies.result import Check, Experiment
from heapscope_studies.tls_ladder import cost, curves, tables
from heapscope_studies.tls_ladder.constants import values
from heapscope_studies.tls_ladder.ladder import Row, climb
from heapscope_studies.tls_ladder.steps import CURVES, OURS, STEPS
from heapscope_studies.wifi_path.measured import read_link


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all."""
    published = read_published("tls_ladder")
    steps = published["step"]
    first = (steps[0]["dram"], steps[0]["iram"])
    use = values()
    parts = len(CURVES) * len(STEPS) + 3
    climbed: dict[str, tuple[Row, ...]] = {}
    statics = {}
    for number, curve in enumerate(CURVES):
        before = number * len(STEPS)
        reported = functools.partial(_later, progress, before, parts)
        statics[curve], climbed[curve] = climb(first, use=use, curve=curve, progress=reported)
    rows, static = climbed[CURVES[0]], statics[CURVES[0]]
    _, (_, ours) = climb(first, use=use, steps=(STEPS[0], OURS))
    progress(parts - 1, parts)
    slow = cost.slow_down(
        cost.read_counted(), smallest=STEPS[-1].iram_from, cycles=use["restricted_cycles"]
    )
    priced = cost.costs(slow, read_link(), use["clock_mhz"], published["cost"])
    progress(parts, parts)
    gains = tables.gains(rows, steps)
    peaks = tuple(tables.peaks(rows, steps))
    return Experiment(
        name=tls_ladder.NAME,
        title=tls_ladder.TITLE,
        source=published["source"],
        findings=tuple(tables.findings(gains, peaks, priced, static, ours)),
        tables=(
            tables.ladder(gains),
            tables.task_peaks(peaks),
            tables.beside(rows, ours),
            tables.by_curve(climbed, steps),
            cost.cost_table(priced),
            tables.constants(),
        ),
        plots=tuple(curves.plots(gains, rows, steps)),
        checks=(
            Check(
                what="minimum free DRAM of the first step, which the static use is found from",
                published=first[0],
                computed=rows[0].dram,
            ),
            Check(
                what="minimum free IRAM of the first step, likewise",
                published=first[1],
                computed=rows[0].iram,
            ),
        ),
        figures=tables.figures(gains, peaks, priced),
    )


def _later(progress: Callable[[int, int], None], before: int, parts: int, done: int) -> None:
    progress(before + done, parts)
