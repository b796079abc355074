"""The static use of a firmware as the memory model takes it: from its ELF or map, or as told."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_static


@dataclass(frozen=True, kw_only=True)
class KnownStatic:
    """Bytes; None: not known. `static_dram`: all code and data in the memory that malloc serves."""

    static_dram: int | None = None
    static_iram: int | None = None


def static_use(
    chip: str,
    *,
    elf: str | Path | None = None,
    map: str | Path | None = None,
    static_dram: int | None = None,
) -> KnownStatic:
    """InputError: a file cannot be read, or several say what is static."""
    matches = [each for each in (elf, map, static_dram) if each is not None]
    if len(matches) > 1:
        raise InputError(
            "--elf, --map and --static-dram all say what is static", remedy="give one of them"
        )
    if static_dram is not None and static_dram < 0:
        raise InputError("--static-dram is below 0", remedy="give bytes, as `idf.py size` has them")
    path = elf if elf is not None else map
    if path is None:
        return KnownStatic(static_dram=static_dram)
    data = load_chip(chip).data
    start = heap_start(read_static(path, chip), data)
    if data.static is None:  # code has a memory of its own
        return KnownStatic(static_dram=start.static_dram, static_iram=start.static_iram)
    code = max(0, start.static_iram - data.static.code_elsewhere)
    return KnownStatic(static_dram=start.static_dram + code)
