"""The anomalies of the trace itself."""

from __future__ import annotations

from heapscope.measure.summary import Summary
from heapscope.native.names import anomaly_names
from heapscope.rows.figure import figure
from heapscope.rows.row import Row


class AnomalyRow(Row):
    """An event that makes no sense after those before it; the replay went on without it."""

    event: int = figure("Number of the heap event.")
    what: str = figure("The contradiction.")
    key: int | None = figure(
        "Address of the block; null in a trace without addresses, and for a block it does not know."
    )
    task: str = figure("Task of the event.")


def anomaly_counts(summary: Summary) -> dict[str, int]:
    """How often each kind of anomaly came, by its name."""
    counts = (
        summary.unknown_frees,
        summary.double_frees,
        summary.dead_reallocs,
        summary.refused_reallocs,
        summary.reused_ids,
    )
    return dict(zip(anomaly_names()[1:], counts, strict=True))
