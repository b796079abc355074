"""The contents of a trace."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.progress import OnProgress, phase
from heapscope.trace.info import TraceInfo, read_info


def info(trace: str | Path, *, progress: OnProgress | None = None) -> TraceInfo:
    """Says what a trace holds: events, tasks, marks, its live peak, its origin and its damage.
    InputError: the file is not a trace."""
    return read_info(trace, peak_time=True, progress=phase(progress, "reading"))
