"""Names of allocators."""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping

from heapscope.base.choices import nearest
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.layout.families import by_family, is_compared
from heapscope.memory.layout.faults import BROKEN
from heapscope.native.library import allocator_names, ffi, find_allocator, load

#: The flavours by what a trace's metadata says of its poisoning.
_POISONING = {"": "", "none": "", "comprehensive": "+full"}


def parse_allocator(text: str) -> str:
    """A name that the native library knows, "idf-5.5+light"; flavours may come in any order.
    InputError lists the valid ones by family, the nearest one's first."""
    wanted = text.strip().lower()
    name = find_allocator(wanted)
    if name is not None:
        return name
    if wanted in BROKEN:
        raise InputError(f"there is no replay of '{wanted}'", remedy=BROKEN[wanted])
    valid = allocator_names()
    near = nearest(wanted, valid)
    hint = f"did you mean {near}? " if near else ""
    raise InputError(
        f"unknown allocator '{printable(text)}'",
        remedy=f"{hint}valid: {by_family(valid, near)}",
    )


def flavoured(name: str, flavour: str) -> str:
    """The allocator `name` built with "+light", "+full", "+track" or two of them; InputError where
    there is no such flavour of it."""
    return parse_allocator(name + flavour)


def has_ends(name: str) -> bool:
    """Whether its blocks can come from the high end of a free block, too. Those of our heap can,
    but not under a guard that fills free memory."""
    plain, *flavours = name.split("+")
    ours = plain.partition("-")[0] == "heapscope"
    return ours and not {"guard2", "guard3"}.intersection(flavours)


def lists_blocks(name: str) -> bool:
    """Whether the layer above it takes a block more for each block: task tracking of ESP-IDF 5.5
    and later (lab/native/chip/task_lists.h)."""
    plain, *flavours = name.split("+")
    return plain == "idf-5.5" and "track" in flavours


@functools.cache
def placements() -> tuple[str, ...]:
    """Every allocator of a comparison that puts blocks where no other does, without its flavours:
    of releases that only report other figures, the one whose places they have."""
    plain = [name for name in allocator_names() if "+" not in name and is_compared(name)]
    results = (load().hs_lab_allocator_places_as(name.encode("ascii")) for name in plain)
    return tuple(dict.fromkeys(ffi.string(one).decode("ascii") for one in results))


#: The models of allocators that programs bring along, by how the recorder of Linux programs names
#: them. The layer that a recording is of belongs to the model: k_malloc adds to each request.
_HOST_MODELS = {
    "FreeRTOS": "heap_4",
    "Zephyr k_malloc": "zephyr-k_malloc",
    "Zephyr k_heap": "sys_heap",
    "Zephyr sys_heap": "sys_heap",
    "umm_malloc": "umm",
    "TLSF": "tlsf",
    "LVGL": "lvgl",
    "lwIP": "lwip-mem",
    "NuttX": "nuttx",
    "ThreadX": "threadx",
    "o1heap": "o1heap",
    "Zephyr malloc": "zephyr-malloc",
}
#: Those of one heap that has two interfaces, by the dearer one: no request is taken as too small.
_TOGETHER = {frozenset({"zephyr-k_malloc", "sys_heap"}): "zephyr-k_malloc"}


def host_model(recorded: str) -> str:
    """The model of a program's heap, by how its recording names its allocators, as in
    "Zephyr k_malloc (k_malloc), Zephyr k_heap (k_heap_alloc)"; empty: none, or not one alone."""
    names = (one.partition(" (")[0] for one in recorded.split("), ") if one)
    models = frozenset(_HOST_MODELS.get(name) or library_model(name) for name in names)
    return next(iter(models)) if len(models) == 1 else _TOGETHER.get(models, "")


#: From that release of a C library on its malloc is that of the model; each library's newest first.
_SINCE = {
    "newlib-nano": (
        ((4, 4), "newlib-nano"),
        ((4, 3), "newlib-nano-4.3"),
        ((4, 2), ""),
        ((4, 0), "newlib-nano-4.1"),
        ((3, 0), "newlib-nano-3.3"),
    ),
    "newlib": (((3, 3), "newlib"),),
    "picolibc": (
        ((1, 8, 12), "picolibc"),
        ((1, 8, 7), "picolibc-1.8.11"),
        ((1, 8), "picolibc-1.8"),
    ),
    "zephyr malloc": (((0,), "zephyr-malloc"),),
}
#: The first release in which RISC-V has blocks that are aligned to 16.
_WIDE_SINCE = {"picolibc": (1, 8, 9), "zephyr malloc": (0,)}


def library_model(text: str) -> str:
    """The model of a C library's malloc: "newlib-nano 4.1.0", "picolibc 1.8.10 riscv32",
    "Zephyr malloc riscv". Without a release it is the newest; empty: none, or a broken one."""
    match = re.fullmatch(
        r"(newlib-nano|newlib|picolibc|zephyr malloc)(?: v?(\d+(?:\.\d+)*))?(?: ([a-z].*))?",
        " ".join(text.lower().split()),
    )
    if match is None:
        return ""
    library, written, machine = match.groups()
    release = tuple(int(one) for one in (written or "999").split("."))
    model = next((name for since, name in _SINCE[library] if release >= since), "")
    wide = (machine or "").startswith(("riscv", "risc-v", "rv32"))
    wide = wide and library in _WIDE_SINCE and release >= _WIDE_SINCE[library]
    return f"{model}-16" if model and wide else model


def unmodelled(metadata: Mapping[str, str]) -> str:
    """The allocator that a trace's metadata names, flavour included, where there is no model of it:
    "glibc", "umm+full". Empty where there is one, or the trace names none."""
    name = metadata.get("allocator", "").strip()
    name = library_model(name) or name
    poisoning = metadata.get("poisoning", "none")
    if name and "+" not in name:
        name += _POISONING.get(poisoning, f"+{poisoning}")
        name += "+track" if metadata.get("tracking") == "1" else ""
    return "" if not name or find_allocator(name.lower()) is not None else name
