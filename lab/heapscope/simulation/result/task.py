"""One task's use of one memory kind."""

from __future__ import annotations

from heapscope.base.rows.bound import AT_LEAST, BEFORE, EXACT
from heapscope.base.rows.figure import figure, in_bytes
from heapscope.base.rows.row import Row


class TaskRow(Row):
    """One task's use of one memory kind."""

    task: str = figure("Name of the task, control characters escaped.", heading="Task")
    task_index: int | None = figure(
        'Index of the task in the trace; null: the row "other tasks", which has all '
        "tasks beyond the first 4095 together.",
        bound=EXACT,
    )
    kind: str = figure("Memory kind.", heading="memory")
    payload: int = in_bytes(
        "Payload bytes live at this moment, as asked for.",
        "payload at end",
        bound=BEFORE,
        rest="sum",
    )
    payload_peak: int = in_bytes(
        "Most payload bytes live at one moment.", "peak payload", bound=AT_LEAST, rest="sum"
    )
    payload_peak_event: int | None = figure(
        "Heap event at which payload_peak was reached; null: never.",
        bound=BEFORE,
        heading="peak at event",
    )
    held: int = in_bytes(
        "Bytes of the blocks given, rounding and poisoning included.",
        "held at end",
        bound=BEFORE,
        rest="sum",
    )
    held_peak: int = in_bytes(
        "Most bytes held at one moment.", "peak held", bound=AT_LEAST, rest="sum"
    )
    blocks: int = figure("Live blocks.", bound=BEFORE, heading="blocks at end", rest="sum")
    blocks_peak: int = figure(
        "Most live blocks at one moment.",
        bound=AT_LEAST,
        heading="peak blocks",
        wide=True,
        rest="sum",
    )
    allocations: int = figure(
        "Blocks given.", bound=AT_LEAST, heading="allocations", wide=True, rest="sum"
    )
    failures: int = figure(
        "Failed requests of the task; counted on its first row.",
        bound=AT_LEAST,
        heading="failed",
        wide=True,
        rest="sum",
    )
