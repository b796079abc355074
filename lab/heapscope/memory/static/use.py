"""Static use: sections of a firmware in RAM, and what their bytes belong to."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from heapscope.base.errors import InputError
from heapscope.memory.static.archive_list import PulledMember
from heapscope.memory.static.window import ChipWindows

PADDING = "(padding)"  #: bytes between two pieces
UNNAMED = "(no symbol)"  #: bytes that no symbol covers

#: Sections that only keep the addresses of code free in the view of data, and the reverse.
_PLACEHOLDER = re.compile(r"dummy|reserved_for_iram")


@dataclass(frozen=True, kw_only=True)
class Section:
    """An output section; `start`: its address for data, None where the file has no addresses."""

    name: str
    kind: str  # DRAM, D/IRAM, IRAM, RTC, TCM or SPIRAM; of another chip, as it is named
    role: str  # code, data or bss
    size: int
    start: int | None = None


@dataclass(frozen=True, kw_only=True)
class SectionPiece:
    """Bytes of a section; "" where the file does not tell."""

    section: int  # index into the sections
    size: int
    component: str = ""  # libfreertos.a
    symbol: str = ""
    object: str = ""  # tasks.c.obj
    input: str = ""  # the section of the object: .iram1.3
    path: str = ""  # of the archive or the object, as the linker had it


@dataclass(frozen=True, kw_only=True)
class StaticUse:
    """The pieces of a section sum to its size, wherever the file tells of pieces at all."""

    file: str
    form: str  # "ELF", "linker map", "JSON of esp-idf-size", "image", or "forecast"
    sections: tuple[Section, ...]
    pieces: tuple[SectionPiece, ...]
    symbols: Mapping[str, int] = field(default_factory=dict)  # the linker's, by name
    pulled: tuple[PulledMember, ...] = ()  # of archives, where a map tells
    notes: tuple[str, ...] = ()

    def bytes_of(self, *kinds: str, role: str | None = None) -> int:
        return sum(s.size for s in self.sections if s.kind in kinds and role in (None, s.role))


def sections_at(
    windows: ChipWindows, *, file: str, name: str, start: int, size: int, role: str
) -> Iterator[tuple[int, Section]]:
    """With each the file's own address of its first byte. None for a section that takes no RAM;
    one for each kind where code goes on from one into the next. InputError for one that is in RAM
    in part."""
    if size == 0 or _PLACEHOLDER.search(name):
        return
    if name.startswith(".ext_ram"):  # shares its window with flash
        yield start, Section(name=name, kind="SPIRAM", role="bss", size=size)
        return
    at, end = start, start + size
    result = windows.find(at)
    while result is not None and at < end:
        window, _ = result
        part, place = window.run(at, end)
        yield at, Section(name=name, kind=window.kind, role=role, size=part, start=place)
        at += part
        result = windows.find(at) if window.goes_on else None
    if start < at < end:
        raise InputError(
            f"{file}: section {name} at {start:#010x}, {size} bytes, leaves the {window.kind} of "
            f"{windows.chip}",
            remedy=f"give the firmware's own file, whole, or {windows.instead}",
        )


def role_of(name: str) -> str:
    """The use that a section's name tells, as linker scripts have them."""
    if re.search(r"bss|noinit|heap|stack|reserved|uninit", name):
        return "bss"
    code = r"text|vectors|\.iram0$|literal|ram_?func|time_critical|fast_?code"
    return "code" if re.search(code, name, re.IGNORECASE) else "data"


#: Ends of code, data, heaps and stacks, beside those that begin as in `is_linkers`.
_LINKERS = frozenset(
    {
        "end",
        "_end",
        "__end__",
        "_sheap",
        "_eheap",
        "__HeapBase",
        "__HeapLimit",
        "__StackBottom",
        "__StackLimit",
        "__StackTop",
        "__heap_start",
        "__heap_end",
        "__heap_start__",
        "__heap_end__",
        "_heap_sentry",
        "_sstack",
        "_estack",
        "_ebss",
        "_Min_Stack_Size",
        "__stack",
        "_stack",
        "_stack_top",
        "__stack_top",
        "__initial_sp",
        "__stack_limit",
    }
)


_OPTIMISERS = re.compile(r"(?:\.lto_priv|\.llvm)\.\d+$")


def plain_symbol(name: str) -> str:
    """Without the number that an optimiser of the whole program gives to a local name."""
    return _OPTIMISERS.sub("", name)


def is_linkers(name: str) -> bool:
    """Whether a linker script gives this name."""
    return name in _LINKERS or name.startswith(("_heap", "_bss", "_iram"))
