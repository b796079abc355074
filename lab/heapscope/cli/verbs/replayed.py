"""The replay of a trace on the memory of the options."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.progress import OnProgress, phase
from heapscope.base.request import Needed, parse_requests
from heapscope.config.chosen_config import choose_config
from heapscope.config.config import Config
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.logs.heaps.image_state import image_layout, is_image
from heapscope.logs.heaps.state_layout import state_layout
from heapscope.memory.choose import choose_placement
from heapscope.memory.layout.build import THRESHOLD
from heapscope.memory.layout.sdkconfig import read_sdkconfig
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
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


def looked_at(
    first: ReplayResult, others: Sequence[ReplayResult], path: Path, options: MemoryOptions
) -> ReplayResult:
    """The first side of a comparison, with its memory at the tightest moments of the others."""
    layout = choose_memory(options, path).layout
    placement = choose_placement(options, layout)
    names = read_all_names(path) if placement is not None and placement.by_name else None
    return with_beside(first, others, path, layout, placement=placement, names=names)


#: Options that say more of a state than its log does.
_BESIDE = ("chip", "idf", "allocator", "psram_threshold", "place", "sdkconfig")


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
    chip, idf, file = options.get("chip"), options.get("idf"), options.get("sdkconfig")
    flavour, notes = None, tuple[str, ...]()
    if file is not None:
        chosen = choose_config([file], chip=chip, idf=idf)
        chip, idf = chosen.config.chip, idf or chosen.config.files[-1].version or None
        flavour, notes = read_sdkconfig(file).flavour, chosen.notes
        threshold = _threshold(chosen.config) if threshold is None else threshold
    named = None if threshold is None else str(threshold)
    if is_image(str(state)):  # its bytes tell the poisoning
        layout = image_layout(str(state), chip=chip, idf=idf, allocator=allocator, threshold=named)
    else:
        layout = state_layout(
            state,
            chip=chip,
            idf=idf,
            allocator=allocator,
            flavour=flavour if allocator is None else None,
            threshold=named,
        )
    return ChosenMemory(layout=replace(layout, notes=(*notes, *layout.notes)))


def _threshold(config: Config) -> str:
    """The size above which malloc asks PSRAM first, as --psram-threshold has it."""
    if config.value("SPIRAM") is not True or config.value("SPIRAM_USE_MALLOC") is False:
        return "off"
    return str(config.value("SPIRAM_MALLOC_ALWAYSINTERNAL") or THRESHOLD)
