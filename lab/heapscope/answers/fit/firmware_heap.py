"""The heap that a firmware has: its allocator, where its code is, and what the memory is like."""

from __future__ import annotations

import functools
import operator
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.answers.fit.heap_code import Compiled, HeapCode, code_in_map
from heapscope.base.capabilities import DEFAULT, SPIRAM
from heapscope.base.errors import InputError
from heapscope.config.chip_data import read_chip
from heapscope.config.chosen_config import choose_among
from heapscope.config.config import Config, read_files
from heapscope.config.releases import find_release
from heapscope.memory.layout.allocator import flavoured, lists_blocks
from heapscope.memory.layout.build import Psram
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.versions import version_of
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static
from heapscope.memory.static.window import read_windows

_ARCH = {"Xtensa": "xtensa", "RISC-V": "riscv"}
_PSRAM = 4 << 20  #: bytes; internal tables depend on whether there is any, not on how much


@dataclass(frozen=True, kw_only=True)
class FirmwareHeap:
    """`compiled`: every way in which it may be; empty: in one that was never measured. `before` and
    `after`: the allocators. `regions`: of the
    chip's own memory that malloc uses, exact where there is a linker map. `mapped`: what that
    tells of the present heap's code; None: there is no map."""

    chip: str
    title: str
    idf: str  # the release
    minor: str
    arch: str
    before: str
    after: str
    in_rom: bool
    inferred: str  # from what it is concluded which allocator the ROM has; "": a log shows it
    in_flash: bool  # the option that places the heap's code into flash is on
    iram_is_apart: bool  # code in IRAM takes no memory that the ordinary heap could have
    iram_8bit: bool  # what is left of it can be asked for by bytes
    poisoning: str
    tracking: bool
    tracing: bool
    compiled: tuple[Compiled, ...]
    regions: tuple[Region, ...]
    mapped: HeapCode | None
    notes: tuple[str, ...]


def read_firmware_heap(
    *,
    chip: str | None,
    idf: str | None,
    sdkconfig: str | Path | None = None,
    map_file: str | Path | None = None,
) -> FirmwareHeap:
    """Options before what the sdkconfig says; without one, a default build's options but any
    optimisation. InputError names what contradicts or is missing."""
    if chip is not None:
        chip = load_chip(chip).name
    files = read_files([sdkconfig] if sdkconfig is not None else [])
    chosen = choose_among(files, chip=chip, idf=idf)
    config, notes = chosen.config, chosen.notes
    data, release = read_chip(config.chip), find_release(config.sdk)
    in_rom = config.value("HEAP_TLSF_USE_ROM_IMPL") is True
    poisoning = _poisoning(config)
    tracking = config.value("HEAP_TASK_TRACKING") is True
    flavour = {"none": "", "light": "+light", "comprehensive": "+full"}[poisoning]
    use = None if map_file is None else read_static(map_file, data.name)
    start = None if use is None else heap_start(use, data)
    layout = load_chip(config.chip).layout(
        idf=config.sdk,
        cores=1 if config.value("FREERTOS_UNICORE") is True else None,
        static_dram=None if start is None else start.static_dram,
        static_iram=None if start is None else start.static_iram,
        taken=() if start is None else start.taken,
        rom=in_rom,
        psram=Psram(size=_PSRAM) if config.value("SPIRAM") is True else None,
        flavour=flavour + ("+track" if tracking else ""),
        startup_use=0,
    )
    internal = tuple(region for region in layout.regions if _is_ordinary(region))
    version = version_of(data, release)
    if version is None:  # layout() has refused it
        raise InputError(f"ESP-IDF {release.name} has no {data.title}")
    if config.value("SPIRAM") is True:
        notes += (
            "The pool of the trace stands for all memory: where its blocks are in PSRAM, so is its "
            "gain.",
        )
    if lists_blocks(internal[0].allocator):
        notes += (
            "The pool of ESP-IDF's heap leaves out the blocks that task tracking takes for itself, "
            "20 bytes for each block and about 100 for each task.",
        )
    if not files:
        notes += (
            "The options are a default build's, and the optimisation may be any: --sdkconfig tells "
            "both.",
        )
    return FirmwareHeap(
        chip=data.name,
        title=data.title,
        idf=release.name,
        minor=release.minor,
        arch=_ARCH[read_windows(data.name).machine],
        before=internal[0].allocator,
        after=flavoured("heapscope", "+light" if flavour else "+track" if tracking else ""),
        in_rom=in_rom,
        inferred=data.rom.inferred if in_rom and data.rom is not None else "",
        in_flash=config.value("HEAP_PLACE_FUNCTION_INTO_FLASH") is True,
        iram_is_apart=any(one.kind == "IRAM" and not one.when for one in version.map),
        iram_8bit=config.value("ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY") is True,
        poisoning=poisoning,
        tracking=tracking,
        tracing=config.value("HEAP_TRACING") is True,
        compiled=tuple(_compiled(config if files else None)),
        regions=internal,
        mapped=None if use is None else code_in_map(use),
        notes=tuple(notes),
    )


def _is_ordinary(region: Region) -> bool:
    """Whether malloc may use it, and it is on the chip."""
    caps = functools.reduce(operator.or_, region.caps)
    return bool(caps & DEFAULT) and not caps & SPIRAM


def _poisoning(config: Config) -> str:
    if config.value("HEAP_POISONING_COMPREHENSIVE") is True:
        return "comprehensive"
    return "light" if config.value("HEAP_POISONING_LIGHT") is True else "none"


def _compiled(config: Config | None) -> Iterator[Compiled]:
    """None: nobody said how. Silent assertions are between those with texts and none at all."""
    levels: tuple[str, ...] = ("size", "debug", "perf")
    asserts: tuple[bool, ...] = (False, True)
    if config is not None:
        on = [
            level
            for level, option in (("size", "SIZE"), ("perf", "PERF"), ("", "NONE"))
            if config.value(f"COMPILER_OPTIMIZATION_{option}") is True
        ]
        levels = tuple(level for level in on or ["debug"] if level)
        if config.value("COMPILER_OPTIMIZATION_ASSERTIONS_DISABLE") is True:
            asserts = (False,)
        elif config.value("COMPILER_OPTIMIZATION_ASSERTIONS_SILENT") is not True:
            asserts = (True,)
    for level in levels:
        yield from (Compiled(level=level, asserts=checks) for checks in asserts)
