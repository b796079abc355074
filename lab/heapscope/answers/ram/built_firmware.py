"""A firmware as the files of its build have it: the memories of its chip, its static use, and its
heap."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from heapscope.answers.ram.cut import UNKNOWN
from heapscope.config.releases import find_release
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.memory.layout.chips import Chip
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.layout.versions import is_reserved, version_of
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import ChipWindows, KeptMemory

_ENDS = ("_heap_start", "_iram_end", "_end", "end", "__HeapBase")

HeapRegion = Region | ListedRegion


@dataclass(frozen=True, kw_only=True)
class BuiltFirmware:
    """`regions`: of its heap at the start, by the image where there is one, or else by the rules of
    the release `idf`; `heap_first`: they count before the sections that hold them; `capable`: the
    same with their capabilities, where these are known. `reserved`: what
    the release keeps. `rest`: what bytes are that nothing has. `heap_start`: where its main heap
    begins. `static`: the file that tells the heap what is static, by its option. `model`: of a
    forecast. `own`: the archives of the project itself; None: no file names them. `files`: those
    that the answer rests on."""

    what: str
    chip: str
    title: str
    windows: ChipWindows
    use: StaticUse
    idf: str
    regions: tuple[HeapRegion, ...]
    heap_first: bool = False
    capable: tuple[Region, ...] = ()
    reserved: tuple[KeptMemory, ...] = ()
    rest: str = UNKNOWN
    heap_start: int | None = None
    static: Mapping[str, Path] = field(default_factory=dict)
    sdkconfig: Path | None = None
    elf: Path | None = None
    model: MemoryModel | None = None
    own: frozenset[str] | None = None
    files: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()


def other_build(windows: ChipWindows, use: StaticUse, other: StaticUse) -> bool:
    """Whether two files are of two builds: an end of code or data that both have, as an address for
    data, differs."""
    return any(
        windows.end_of(use.symbols[name]) != windows.end_of(other.symbols[name])
        for name in _ENDS
        if name in use.symbols and name in other.symbols
    )


def reserved_of(chip: Chip, idf: str) -> tuple[KeptMemory, ...]:
    """The ranges that the release keeps."""
    version = version_of(chip.data, find_release(idf))
    return tuple(
        KeptMemory(what=part.what, start=part.start, end=part.end)
        for part in chip.data.reserved
        if version is None or is_reserved(part, version)
    )
