"""The allocators that a program has of its own, by the names of their functions, and whether the
recorder stands in front of them. Firmware that is built for a host brings its heap along: its calls
go past malloc."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from elftools.elf.elffile import ELFFile

from heapscope.base.elf import DAMAGE
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.capture.record.functions import LIBRARY
from heapscope.capture.record.rust import ENTRY, OWN, UNSURE, rust_allocator
from heapscope.capture.record.wrap_source import EXPORTED

OWN_MALLOC = "a malloc of its own"
#: The functions that give memory, by the allocator that they belong to. One is enough to know it.
FAMILIES: dict[str, tuple[str, ...]] = {
    "FreeRTOS": ("pvPortMalloc", "pvPortCalloc"),
    "ESP-IDF": (
        "heap_caps_malloc",
        "heap_caps_calloc",
        "heap_caps_aligned_alloc",
        "heap_caps_aligned_calloc",
    ),
    "ESP-IDF multi_heap": ("multi_heap_malloc", "multi_heap_aligned_alloc"),
    "Zephyr k_malloc": ("k_malloc", "k_calloc", "k_aligned_alloc", "z_thread_aligned_alloc"),
    "Zephyr k_heap": ("k_heap_alloc", "k_heap_aligned_alloc", "k_heap_calloc"),
    "Zephyr sys_heap": ("sys_heap_alloc", "sys_heap_aligned_alloc"),
    "umm_malloc": ("umm_malloc", "umm_calloc"),
    "TLSF": ("tlsf_malloc", "tlsf_memalign"),
    "lwIP": ("mem_malloc", "mem_calloc"),
    "LVGL": ("lv_malloc", "lv_mem_alloc", "lv_calloc", "lv_zalloc", "lv_malloc_zeroed"),
    "NuttX": ("mm_malloc", "kmm_malloc"),
    "RT-Thread": ("rt_malloc",),
    "ThreadX": ("_tx_byte_allocate", "_txe_byte_allocate"),
    "ChibiOS": ("chHeapAllocAligned", "chHeapAlloc"),
    "o1heap": ("o1heapAllocate",),
    "Heapscope": ("hs_heap_malloc", "hs_regions_malloc"),
    "newlib": ("_malloc_r", "_calloc_r", "_memalign_r"),
    "jemalloc": ("je_malloc", "_rjem_malloc"),
    "mimalloc": ("mi_malloc",),
    "tcmalloc": ("tc_malloc",),
    "dlmalloc": ("dlmalloc",),
    "Go": ("runtime.mallocgc",),
    OWN_MALLOC: ("malloc",),  # or one of LIBRARIES
}
#: The C libraries whose malloc a program has in it, by a variable of it; the first counts.
LIBRARIES = {
    "z_malloc_heap": "Zephyr malloc",
    "__malloc_av_": "newlib",
    "__malloc_sbrk_top": "picolibc",
    "__malloc_sbrk_start": "newlib-nano",
}
RUST = "Rust's #[global_allocator]"
HOOKED = "named by --hook"  #: an allocator that only the user knows
LIBRARY_CALLS = "the C library, called by the program itself"
_FAMILY_OF = {name: family for family, names in FAMILIES.items() for name in names}
_LINKED = "heapscope_record"  # section of a program with the recorder's own object in it
_WRAPPED = "heapscope_wrap"  # section that names the wrapped functions that give memory
_FUNCTION = 2  # STT_FUNC
_RELOCATABLE = "ET_REL"
_LINKAGES = {0: "local", 1: "global", 2: "weak"}  # STB_*


class OwnAllocator(Row):
    """An allocator in the program's file."""

    name: str = figure("Whose it is: FreeRTOS, TLSF, lwIP and so on.", heading="allocator")
    functions: tuple[str, ...] = figure("The functions by which it was known.")
    linkage: str = figure(
        "How the program has the first of them; local: it is static or hidden.",
        choices=("global", "weak", "local"),
    )
    recorded: bool = figure("True: its calls are in the trace.")


@dataclass(frozen=True, kw_only=True)
class Look:
    """The answer of a program's file. `stripped`: it has no table of its own symbols. `functions`:
    the functions that were looked for and are there, and how; `taken`: those that it takes from a
    library. `half_linked`: it is one object that goes into a program. `unheard`: functions are
    wrapped, but the recorder cannot find them. `unsure`: it is of Rust and may have an allocator
    of its own."""

    allocators: tuple[OwnAllocator, ...] = ()
    stripped: bool = False
    functions: Mapping[str, str] = field(default_factory=dict)
    taken: frozenset[str] = frozenset()
    half_linked: bool = False
    unheard: bool = False
    unsure: bool = False

    @property
    def recorded(self) -> tuple[OwnAllocator, ...]:
        return tuple(one for one in self.allocators if one.recorded)

    @property
    def unseen(self) -> tuple[OwnAllocator, ...]:
        return tuple(one for one in self.allocators if not one.recorded)


def look_at(path: str | Path, names: Iterable[str] = ()) -> Look:
    """The allocators of a program's file; none where it cannot be read. `names`: other functions
    that are looked for."""
    try:
        with Path(path).open("rb") as file:
            return _look(ELFFile(file), frozenset(names))
    except (*DAMAGE, OSError):
        return Look()


