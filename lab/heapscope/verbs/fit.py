"""The smallest pool in which a trace runs."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path

from heapscope.fit.fit_trace import fit as fit_one
from heapscope.fit.smallest_pool import FitResults
from heapscope.layout.allocator import parse_allocator, placements
from heapscope.progress import OnProgress, phase


def fit(
    *traces: str | Path,
    allocator: str | Iterable[str] = (),
    task: str | None = None,
    margin: float | None = None,
    progress: OnProgress | None = None,
) -> FitResults:
    """Finds the smallest pool in which each trace runs without a failed allocation.

    `allocator`: one name or several; without it all allocators. `task`: fits the blocks of this
    task alone. `margin`: also recommends a size so many percent above the pool. InputError: a trace
    or a name cannot be used.
    """
    said: Sequence[str] = [allocator] if isinstance(allocator, str) else list(allocator)
    names = list(dict.fromkeys(parse_allocator(name) for name in said or placements()))
    found = [
        fit_one(
            trace,
            names,
            task=task,
            margin=margin,
            reading=phase(progress, "reading"),
            progress=phase(progress, "fitting", parts=True),
        )
        for trace in traces
    ]
    return FitResults(tuple(result for results in found for result in results))
