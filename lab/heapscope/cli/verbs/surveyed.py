"""A replay with the survey of who held memory, as reports and checks need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Request
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.memory.choose import choose_placement
from heapscope.memory.layout.placement import Placement
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
from heapscope.simulation.replay.survey import survey
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import Survey
from heapscope.trace.all_names import read_all_names


@dataclass(frozen=True, kw_only=True, eq=False)
class Surveyed:
    """`result` is without the picture of static RAM, which complete() adds."""

    memory: ChosenMemory
    placement: Placement | None
    result: ReplayResult
    seen: Survey

    def complete(self) -> ReplayResult:
        return self.result.with_static(self.memory.static)


def surveyed(
    trace: Path,
    options: MemoryOptions,
    *,
    needs: Sequence[Request],
    columns: int,
    progress: OnProgress | None = None,
) -> Surveyed:
    """InputError: an input cannot be used."""
    memory = choose_memory(options, trace)
    placement = choose_placement(options, memory.layout)
    names = None
    if placement is not None and placement.by_name:
        names = read_all_names(trace, progress=phase(progress, "reading names"))
    result, seen = survey(
        trace,
        memory.layout,
        needs=needs,
        placement=placement,
        names=names,
        columns=columns,
        progress=phase(progress, "replaying"),
    )
    return Surveyed(memory=memory, placement=placement, result=result, seen=seen)
