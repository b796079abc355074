"""Every figure as it stood at a mark of the trace."""

from __future__ import annotations

from heapscope.measure.memory import SetRow
from heapscope.measure.region import RegionRow
from heapscope.measure.task import TaskRow
from heapscope.rows.figure import figure
from heapscope.rows.row import Row


class MarkRow(Row):
    """Every figure as it stood at a mark."""

    name: str = figure("Name of the mark, control characters escaped.", heading="Mark")
    event: int = figure("Heap events before the mark.", heading="at event")
    time: int = figure("Time of the mark, clock ticks.", "ticks")
    live: int = figure("Payload bytes live.", "B", "live payload")
    live_peak: int = figure("Most payload bytes live at one moment so far.", "B")
    live_blocks: int = figure("Live blocks.", heading="live blocks", wide=True)
    failures: int = figure("Failed requests so far.", heading="failed")
    sets: tuple[SetRow, ...] = figure("Capability sets.")
    regions: tuple[RegionRow, ...] = figure("Regions.")
    tasks: tuple[TaskRow, ...] = figure("Tasks in memory kinds.")
