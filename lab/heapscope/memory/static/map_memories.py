"""The memories of a chip as a linker map lists them in front, by the linker script."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import islice, pairwise
from pathlib import Path

from heapscope.base.printable import printable
from heapscope.memory.static.window import Window

_BEGIN, _END = "Memory Configuration", "Linker script and memory map"
_ROW = re.compile(r"(\S+)\s+0x([0-9a-f]{1,16})\s+0x([0-9a-f]{1,16})(?:\s+(\S+))?", re.IGNORECASE)
_LINES_MAX = 500_000  # of the archives in front
_LINE_MAX = 4096
_ROWS_MAX = 64
_SIZE_MAX = 1 << 30
#: A memory of nothing but addresses, of Zephyr; and the one of avr-ld that no chip has.
_NO_MEMORY = re.compile(r"IDT_LIST")
_DEFAULT_OF_AVR = 0xFFA0


#: Names of RAM in maps that give no attributes, as those of the ESP8266.
_RAM = re.compile(r".*(ram|tcm).*", re.IGNORECASE)
#: RAM of ESP-IDF's linker scripts and of those that took their names from it.
_SEGMENT = re.compile(r"[ids]ram\d_[01]_seg")


def map_segments(path: Path) -> tuple[int, ...]:
    """Where RAM begins, by names as ESP-IDF has them; empty: the map lists none."""
    with path.open("rb") as file:
        return tuple(start for name, start, _, _ in _rows(file) if _SEGMENT.fullmatch(name))


def map_memories(path: Path) -> tuple[Window, ...]:
    """Those that can be written, in the order of addresses; empty: the map lists none, or they
    overlap. A map shows the linker script, which may leave memory of the chip out."""
    with path.open("rb") as file:
        windows = sorted(_windows(_rows(file)), key=lambda window: window.start)
    apart = all(a.end <= b.start for a, b in pairwise(windows))
    return tuple(windows) if apart else ()


def _rows(file: Iterable[bytes]) -> Iterator[tuple[str, int, int, str]]:
    begun = False
    for number, raw in enumerate(file):
        line = raw[:_LINE_MAX].decode("utf-8", "replace").rstrip()
        if line.startswith(_END) or number > _LINES_MAX:
            return
        begun = begun or line.startswith(_BEGIN)
        match = _ROW.fullmatch(line) if begun else None
        if match is not None:
            yield match[1], int(match[2], 16), int(match[3], 16), (match[4] or "").partition("!")[0]


def _windows(rows: Iterable[tuple[str, int, int, str]]) -> Iterator[Window]:
    listed = list(islice(rows, _ROWS_MAX))
    plain = not any(attributes for _, _, _, attributes in listed)
    for name, start, size, attributes in listed:
        written = bool(_RAM.fullmatch(name)) if plain else "w" in attributes.lower()
        written = written and not _NO_MEMORY.match(name)
        if written and 0 < size < _SIZE_MAX and size != _DEFAULT_OF_AVR:
            yield Window(kind=printable(name), start=start, size=size)
