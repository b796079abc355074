"""What was wrong with the trace itself."""

from __future__ import annotations

from heapscope.rows.figure import figure
from heapscope.rows.row import Row

__all__ = ["AnomalyRow"]


class AnomalyRow(Row):
    """An event that makes no sense after those before it; the replay went on without it."""

    event: int = figure("Number of the heap event.")
    what: str = figure("The contradiction.")
    key: int | None = figure(
        "Address of the block; null in a trace without addresses, and for a block it does not know."
    )
    task: str = figure("Task of the event.")
