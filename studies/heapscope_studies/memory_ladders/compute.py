"""The whole experiment."""

from __future__ import annotations

from collections.abc import Callable

from heapscope_studies import memory_ladders
from heapscope_studies.memory_ladders import steps, tables
from heapscope_studies.memory_ladders.sums import PUBLISHED
from heapscope_studies.result import Experiment

PARTS = 2


def compute(progress: Callable[[int, int], None]) -> Experiment:
    """`progress` is called with parts done and parts in all. Some ten seconds."""
    progress(0, PARTS)
    c2 = steps.c2()
    progress(1, PARTS)
    matter = steps.matter()
    progress(PARTS, PARTS)
    return Experiment(
        name=memory_ladders.NAME,
        title=memory_ladders.TITLE,
        source=PUBLISHED["source"],
        findings=tuple(tables.findings(c2, matter)),
        tables=(
            tables.steps("c2", "The ESP32-C2's ladder, bytes", c2),
            tables.steps("matter", "A Matter light on the ESP32-C3, one change at a time", matter),
            tables.missing((*c2, *matter)),
            tables.replaced(),
            tables.counted(),
        ),
        plots=(
            tables.plot("c2", "The ESP32-C2's ladder: published and computed", c2),
            tables.plot("matter", "The Matter light: published and computed", matter),
        ),
        checks=(),
        figures=tables.figures(c2, matter),
    )
