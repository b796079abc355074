"""The whole experiment: all heaps are made, filled and drilled; then the tables are laid out."""

from __future__ import annotations

from collections.abc import Callable

from heapscope_studies import heap_change
from heapscope_studies.heap_change import control, counts, curves, timing, upgrade
from heapscope_studies.heap_change.subjects import PUBLISHED
from heapscope_studies.result import Experiment

PARTS = 5


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all."""
    progress(0, PARTS)
    counted = counts.count_all()
    progress(1, PARTS)
    drilled = timing.drill_all()
    progress(2, PARTS)
    opened = control.open_all()
    progress(3, PARTS)
    started = upgrade.start_all()
    progress(4, PARTS)
    grown = curves.grow_all()
    progress(5, PARTS)
    return Experiment(
        name=heap_change.NAME,
        title=heap_change.TITLE,
        source=PUBLISHED["source"],
        findings=(
            *counts.findings(counted),
            *timing.findings(drilled),
            *upgrade.findings(started),
        ),
        tables=(
            *counts.tables(counted),
            *timing.tables(drilled),
            *control.tables(opened),
            *upgrade.tables(started),
        ),
        plots=tuple(curves.plots(grown, counted)),
        checks=tuple(counts.checks(counted)),
        figures={},
    )
