"""Colours of tasks and sides: told apart on white and on near black, in print and by eyes that see
red and green alike."""

from __future__ import annotations

TASKS = (
    "#3b82f6",
    "#f59e0b",
    "#10b981",
    "#ec4899",
    "#8b5cf6",
    "#06b6d4",
    "#ef6c4a",
    "#84cc16",
    "#d4a5ff",
    "#b08968",
)
OTHERS = "#94a3b8"  # tasks beyond these, together
STARTUP = "#64748b"
ALLOCATOR = "#475569"
FAILED = "#e11d48"
CLOSE = "#f97316"


def task_colours(peaks: list[int]) -> list[str]:
    """A colour for each task, given what each held at most: the largest holders get their own."""
    order = sorted(range(len(peaks)), key=lambda task: -peaks[task])
    colours = [OTHERS] * len(peaks)
    for rank, task in enumerate(order[: len(TASKS)]):
        colours[task] = TASKS[rank]
    return colours
