"""The replay of a trace on the memory of the options."""

from __future__ import annotations

from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Needed, parse_requests
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.logs.heaps.image_state import image_layout, is_image
from heapscope.logs.heaps.state_layout import state_layout
from heapscope.memory.choose import choose_placement
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
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
    chosen = choose_memory(options, path) if state is None else _begun(state, options)
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


#: Options that say more of a state than its log does.
_BESIDE = ("chip", "idf", "allocator", "psram_threshold", "place")


def _begun(state: str | Path, options: MemoryOptions) -> ChosenMemory:
    for name in options:
        if name not in _BESIDE:
            raise InputError(
                f"--state and {flag(name)} both say which memory there is",
                remedy=f"leave {flag(name)} out; these go with --state: "
                f"{', '.join(map(flag, _BESIDE))}",
            )
    allocator, threshold = options.get("allocator"), options.get("psram_threshold")
    if allocator is not None and not isinstance(allocator, str):
        allocator = ",".join(allocator)
    image = is_image(str(state))
    layout = (image_layout if image else state_layout)(
        str(state),
        chip=options.get("chip"),
        idf=options.get("idf"),
        allocator=allocator,
        threshold=None if threshold is None else str(threshold),
    )
    return ChosenMemory(layout=layout)
