"""The heap in an ELF or a linker map: between two symbols, or a variable that is nothing else."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.memory.layout.pool import POOL_MIN
from heapscope.memory.static.map_memories import map_memories
from heapscope.memory.static.read import read_static
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import ChipWindows, Window
from heapscope.memory.systems.system import System

#: An ELF lists no memories: addresses at which RAM of 32-bit chips begins, and much behind them.
_ANYWHERE = (
    Window(kind="RAM", start=0x1000_0000, size=0x0100_0000),
    Window(kind="RAM", start=0x2000_0000, size=0x1000_0000),
    Window(kind="RAM", start=0x3000_0000, size=0x1000_0000),
    Window(kind="RAM", start=0x4000_0000, size=0x0200_0000),
    Window(kind="RAM", start=0x8000_0000, size=0x1000_0000),
)
_SMALLEST = 256  # bytes of a variable that is a heap: a handle of the same name is smaller
#: Variables that tell which malloc is linked, the first that is there.
_LIBRARIES = (
    ("__malloc_sbrk_top", "picolibc"),
    ("__malloc_av_", "newlib"),
    ("__malloc_free_list", "newlib-nano"),
)
_FREERTOS = "ucHeap"


@dataclass(frozen=True, kw_only=True)
class LinkedHeap:
    """`all`: of several, in the order of addresses; `allocator`: as the symbols tell; "": they do
    not."""

    start: int
    size: int
    all: Sequence[LinkedHeap] = ()
    allocator: str = ""
    notes: tuple[str, ...] = ()


def read_linked_heaps(
    system: System, file: str | Path, *, behind: int = 0, end: int | None = None
) -> LinkedHeap:
    """`behind`: bytes that follow the lower symbol before the heap begins; `end`: of the memory,
    where something tells it beside the file. InputError: the file tells no heap, or one that its
    memory does not hold."""
    windows = ChipWindows(chip=system.title, machine="", windows=_memories(Path(file)))
    use = read_static(file, windows)
    heaps = [*_variables(system, use), *_between(system, use, windows, behind, end)]
    if not heaps and system.to_end and any(name in use.symbols for name in system.lower):
        raise InputError(
            f"{use.file}: the heap goes on to the end of the memory, which the file does not tell",
            remedy="give --map of the build, or --config with its .config",
        )
    if not heaps:
        names = ", ".join((*system.lower, *system.heap_symbols)) or "nothing"
        raise InputError(
            f"{use.file}: no heap of {system.title} in it (looked for {names})",
            remedy=f"give --pool with {system.sized}",
        )
    return LinkedHeap(
        start=heaps[0].start,
        size=heaps[0].size,
        all=tuple(heaps),
        allocator=_library(use) if system.libc else "",
        notes=(*use.notes, *_notes(system, use, heaps)),
    )


def _memories(path: Path) -> Sequence[Window]:
    try:
        with path.open("rb") as file:
            is_elf = file.read(4) == b"\x7fELF"
        return _ANYWHERE if is_elf else map_memories(path) or _ANYWHERE
    except OSError:
        return _ANYWHERE  # read_static() says it


def _variables(system: System, use: StaticUse) -> Iterator[LinkedHeap]:
    """The best pattern's alone: the first that any variable has."""
    starts = _starts(use)
    for pattern in system.heap_symbols:
        matches = [
            LinkedHeap(start=start, size=piece.size)
            for piece, start in zip(use.pieces, starts, strict=True)
            if start is not None
            and piece.size >= _SMALLEST
            and re.fullmatch(pattern, piece.symbol or piece.input.rpartition(".")[2])
        ]
        if matches:
            yield from sorted(matches, key=lambda one: one.start)
            return


def _starts(use: StaticUse) -> list[int | None]:
    """The address of each piece: the pieces of a section stand in its order, and sum to it."""
    starts: list[int | None] = [None] * len(use.pieces)
    for number, section in enumerate(use.sections):
        places = [at for at, piece in enumerate(use.pieces) if piece.section == number]
        sizes = [use.pieces[at].size for at in places]
        if section.start is not None:
            for at, into in zip(places, accumulate(sizes, initial=0), strict=False):
                starts[at] = section.start + into
    return starts


def _between(
    system: System, use: StaticUse, windows: ChipWindows, behind: int, last: int | None
) -> Iterator[LinkedHeap]:
    lower = next((use.symbols[name] for name in system.lower if name in use.symbols), None)
    home = None if lower is None else windows.find(lower)
    if lower is None or home is None:
        return
    if system.to_end:
        upper = last if windows.windows is _ANYWHERE else home[0].end
    else:
        tops = (use.symbols[name] for name in system.upper if name in use.symbols)
        upper = next((top for top in tops if home[0].start < top <= home[0].end), None)
    if upper is None:
        return
    start = (lower + behind + 7) & ~7
    end = upper - use.symbols.get(system.stack, 0)
    if end - start < POOL_MIN:
        raise InputError(
            f"{use.file}: the heap would begin at {start:#010x} and end at {end:#010x}: the memory "
            "does not hold it",
            remedy="lower the static memory or the stack of the firmware",
        )
    yield LinkedHeap(start=start, size=end - start)


def _library(use: StaticUse) -> str:
    names = {piece.symbol for piece in use.pieces} | set(use.symbols)
    return next((heap for symbol, heap in _LIBRARIES if symbol in names), "")


def _notes(system: System, use: StaticUse, heaps: Sequence[LinkedHeap]) -> Iterator[str]:
    first = heaps[0]
    yield f"heap of {first.size:,} bytes at {first.start:#010x}, by {use.file}"
    if 1 < len(heaps) <= system.heaps_max:
        yield "the heaps stand by address: no file tells the order in which they are added"
    if len(heaps) > system.heaps_max:
        rest = ", ".join(f"{one.size:,} at {one.start:#010x}" for one in heaps[system.heaps_max :])
        yield f"other heaps are left out: {rest} bytes"
    if system.libc and not _library(use):
        yield "no symbol tells which malloc is linked: --allocator names it"
    if system.stack and system.stack not in use.symbols:
        yield f"the stack shares the upper end: {system.stack} is not in {use.file}"
    rtos = next((piece for piece in use.pieces if piece.symbol == _FREERTOS), None)
    if system.libc and rtos is not None:
        yield (
            f"FreeRTOS has a heap of its own, {_FREERTOS} of {rtos.size:,} bytes: --pool "
            f"{rtos.size} --allocator heap_4"
        )
