"""Every figure as it stood at a mark of the trace."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.memory import SetRow
from heapscope.measure.record import Record
from heapscope.measure.region import RegionRow
from heapscope.measure.task import TaskRow

__all__ = ["MarkRow"]


@dataclass(frozen=True, kw_only=True)
class MarkRow(Record):
    """`event`: heap events before the mark. Bytes are payload as asked for."""

    name: str
    event: int
    time: int
    live: int
    live_peak: int
    live_blocks: int
    failures: int
    sets: tuple[SetRow, ...]
    regions: tuple[RegionRow, ...]
    tasks: tuple[TaskRow, ...]
