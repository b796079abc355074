"""The static use of an ELF or a linker map whose chip was not named."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.config.chip_data import chip_files
from heapscope.memory.static.map_memories import map_segments
from heapscope.memory.static.read import read_static
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import read_windows
from heapscope.trace.things.binary_kinds import MACHINES

_TARGET = re.compile(rb"^ +0x0+ +IDF_TARGET_(ESP32\w*) = ", re.MULTILINE)
_STEP, _MAP_MAX = 1 << 20, 64 << 20
_TRIED_MAX = 4 << 20  # bytes of a map that is read for each chip
_LINE = 200  # bytes that a line of it has at most
_MAGIC, _MACHINE_AT, _ENTRY_AT = b"\x7fELF", 18, 24


def uses_of(path: Path, chip: str | None = None) -> dict[str, StaticUse]:
    """By each chip that the file may be of; of `chip` alone where it is named. InputError: there is
    one chip, and the file is damaged."""
    chips = (chip,) if chip else _chips(path)
    if len(chips) == 1:
        return {chips[0]: read_static(path, chips[0])}
    uses = {}
    for each in chips:
        try:
            uses[each] = read_static(path, each)
        except InputError:
            continue
    return uses


def _chips(path: Path) -> tuple[str, ...]:
    with path.open("rb") as file:
        head = file.read(_ENTRY_AT + 4)
    if head.startswith(_MAGIC) and len(head) == _ENTRY_AT + 4:
        machine = MACHINES.get(struct.unpack_from("<H", head, _MACHINE_AT)[0])
        chips = [chip for chip in chip_files() if read_windows(chip).machine == machine]
        (entry,) = struct.unpack_from("<I", head, _ENTRY_AT)
        return tuple(_with_ram_at([entry] if entry else [], chips))
    chip = _target(path)
    if chip:
        return (chip,) if chip in chip_files() else ()
    fitting = tuple(_with_ram_at(map_segments(path), chip_files()))
    return fitting if path.stat().st_size <= _TRIED_MAX else ()


def _with_ram_at(addresses: Sequence[int], chips: Iterable[str]) -> Iterator[str]:
    """A program of ESP-IDF is entered in RAM, and its linker script has the RAM of one chip."""
    for chip in chips:
        windows = read_windows(chip)
        if all(windows.find(address) is not None for address in addresses):
            yield chip


def _target(path: Path) -> str:
    """The chip in a linker map of ESP-IDF; empty: none is named."""
    left = b""
    with path.open("rb") as file:
        for _ in range(_MAP_MAX // _STEP):
            step = file.read(_STEP)
            match = _TARGET.search(left + step)
            if match is not None:
                return match[1].decode().lower()
            if not step:
                return ""
            left = step[-_LINE:]
    return ""
