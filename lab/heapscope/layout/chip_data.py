"""The files of data/chips as typed data. They ship with the package, so that a mistake in one is a
fault of Heapscope and not of the user: it shows as KeyError or TypeError, and in the tests."""

from __future__ import annotations

import functools
import tomllib
from dataclasses import dataclass
from importlib import resources
from typing import Any

from heapscope.layout import capabilities

SCHEMA = 2

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
class VersionData:
    """The chip's data for one SDK version."""

    name: str
    aliases: tuple[str, ...]
    development: bool
    allocator: str
    allocator_psram: str
    rom_allocator: bool  # by default the ROM's own, which was not compared with the model
    unverified: str  # what of the model is not this chip's; "": nothing
    order: str  # of the list: "map" or "size"
    malloc: int
    rtc: bool | None  # RTC memory is heap by default; None: no such option
    protection: bool | None  # memory is protected by default; None: no such option
    kinds: dict[str, Caps]
    unprotected: dict[str, Caps]  # those that change without memory protection
    map: tuple[MapEntry, ...]
    psram: tuple[PsramWindow, ...]
    pool: Caps  # of the pool reserved for DMA

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
    sdks: tuple[str, ...] = ()  # only in these; empty: in all


@dataclass(frozen=True, kw_only=True)
class ChipData:
    name: str
    title: str
    cores: int
    request_max: int
    versions: tuple[VersionData, ...]
    default_source: str
    default_startup: int
    startup_source: str  # "as measured on ..."
    default_regions: tuple[DefaultRegion, ...]  # empty: derived from the map
    static: DefaultStatic | None  # for those that are derived
    reserved: tuple[Reserved, ...]


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
        startup_source=default.get("startup_source", "as measured on the same firmware"),
        default_regions=tuple(_default_region(region) for region in default.get("region", [])),
        static=DefaultStatic(**default["static"]) if "static" in default else None,
        reserved=tuple(_reserved(data) for data in default.get("reserved", [])),
    )


def _version(name: str, data: dict[str, Any]) -> VersionData:
    if data["order"] not in ("map", "size"):
        raise ValueError(f"order {data['order']}")
    return VersionData(
        name=name,
        aliases=tuple(data.get("aliases", [])),
        development=data.get("development", False),
        allocator=data["allocator"],
        allocator_psram=data["allocator_psram"],
        rom_allocator=data.get("rom_allocator", False),
        unverified=data.get("unverified", ""),
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
    return Reserved(**{**data, "sdks": tuple(data.get("sdks", []))})


def _default_region(data: dict[str, Any]) -> DefaultRegion:
    static = data.get("static", {})
    plain = {key: value for key, value in data.items() if key != "static"}
    return DefaultRegion(**plain, static=static.get("name", ""), static_base=static.get("base", 0))
