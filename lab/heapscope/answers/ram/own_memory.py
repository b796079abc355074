"""A firmware for a chip whose memories a layout file, Zephyr's configuration or the linker map
tells."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from heapscope.answers.ram.build_files import map_beside, shown
from heapscope.answers.ram.built_firmware import BuiltFirmware, HeapRegion, other_build
from heapscope.answers.ram.cut import UNKNOWN, UNUSED
from heapscope.base.errors import InputError
from heapscope.config.chip_data import chip_files
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.static.map_memories import map_memories
from heapscope.memory.static.memory_file import DescribedChip, read_memories
from heapscope.memory.static.read import read_static
from heapscope.memory.static.use import Section, StaticUse
from heapscope.memory.static.window import ChipWindows, KeptMemory, Window, read_windows
from heapscope.trace.things.folder_kinds import BuildFolder
from heapscope.trace.things.thing import Thing
from heapscope.trace.things.zephyr_build import zephyr_values

#: First and last name of a heap, and of the main stack, as linker scripts have them.
_HEAPS = (
    ("__HeapBase", "__HeapLimit"),
    ("__end__", "__HeapLimit"),
    ("end", "__HeapLimit"),
    ("__heap_start__", "__heap_end__"),
    ("__heap_start", "__heap_end"),
    ("_heap_start", "_heap_end"),
    ("_sheap", "_eheap"),
)
_STACKS = (
    ("__StackBottom", "__StackTop"),
    ("__StackLimit", "__StackTop"),
    ("_sstack", "_estack"),
    ("__stack_limit", "__stack"),
)
#: Where the main stack begins, which grows down.
_TOPS = ("_estack", "__StackTop", "__stack", "_stack_top", "__stack_top", "_stack", "__initial_sp")
#: Names in RAM of a malloc that has all behind the program: of newlib, of picolibc, of sbrk().
_ALLOCATOR = re.compile(r"_*malloc_\w+|\w*heap_end(\.\d+)?|umm_\w+|_*brkval|\w*sbrk\w*")
_NO_FILE = "give --layout with the chip's [[memory]], docs/reference/layout.md"


def read_described(looked: Thing, build: BuildFolder, layout: str | Path) -> BuiltFirmware:
    """InputError: the layout file has no memories, or no file of the build is for them."""
    chip = read_memories(layout)
    return _firmware(looked, build, chip, files=(Path(layout),))


def read_by_map(looked: Thing, build: BuildFolder) -> BuiltFirmware | None:
    """The memories that the linker map lists, which may lie beside an ELF; None: there is no map of
    this build, or it lists none."""
    alone = build.elf if build.map is None else None
    if alone is not None:
        build = replace(build, map=map_beside(alone))
    windows = () if build.map is None else map_memories(build.map)
    if not windows:
        return None
    name = "linker script"
    chip = DescribedChip(
        name=name, windows=ChipWindows(chip=name, machine="", windows=windows), regions=()
    )
    note = "the chip is not known: the memories are those of the linker script, by its map"
    built = _firmware(looked, build, chip, notes=(note,), rest=UNUSED)
    return built if alone in (None, built.elf) else None


def read_bare(looked: Thing, build: BuildFolder, name: str) -> BuiltFirmware:
    """A program for a chip that is known, and not of its SDK."""
    chip = DescribedChip(name=name, windows=read_windows(name), regions=())
    note = "a program without the heap of ESP-IDF: its memory is as its linker script has it"
    built = _firmware(looked, build, chip, notes=(note,), rest=UNUSED)
    return replace(built, title=f"The {load_chip(name).title}")


def read_zephyr(looked: Thing, build: BuildFolder) -> BuiltFirmware:
    """A chip that is known has all of its memory, another one that of its build."""
    assert build.zephyr is not None
    values = zephyr_values(build.zephyr)
    chip = _of_zephyr(build, values.get("SOC", ""), values)
    note = "a build of Zephyr: its heaps are static, and lie in the bars as such"
    return _firmware(
        looked, build, chip, files=(build.zephyr,), notes=(note,), rest=UNUSED, values=values
    )


def _of_zephyr(build: BuildFolder, soc: str, values: Mapping[str, str]) -> DescribedChip:
    known = next((chip for chip in chip_files() if f"SOC_SERIES_{chip.upper()}" in values), None)
    known = known or next((chip for chip in chip_files() if f"SOC_{chip.upper()}" in values), None)
    if known is not None:
        own = read_windows(known)
        kept = [each for each in own.kept if each.what != "Bluetooth controller"]
        return DescribedChip(name=known, windows=replace(own, kept=kept), regions=())
    windows = () if build.map is None else map_memories(build.map)
    try:
        start, size = int(values["SRAM_BASE_ADDRESS"], 0), int(values["SRAM_SIZE"], 0) << 10
    except (KeyError, ValueError):
        start = size = 0
    if not windows and size > 0:
        windows = (Window(kind="SRAM", start=start, size=size),)
    if not windows:
        raise InputError(f"{shown(build.zephyr or Path())}: no SRAM in it", remedy=_NO_FILE)
    name = soc or values.get("BOARD", "") or "Zephyr's chip"
    return DescribedChip(
        name=name, windows=ChipWindows(chip=name, machine="", windows=windows), regions=()
    )


def _firmware(
    looked: Thing,
    build: BuildFolder,
    chip: DescribedChip,
    *,
    files: Sequence[Path] = (),
    notes: tuple[str, ...] = (),
    rest: str = UNKNOWN,
    values: Mapping[str, str] | None = None,
) -> BuiltFirmware:
    static = build.map or build.elf
    if static is None:
        raise InputError(
            f"{looked.shown}: neither an ELF nor a linker map is in it",
            remedy="give a build folder, or its ELF or linker map",
        )
    windows = chip.windows
    use, elf = read_static(static, windows), build.elf
    if elf is not None and elf != static and other_build(windows, use, read_static(elf, windows)):
        notes = (*notes, f"{shown(elf)} is of another build, and is not used")
        elf = None
    heaps: tuple[HeapRegion, ...] = chip.regions
    if not heaps:
        bounds = _between(use, windows, _HEAPS) or _behind(use, windows, values or {})
        if bounds is None and values is None and _allocates(use):
            bounds = _left(use, windows)
            notes += () if bounds is None else ("the main stack grows down in the heap's memory",)
            bounds = bounds or _to_the_end(use, windows)
        heaps = () if bounds is None else (_region(windows, *bounds),)
    stack = _between(use, windows, _STACKS)
    if stack is not None:
        own = KeptMemory(what="main stack", start=stack[0], end=stack[1])
        windows = replace(windows, kept=(*windows.kept, own))
    named = (build.map, elf, *files)
    return BuiltFirmware(
        what=looked.kind.known_as,
        chip=chip.name,
        title=f"The {chip.name}",
        windows=windows,
        use=_beside(use, heaps),
        idf="",
        regions=heaps,
        heap_first=bool(chip.regions),
        capable=chip.regions,
        rest=rest,
        elf=elf,
        files=tuple(shown(file) for file in named if file is not None),
        notes=(*use.notes, *notes),
    )


def _between(
    use: StaticUse, windows: ChipWindows, pairs: Sequence[tuple[str, str]]
) -> tuple[int, int] | None:
    """The first pair of the file's symbols that bounds memory of the chip."""
    for first, last in pairs:
        start, end = use.symbols.get(first), use.symbols.get(last)
        if start is None or end is None or start >= end or windows.find(start) is None:
            continue
        if windows.end_of(end) == end:
            return start, end
    return None


