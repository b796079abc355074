"""The replay of a trace on the memory of the options."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Needed, parse_requests
from heapscope.cli.verbs.begun import begun
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions
from heapscope.simulation.replay.beside import with_beside
from heapscope.simulation.replay.run import replay as replay_events
from heapscope.simulation.result.result import ReplayResult
from heapscope.trace.all_names import read_all_names


def replayed(
    path: Path,
    options: MemoryOptions,
    *,
    need: Needed = (),
    explain: int | None = None,
    state: str | Path | None = None,
    progress: OnProgress | None = None,
) -> ReplayResult:
    """The replay itself, on the memory of the options, or else of the chip that the trace names."""
    chosen = choose_memory(options, path) if state is None else begun(state, options)
    needs = parse_requests(need)
    placement = choose_placement(options, chosen.layout)
    names = None
    if placement is not None and placement.by_name:
        names = read_all_names(path, progress=phase(progress, "reading names"))
    result = replay_events(
        path,
        chosen.layout,
        needs=needs,
        explain=explain,
        placement=placement,
        names=names,
        progress=phase(progress, "replaying"),
    )
    return result.with_static(chosen.static)


def looked_at(
    first: ReplayResult, others: Sequence[ReplayResult], path: Path, options: MemoryOptions
) -> ReplayResult:
    """The first side of a comparison, with its memory at the tightest moments of the others."""
    layout = choose_memory(options, path).layout
    placement = choose_placement(options, layout)
    names = read_all_names(path) if placement is not None and placement.by_name else None
    return with_beside(first, others, path, layout, placement=placement, names=names)