def names_of(allocators: Iterable[OwnAllocator]) -> str:
    """ "FreeRTOS (pvPortMalloc), lwIP (mem_malloc)"."""
    return ", ".join(f"{one.name} ({one.functions[0]})" for one in allocators)


def _look(elf: Any, names: frozenset[str]) -> Look:
    table = elf.get_section_by_name(".symtab")
    stripped = table is None
    table = elf.get_section_by_name(".dynsym") if stripped else table
    if table is None:
        return Look(stripped=True)
    linked = elf.get_section_by_name(_LINKED) is not None
    wrapped = _wrapped(elf)
    names = names | _FAMILY_OF.keys() | wrapped - {ENTRY}
    functions: dict[str, str] = {}
    taken = set()
    for name, linkage in _functions(elf, table, names):
        if linkage:
            functions[name] = linkage
        else:
            taken.add(name)
    unheard = bool(wrapped) and not _is_exported(elf)
    recorded = frozenset() if unheard else wrapped
    result: dict[str, list[tuple[str, str]]] = {}
    for name, linkage in functions.items():
        if name in _FAMILY_OF or name in wrapped:
            family = _FAMILY_OF.get(name, OWN_MALLOC if name in LIBRARY else HOOKED)
            result.setdefault(family, []).append((name, linkage))
    if linked:  # the C library's, in front of which the linker has put the recorder
        result.pop(OWN_MALLOC, None)
    if (library := _library(elf, table)) and OWN_MALLOC in result:
        result[library] = [*result.pop("newlib", []), *result.pop(OWN_MALLOC)]
    order = dict.fromkeys((*FAMILIES, *LIBRARIES.values(), HOOKED))
    rows = [_row(one, result[one], recorded) for one in order if one in result]
    if called := sorted(wrapped & taken & LIBRARY.keys(), key=tuple(LIBRARY).index):
        rows.append(_row(LIBRARY_CALLS, [(name, "global") for name in called], recorded))
    rust = rust_allocator(elf)
    if rust == OWN or ENTRY in wrapped:
        rows.append(_row(RUST, [(ENTRY, "local")], recorded))
    return Look(
        allocators=tuple(rows),
        stripped=stripped,
        functions=functions,
        taken=frozenset(taken),
        half_linked=elf["e_type"] == _RELOCATABLE,
        unheard=unheard,
        unsure=rust == UNSURE and ENTRY not in recorded,
    )


def _library(elf: Any, table: Any) -> str:
    """The C library whose malloc the program has; empty: another one."""
    strings = elf.get_section(table["sh_link"]).data()
    found = (name for mark, name in LIBRARIES.items() if any(_places(strings, mark)))
    return next(found, "")


def _wrapped(elf: Any) -> frozenset[str]:
    section = elf.get_section_by_name(_WRAPPED)
    text = "" if section is None else section.data().decode("ascii", "replace")
    return frozenset(filter(None, text.split("\0")))


def _is_exported(elf: Any) -> bool:
    """The recorder finds the wrapped calls; a static program has it inside."""
    table = elf.get_section_by_name(".dynsym")
    if table is None:
        return True
    strings = elf.get_section(table["sh_link"]).data()
    return EXPORTED.encode() + b"\0" in strings


def _row(family: str, functions: list[tuple[str, str]], wrapped: Collection[str]) -> OwnAllocator:
    order = FAMILIES.get(family, ())
    functions.sort(key=lambda one: order.index(one[0]) if one[0] in order else len(order))
    names = tuple(name for name, _ in functions)
    return OwnAllocator(
        name=family,
        functions=names,
        linkage=functions[0][1],
        recorded=all(name in wrapped for name in names),
    )


def _functions(elf: Any, table: Any, names: Iterable[str]) -> Iterator[tuple[str, str]]:
    """The functions of these names that the file defines, and how; "": it takes them from a
    library. A compiler's clone of a local one (pvPortMalloc.constprop.0) counts as it."""
    strings = elf.get_section(table["sh_link"]).data()
    starts = {at: name for name in names for at in _places(strings, name)}
    rows = np.frombuffer(table.data(), dtype=_symbol(elf))
    wanted = rows[np.isin(rows["name"], np.array(sorted(starts), dtype=np.uint64))]
    for row in wanted:
        if not row["section"]:
            yield starts[int(row["name"])], ""
        elif row["info"] & 15 == _FUNCTION:
            yield starts[int(row["name"])], _LINKAGES.get(int(row["info"]) >> 4, "global")


def _places(strings: bytes, name: str) -> Iterator[int]:
    """Where a string begins with the name and ends with it, or goes on with a point or a version.
    Strings may share their ends."""
    sought, at = name.encode(), -1
    while (at := strings.find(sought, at + 1)) >= 0:
        if strings[at + len(sought) : at + len(sought) + 1] in (b"\0", b".", b"@"):
            yield at


def _symbol(elf: Any) -> np.dtype[np.void]:
    order = "<" if elf.little_endian else ">"
    small = [("info", "u1"), ("other", "u1"), ("section", f"{order}u2")]
    name = ("name", f"{order}u4")
    if elf.elfclass == 64:
        return np.dtype([name, *small, ("value", f"{order}u8"), ("size", f"{order}u8")])
    return np.dtype([name, ("value", f"{order}u4"), ("size", f"{order}u4"), *small])
