"""The files of data/chips as typed data. They ship with the package, so that a mistake in one is a
fault of Heapscope and not of the user: it shows as KeyError or TypeError, and in the tests."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from heapscope.base import capabilities
from heapscope.native.config import NO_ALIGNMENTS, NativeHardware

SCHEMA = 3

Caps = tuple[int, int, int]  # by priority


@dataclass(frozen=True, kw_only=True)
class MapEntry:
    """A run of memory of one kind that the heap may get, merged over its neighbours."""

    kind: str
    start: int
    size: int
    unprotected: str = ""  # its kind in builds without memory protection; "": the same
    cores: int | None = None  # only in builds for so many
    option: str = ""  # only with it: "rtc", "psram", "unprotected"
    on: bool = True  # in a default build
    when: str = ""  # the condition as the SDK has it
    iram_alias: bool = False
    startup_stack: bool = False

    @property
    def end(self) -> int:
        return self.start + self.size

    @property
    def names(self) -> tuple[str, ...]:
        """The kinds under which the memory can be seen."""
        return (self.kind, self.unprotected) if self.unprotected else (self.kind,)


@dataclass(frozen=True, kw_only=True)
class PsramWindow:
    """Addresses at which external memory appears."""

    start: int
    size: int
    caps: Caps  # as registered at run time
    at_end: bool = False  # smaller memories lie at its end
    one_short: bool = False  # the heap ends a byte early


@dataclass(frozen=True, kw_only=True)
class RomAllocator:
    """The allocator in a chip's ROM, which default builds use whatever their release is."""

    allocator: str
    inferred: str  # what the facts are concluded from; "": a device's log shows it


@dataclass(frozen=True, kw_only=True)
class VersionData:
    """The chip's data for one release, or for all releases of a section of its file."""

    name: str  # of the release, or the first one of the section
    allocator: str  # of the release's own source, with the tables of this chip
    allocator_psram: str
    table_max: tuple[int, int]  # where tables do not depend on the heap: log2 of the largest block,
    # without PSRAM and with it
    order: str  # of the list: "map" or "size"
    malloc: int
    rtc: bool | None  # RTC memory is heap by default; None: no such option
    protection: bool | None  # memory is protected by default; None: no such option
    kinds: dict[str, Caps]
    unprotected: dict[str, Caps]  # those that change without memory protection
    map: tuple[MapEntry, ...]
    psram: tuple[PsramWindow, ...]
    pool: Caps  # of the pool reserved for DMA
    hardware: NativeHardware = NO_ALIGNMENTS  # alignments, as far as the release asks for them

    @property
    def development(self) -> bool:
        """A branch and no release."""
        return self.name.startswith("head-")

    @property
    def label(self) -> str:
        """For people: a development branch is never shown as a release."""
        return f"{self.name} (development branch)" if self.development else self.name


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
class DefaultStatic:
    """Where code and data lie, one after the other, and how much of them is assumed."""

    base: int
    code_elsewhere: int  # bytes of code before `base`
    iram: int
    dram: int


@dataclass(frozen=True, kw_only=True)
class Reserved:
    """Memory of the map that is never heap."""

    what: str
    start: int
    end: int
    since: tuple[str, ...] = ()  # releases that began to, the last one for good; empty: always


@dataclass(frozen=True, kw_only=True)
class ChipData:
    name: str
    title: str
    cores: int
    request_max: int
    hardware: NativeHardware  # alignments of a default build
    rom: RomAllocator | None
    versions: tuple[VersionData, ...]  # the sections of its file, by their first releases
    default_source: str
    default_startup: int
    startup_source: str  # "as measured on ..."
    default_regions: tuple[DefaultRegion, ...]  # empty: derived from the map
    static: DefaultStatic | None  # for those that are derived
    reserved: tuple[Reserved, ...]
    preview: bool = False  # releases only preview it: of two chips the other one is guessed


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
        hardware=NativeHardware(**data["hardware"]),
        rom=RomAllocator(**data["rom"]) if "rom" in data else None,
        versions=tuple(_version(key, _whole(key, data["version"])) for key in data["version"]),
        default_source=default["source"],
        default_startup=default["startup_use"],
        startup_source=default.get("startup_source", "as measured on the same firmware"),
        default_regions=tuple(_default_region(region) for region in default.get("region", [])),
        static=DefaultStatic(**default["static"]) if "static" in default else None,
        reserved=tuple(_reserved(data) for data in default.get("reserved", [])),
        preview=data.get("preview", False),
    )


def _whole(name: str, sections: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """A section with what it takes over from the one that it is `like`."""
    own = sections[name]
    if "like" not in own:
        return own
    return {**_whole(own["like"], sections), **own}


def _version(name: str, data: dict[str, Any]) -> VersionData:
    if data["order"] not in ("map", "size"):
        raise ValueError(f"order {data['order']}")
    return VersionData(
        name=name,
        allocator="",
        allocator_psram="",
        table_max=(data["table_max"][0], data["table_max"][1]) if "table_max" in data else (0, 0),
        order=data["order"],
        malloc=capabilities.parse(data["malloc"]),
        rtc=data.get("rtc"),
        protection=data.get("protection"),
        kinds={kind: _caps(caps) for kind, caps in data["kinds"].items()},
        unprotected={kind: _caps(caps) for kind, caps in data.get("unprotected", {}).items()},
        map=tuple(MapEntry(**entry) for entry in data["map"]),
        psram=tuple(_psram(window) for window in data.get("psram", [])),
        pool=_caps(data.get("pool", ["", "", ""])),
    )


def _caps(texts: list[str]) -> Caps:
    first, second, third = (capabilities.parse(text) for text in texts)
    return first, second, third


def _psram(data: dict[str, Any]) -> PsramWindow:
    return PsramWindow(**{**data, "caps": _caps(data["caps"])})


def _reserved(data: dict[str, Any]) -> Reserved:
    return Reserved(**{**data, "since": tuple(data.get("since", []))})


def _default_region(data: dict[str, Any]) -> DefaultRegion:
    static = data.get("static", {})
    plain = {key: value for key, value in data.items() if key != "static"}
    return DefaultRegion(**plain, static=static.get("name", ""), static_base=static.get("base", 0))
