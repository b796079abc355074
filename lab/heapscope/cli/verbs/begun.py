"""The memory that a trace starts on: heaps as a device's log, its memory or a state file has them.

A device's memory, or a state file, is a trace, too: of the blocks that it holds."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, TypeVar, cast

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.printable import printable
from heapscope.config.chosen_config import choose_config
from heapscope.config.config import Config
from heapscope.forecast.predict.memory_choice import choose_memory
from heapscope.logs.heaps.held_heaps import is_image, is_state, labelled
from heapscope.logs.heaps.image_state import image_layout
from heapscope.logs.heaps.state_file import state_file
from heapscope.logs.heaps.state_layout import state_layout
from heapscope.memory.layout.build import THRESHOLD
from heapscope.memory.layout.sdkconfig import read_sdkconfig
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory
from heapscope.trace.provenance import TraceFacts
from heapscope.trace.source import STDIN

Named = TypeVar("Named")

#: Options that say more of a state than its log does.
_BESIDE = ("chip", "idf", "allocator", "psram_threshold", "place", "sdkconfig")


def begun(state: str | Path, options: MemoryOptions) -> ChosenMemory:
    """The heaps of a state with the blocks that they hold. InputError: it cannot be
    read as one, or other options name another memory."""
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


@contextmanager
def held_trace(name: str | Path) -> Iterator[Path]:
    """The trace; that of the blocks of a device's memory, where this is named."""
    text = str(name)
    if not _holds(text) or is_state(text):
        yield Path(name)
        return
    with TemporaryDirectory(prefix="heapscope-") as folder:
        path = Path(folder) / "state.hst"
        path.write_bytes(state_file(labelled(text)))
        yield path


def memory_for(
    trace: str | Path, options: MemoryOptions, path: Path, *, state: str | Path | None = None
) -> ChosenMemory:
    """The memory of the options, or of a state. Where neither names one, and the trace is a
    device's memory or a state file: its own regions, in which each block has its address. `path`:
    the file that is read for the trace."""
    if state is not None:
        return begun(state, options)
    if set(options) - set(_BESIDE) or not _holds(str(trace)):
        return choose_memory(options, path)
    chosen = begun(trace, options)
    regions = tuple(replace(one, blocks=(), holes=()) for one in chosen.layout.regions)
    return replace(chosen, layout=replace(chosen.layout, regions=regions, notes=()))


def as_named(result: Named, trace: str | Path) -> Named:
    """The result with the name of the trace as the user wrote it."""
    known: Any = result
    shown: Any = printable(str(trace), limit=400)
    if isinstance(known.trace, TraceFacts):
        shown = replace(known.trace, path=shown)
    return cast(Named, replace(known, trace=shown))


def _holds(name: str) -> bool:
    try:
        return name != STDIN and is_image(name)
    except InputError:
        return False  # who reads it says why
