"""A replay with the survey of who held memory, as reports and checks need it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from heapscope.layout.placement import Placement
from heapscope.measure.result import ReplayResult
from heapscope.measure.survey import Survey
from heapscope.memory.choose import choose_memory, choose_placement
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
from heapscope.progress import OnProgress, phase
from heapscope.replay.config import Need
from heapscope.replay.survey import survey
from heapscope.trace.all_names import read_all_names


@dataclass(frozen=True, kw_only=True, eq=False)
class Surveyed:
    """`result` is without the picture of static RAM, which complete() adds."""

    memory: ChosenMemory
    placement: Placement | None
    result: ReplayResult
    seen: Survey

    def complete(self) -> ReplayResult:
        static = self.memory.static
        return self.result if static is None else static.complete(self.result)


def surveyed(
    trace: Path,
    options: MemoryOptions,
    *,
    needs: Sequence[Need],
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
