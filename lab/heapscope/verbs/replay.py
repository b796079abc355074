"""A trace on a chip's memory."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Unpack

from heapscope.layout.need import parse_needs
from heapscope.measure.result import ReplayResult
from heapscope.memory.choose import choose_memory, choose_placement
from heapscope.memory.options import MemoryOptions, given
from heapscope.progress import OnProgress, phase
from heapscope.replay.run import replay as replay_events
from heapscope.trace.all_names import read_all_names


def replay(
    trace: str | Path,
    *,
    need: Sequence[int | str] = (),
    explain: int | None = None,
    progress: OnProgress | None = None,
    **memory: Unpack[MemoryOptions],
) -> ReplayResult:
    """Runs a trace on a chip's memory and says how close it came to running out.

    `need`: requests asked about at every moment, as bytes or "4KB:DMA". `explain`: the number of an
    event to explain. `memory`: see MemoryOptions. InputError: an input cannot be used.
    """
    path, options = Path(trace), given(memory)
    chosen = choose_memory(options, path)
    needs = parse_needs(need)
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
    return result if chosen.static is None else chosen.static.complete(result)
