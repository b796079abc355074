"""One task's use of one memory kind."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.measure.record import Record

__all__ = ["TaskRow"]


@dataclass(frozen=True, kw_only=True)
class TaskRow(Record):
    """Bytes: payload as asked for; held: the blocks given, rounding and poisoning included.

    `task_index`: None in the row of all tasks beyond those that are kept apart.
    """

    task: str
    task_index: int | None
    kind: str
    payload: int
    payload_peak: int
    payload_peak_event: int | None
    held: int
    held_peak: int
    blocks: int
    blocks_peak: int
    allocations: int
    failures: int
