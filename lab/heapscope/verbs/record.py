"""A Linux program, and what it asks of its heap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from heapscope.capture.record.recording import RecordResult
from heapscope.capture.record.session import RecordOptions
from heapscope.capture.record.session import record as record_program
from heapscope.extras import need as need_extra


def record(
    command: Sequence[str],
    *,
    out: str | Path = "record.hst",
    stacks: int = 0,
    drop: bool = False,
    children: bool = True,
    addresses: bool = False,
    progress: Callable[[int, int, int], None] | None = None,
) -> RecordResult:
    """Runs a Linux program to its end and writes the trace `out`.

    `stacks`: callers that are recorded of each request, at most. `drop`: loses events, and counts
    them, where the program would have to wait. `children`: writes a trace of each process that it
    starts, too. `addresses`: knows blocks by their addresses. `progress` is called with the events
    so far, the live bytes and the processes. HeapscopeError: the program cannot be recorded.
    """
    if stacks and sys.platform == "linux":  # elsewhere nothing is recorded, as the session says
        need_extra("record", "--stacks", instead="leave it out")
    options = RecordOptions(
        out=str(out), frames=stacks, drop=drop, children=children, addresses=addresses
    )
    return record_program(command, options, progress=progress)
