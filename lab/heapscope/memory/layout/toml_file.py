"""Layouts that a user writes: `--layout F.toml` (docs/reference/layout.md)."""

from __future__ import annotations

import tomllib
from itertools import pairwise
from pathlib import Path

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.memory.layout.layout import Layout, MallocRule, Region
from heapscope.memory.layout.toml_table import TomlTable
from heapscope.memory.layout.toml_text import TomlText, read_toml_text

#: `memory`: of the whole chip, for `ram` (static/memory_file.py).
TOP = ("name", "chip", "sdk", "order", "allocator", "request_max", "malloc", "region", "memory")
_REGION = (
    "start",
    "size",
    "kind",
    "caps",
    "allocator",
    "startup_use",
    "startup_stack",
    "iram_alias",
    "optional",
)
_MALLOC = ("small", "threshold", "large", "fallback")
_ORDERS = ("listed", "address", "size")

_SIZE_MIN = 64
_SIZE_MAX = (1 << 32) - 4
_CAPS = "8BIT|32BIT|DMA|INTERNAL|DEFAULT"  # plain internal RAM
_MALLOC_CAPS = "DEFAULT|INTERNAL"


def read_layout(path: str | Path) -> Layout:
    """Regions in the order of the file unless it says otherwise. InputError names key and line."""
    text = read_toml_text(path)
    top = TomlTable(parse_toml(text), text=text, where="")
    top.check_keys(TOP)
    allocator = top.allocator("allocator", "idf-5.5")
    entries = top.tables("region")
    regions = tuple(region_of(entry, allocator) for entry in entries)
    layout = Layout(
        name=top.string("name", text.file),
        regions=_in_order(regions, top.choice("order", _ORDERS)),
        malloc=_malloc(top),
        request_max=top.integer("request_max", 0, least=0, most=_SIZE_MAX),
        chip=top.string("chip", ""),
        sdk=top.string("sdk", ""),
        source=text.file,
    )
    _check_overlap(entries, regions)
    layout.check()
    return layout


def parse_toml(text: TomlText) -> dict[str, object]:
    """The file's content as tomllib gives it. InputError: it is not TOML."""
    try:
        return tomllib.loads(text.text)
    except (ValueError, RecursionError) as error:  # ValueError: also a number of 5000 digits
        why = "nested too deep" if isinstance(error, RecursionError) else str(error)
        raise InputError(
            f"{text.file}: not TOML: {why[:200]}", remedy="correct it; https://toml.io"
        ) from None


def region_of(table: TomlTable, allocator: str) -> Region:
    """A [[region]]; `allocator`: where it names none."""
    table.check_keys(_REGION)
    first, second, third = table.priorities("caps", _CAPS)
    return Region(
        start=table.aligned("start", least=0),
        size=table.aligned("size", least=_SIZE_MIN),
        kind=table.string("kind", "RAM"),
        caps=(first, second, third),
        allocator=table.allocator("allocator", allocator),
        startup_use=table.integer("startup_use", 0, least=0, most=_SIZE_MAX),
        startup_stack=table.boolean("startup_stack"),
        iram_alias=table.boolean("iram_alias"),
        optional=table.boolean("optional"),
    )


def _malloc(top: TomlTable) -> MallocRule:
    """A string: one set of capabilities; a table: the rule with PSRAM."""
    table = top.table_or_string("malloc")
    if not isinstance(table, TomlTable):
        return MallocRule(small=capabilities.parse(_MALLOC_CAPS if table is None else table))
    table.check_keys(_MALLOC)
    plain = MallocRule(small=0)
    return MallocRule(
        small=table.capabilities("small", _MALLOC_CAPS),
        threshold=table.integer("threshold", plain.threshold, least=0, most=plain.threshold),
        large=table.capabilities("large", ""),
        fallback=table.capabilities("fallback", ""),
    )


def _in_order(regions: tuple[Region, ...], order: str) -> tuple[Region, ...]:
    if order == "listed":
        return regions
    key = (lambda r: r.start) if order == "address" else (lambda r: r.size)
    return tuple(sorted(regions, key=key))


def _check_overlap(entries: tuple[TomlTable, ...], regions: tuple[Region, ...]) -> None:
    """Checks the same as Layout.check, and names the lines of the file."""
    placed = sorted(zip(regions, entries, strict=True), key=lambda pair: pair[0].start)
    for (before, other), (region, table) in pairwise(placed):
        if region.start < before.end:
            raise table.error(
                "start",
                f"{region.start:#010x} is inside {other.where}, which ends at {before.end:#010x}",
                remedy="shorten the one or move the other",
            )
