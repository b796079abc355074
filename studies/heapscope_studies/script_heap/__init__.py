"""A script engine in its own heap: what a published report says, what its own engine shows on both
heaps, and what a composed week shows on every allocator.

study.py     the study's engine on its two heaps; nodes, and their price
claims.py    the published figures, each with what was computed for it
parts.py     recorded traces, cut into the jobs that a week is composed of
schedule.py  a week of these jobs, by seed
runs.py      the week on each allocator, with the script on the shared heap and on its own
cost.py      steps and counted accesses as time on the chip, with its bounds
advice.py    the smallest size for the private heap, with a margin
tables.py    published beside computed; allocators; what it depends on
plots.py     the week as curves
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from heapscope_studies.result import Experiment

NAME = "script-heap"
TITLE = "A script engine on the shared heap, and on its own"


def run(progress: Callable[[int, int], None]) -> Experiment:
    from heapscope_studies.script_heap.compute import compute

    return compute(progress, full=False)


def run_full(progress: Callable[[int, int], None]) -> Experiment:
    """Every minute of the week, instead of four a day."""
    from heapscope_studies.script_heap.compute import compute

    return compute(progress, full=True)
