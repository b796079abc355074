"""A script engine in its own heap: what a published report says, what its own engine shows on both
heaps, and what a composed week shows on every allocator."""

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
