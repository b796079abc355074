"""The memories of a chip that nobody else knows: the [[memory]] of a layout file."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.toml_file import TOP, parse_toml, region_of
from heapscope.memory.layout.toml_table import TomlTable
from heapscope.memory.layout.toml_text import read_toml_text
from heapscope.memory.static.window import ChipWindows, Window

_MEMORY = ("start", "size", "kind", "code")
_LEAST = 64


@dataclass(frozen=True, kw_only=True)
class DescribedChip:
    """A chip by a layout file. `regions`: those of its heaps, in the order of the file."""

    name: str
    windows: ChipWindows
    regions: tuple[Region, ...]


def read_memories(path: str | Path) -> DescribedChip:
    """InputError names key and line: memories are missing, or overlap."""
    text = read_toml_text(path)
    top = TomlTable(parse_toml(text), text=text, where="")
    top.check_keys(TOP)
    entries = top.tables("memory")
    placed = sorted(
        zip(map(_window, entries), entries, strict=True), key=lambda each: each[0].start
    )
    for (before, other), (window, table) in pairwise(placed):
        if window.start < before.end:
            why = f"{window.start:#010x} is inside {other.where}, which ends at {before.end:#010x}"
            raise table.error("start", why, remedy="shorten the one or move the other")
    name = top.string("chip", "") or top.string("name", text.file)
    allocator = top.allocator("allocator", "idf-5.5")
    windows = ChipWindows(chip=name, machine="", windows=[window for window, _ in placed])
    heaps = top.tables("region", wanted="")
    regions = tuple(region_of(entry, allocator) for entry in heaps)
    for region, table in zip(regions, heaps, strict=True):
        home = windows.find(region.start)
        while home is not None and region.end > (end := home[0].end):
            home = windows.find(end)  # a heap may lie in two memories
            if home is None:
                why = f"{region.size} bytes go beyond its memory, which ends at {end:#010x}"
                raise table.error("size", why, remedy="shorten it or lengthen the memory")
    return DescribedChip(name=name, windows=windows, regions=regions)


def _window(table: TomlTable) -> Window:
    table.check_keys(_MEMORY)
    return Window(
        kind=table.string("kind", "RAM"),
        start=table.aligned("start", least=0),
        size=table.aligned("size", least=_LEAST),
        code=table.aligned("code", least=0) if table.has("code") else None,
    )
