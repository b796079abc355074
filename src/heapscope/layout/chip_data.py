"""The files of data/chips as typed data. They ship with the package, so that a mistake in one is a
fault of Heapscope and not of the user: it shows as KeyError or TypeError, and in the tests."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from heapscope.layout import capabilities

__all__ = ["ChipData", "DefaultRegion", "MapEntry", "VersionData", "chip_files", "read_chip"]

SCHEMA = 1


@dataclass(frozen=True, kw_only=True)
class MapEntry:
    """A run of memory of one kind that the heap may get, merged over its neighbours."""

    kind: str
    start: int
    size: int
    cores: int | None = None  # only in builds for so many
    when: str = ""  # only with this option
    iram_alias: bool = False
    startup_stack: bool = False

    def contains(self, start: int, size: int) -> bool:
        return self.start <= start and start + size <= self.start + self.size


@dataclass(frozen=True, kw_only=True)
class VersionData:
    """What an SDK version makes of the chip."""

    name: str
    allocator: str
    order: str  # of the list: "map" or "size"
    malloc: int
    kinds: dict[str, tuple[int, int, int]]  # capabilities by priority
    map: tuple[MapEntry, ...]


@dataclass(frozen=True, kw_only=True)
class DefaultRegion:
    """A region of a firmware of which nothing is known."""

    kind: str
    start: int
    size: int
    cores: int | None = None
    static: str = ""  # which static use decides where it starts: "dram", "iram"
    static_base: int = 0


@dataclass(frozen=True, kw_only=True)
class ChipData:
    name: str
    title: str
    cores: int
    request_max: int
    versions: tuple[VersionData, ...]
    default_source: str
    default_startup: int
    default_regions: tuple[DefaultRegion, ...]


def chip_files() -> tuple[str, ...]:
    """Names of the chips there are files of."""
    names = (entry.name for entry in (resources.files("heapscope.data") / "chips").iterdir())
    return tuple(sorted(name.removesuffix(".toml") for name in names if name.endswith(".toml")))


@functools.cache
def read_chip(name: str) -> ChipData:
    file = resources.files("heapscope.data") / "chips" / f"{name}.toml"
    data = tomllib.loads(file.read_text(encoding="utf-8"))
    if data["schema"] != SCHEMA:
        raise ValueError(f"{name}.toml: schema {data['schema']}")
    default = data["default"]
    return ChipData(
        name=data["name"],
        title=data["title"],
        cores=data["cores"],
        request_max=data["request_max"],
        versions=tuple(_version(key, value) for key, value in data["version"].items()),
        default_source=default["source"],
        default_startup=default["startup_use"],
        default_regions=tuple(_default_region(region) for region in default["region"]),
    )


def _version(name: str, data: dict[str, Any]) -> VersionData:
    if data["order"] not in ("map", "size"):
        raise ValueError(f"order {data['order']}")
    return VersionData(
        name=name,
        allocator=data["allocator"],
        order=data["order"],
        malloc=capabilities.parse(data["malloc"]),
        kinds={kind: _caps(caps) for kind, caps in data["kinds"].items()},
        map=tuple(MapEntry(**entry) for entry in data["map"]),
    )


def _caps(texts: list[str]) -> tuple[int, int, int]:
    first, second, third = (capabilities.parse(text) for text in texts)
    return first, second, third


def _default_region(data: dict[str, Any]) -> DefaultRegion:
    static = data.get("static", {})
    plain = {key: value for key, value in data.items() if key != "static"}
    return DefaultRegion(**plain, static=static.get("name", ""), static_base=static.get("base", 0))