def _behind(
    use: StaticUse, windows: ChipWindows, values: Mapping[str, str]
) -> tuple[int, int] | None:
    """The C library's heap of Zephyr, where it has all memory behind the program."""
    common = values.get("COMMON_LIBC_MALLOC_ARENA_SIZE") == "-1" and "COMMON_LIBC_MALLOC" in values
    linked = any(piece.symbol.startswith("z_malloc_heap") for piece in use.pieces)
    start = use.symbols.get("_end", use.symbols.get("end"))
    home = None if start is None else windows.find(start)
    if not ((common and linked) or "NEWLIB_LIBC" in values) or home is None or start is None:
        return None
    end = use.symbols.get("_heap_sentry", home[0].end)
    return start, end if start < end <= home[0].end else home[0].end


def _allocates(use: StaticUse) -> bool:
    return any(_ALLOCATOR.fullmatch(piece.symbol) for piece in use.pieces)


def _left(use: StaticUse, windows: ChipWindows) -> tuple[int, int] | None:
    """From the end of the program to the top of the main stack, which share it. None: no symbol
    has the top."""
    tops = (windows.end_of(use.symbols[name]) for name in _TOPS if name in use.symbols)
    top = next((each for each in tops if each is not None), None)
    home = None if top is None else windows.find(top - 1)
    if home is None or top is None:
        return None
    ends = [s.start + s.size for s in use.sections if s.start is not None and s.start < top]
    start = max([home[0].start, *(end for end in ends if end <= top)])
    return (start, top) if start < top else None


def _to_the_end(use: StaticUse, windows: ChipWindows) -> tuple[int, int] | None:
    """Where a symbol has the start of the heap alone, as of the ESP8266: its umm_malloc ends where
    the linker script's memory does."""
    for name in ("_heap_start", "__heap_start"):
        home = windows.find(use.symbols[name]) if name in use.symbols else None
        if home is not None and home[1] < home[0].end:
            return home[1], home[0].end
    return None


def _region(windows: ChipWindows, start: int, end: int) -> ListedRegion:
    home = windows.find(start)
    kind = "" if home is None else home[0].kind
    return ListedRegion(start=start, size=end - start, kind=kind, line=0, quote="")


def _beside(use: StaticUse, heaps: Sequence[HeapRegion]) -> StaticUse:
    """Without sections that are nothing but a heap, as .heap is."""

    def is_heap(section: Section) -> bool:
        start = section.start
        return start is not None and any(
            each.start <= start and start + section.size <= each.start + each.size for each in heaps
        )

    places = [place for place, section in enumerate(use.sections) if not is_heap(section)]
    number = {place: at for at, place in enumerate(places)}
    pieces = (piece for piece in use.pieces if piece.section in number)
    return replace(
        use,
        sections=tuple(use.sections[place] for place in places),
        pieces=tuple(replace(piece, section=number[piece.section]) for piece in pieces),
    )
