"""The memory of real builds and runs: builds.csv, libraries.csv and runs.csv, with their
configurations (options.zst). `gather` makes the files."""

from __future__ import annotations

import csv
import functools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace

from heapscope.base.zstd import ZstdDecompressor
from heapscope.config.chosen_config import choose_among
from heapscope.config.config import Config
from heapscope.config.read_file import ConfigFile
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope_studies.data_file import PACKAGE

FOLDER = PACKAGE / "data" / "memory_parts"
#: The library, as a map has it; and what the options of one that no map has amount to.
_LVGL, _NO_LVGL = "lvgl", {"LV_MEM_SIZE_KILOBYTES": 0}
#: Options of which a project's components, and not ESP-IDF, know.
_HEADER = "# Espressif IoT Development Framework (ESP-IDF) {} Project Configuration\n"


@dataclass(frozen=True, kw_only=True)
class Build:
    """A public build. `dram`, `iram`: bytes that its heap gets before any allocation. `own`: bytes
    of its program's own code and data in RAM; None: no map was read."""

    id: str
    owner: str
    chip: str
    idf: str
    links: tuple[str, ...]
    own: int | None
    dram: int
    iram: int | None
    source: str

    @functools.cached_property
    def model(self) -> MemoryModel:
        model = model_of_lines(self.chip, self.idf, options()[self.id], self.links)
        known = self.own is not None and _LVGL not in library_sizes().get(self.id, {})
        return replace(model, scene=replace(model.scene, instead=_NO_LVGL)) if known else model

    @property
    def minor(self) -> str:
        return ".".join(map(str, self.model.scene.minor))


@dataclass(frozen=True, kw_only=True)
class Run:
    """A run of the SDK's own firmware. `lines`: of its whole configuration. `boot`: bytes of the
    heap before start-up allocates, RTC memory too; `iram`: those of IRAM, on an ESP32. `against`:
    the name of the run that it differs from. `sending`: bytes that one connection took at most
    while it sent, by how slow the radio is."""

    program: str
    name: str
    chip: str
    idf: str
    links: tuple[str, ...]
    against: str
    lines: Mapping[str, str]
    boot: int | None
    iram: int | None
    app_main: int
    wifi_started: int | None
    sending: tuple[int, ...]


@functools.cache
def options() -> Mapping[str, Mapping[str, str]]:
    """By name of a configuration, the values of its options."""
    text = ZstdDecompressor().decompress((FOLDER / "options.zst").read_bytes()).decode()
    configs: dict[str, dict[str, str]] = {}
    for line in text.splitlines():
        if line.startswith("# "):
            values = configs[line[2:]] = {}
        else:
            name, _, value = line.partition("=")
            values[name] = value
    return configs


@functools.cache
def builds() -> tuple[Build, ...]:
    return tuple(
        Build(
            id=row["id"],
            owner=row["owner"],
            chip=row["chip"],
            idf=row["idf"] or "5.5",
            links=tuple(row["links"].split()),
            own=int(row["own"]) if row["own"] else None,
            dram=int(row["dram"]),
            iram=int(row["iram"]) if row["iram"] else None,
            source=row["source"],
        )
        for row in _rows("builds")
    )


@functools.cache
def library_sizes() -> Mapping[str, Mapping[str, tuple[int, int]]]:
    """By build and library, bytes of code and of data in RAM."""
    sizes: dict[str, dict[str, tuple[int, int]]] = {}
    for row in _rows("libraries"):
        sizes.setdefault(row["id"], {})[row["library"]] = int(row["code"]), int(row["data"])
    return sizes


@functools.cache
def runs() -> tuple[Run, ...]:
    return tuple(_run(row) for row in _rows("runs"))


def _run(row: Mapping[str, str]) -> Run:
    lines = dict(options()[f"{row['program']}-{row['chip']}"])
    for change in row["changed"].split():
        if change.startswith("-"):
            del lines[change[1:]]
        else:
            name, _, value = change.partition("=")
            lines[name] = value
    return Run(
        program=row["program"],
        name=row["name"],
        chip=row["chip"],
        idf=row["idf"],
        links=tuple(row["links"].split()),
        against=row["against"],
        lines=lines,
        boot=int(row["boot"]) if row["boot"] else None,
        iram=int(row["boot_iram"]) if row["boot_iram"] else None,
        app_main=int(row["app_main"]),
        wifi_started=int(row["wifi_started"]) if row["wifi_started"] else None,
        sending=tuple(map(int, row["sending"].split())),
    )


def file_of(name: str, lines: Mapping[str, str], idf: str) -> ConfigFile:
    """The configuration as the SDK's own program writes it."""
    text = _HEADER.format(idf) + "".join(
        f"# CONFIG_{key} is not set\n" if value == "n" else f"CONFIG_{key}={value}\n"
        for key, value in lines.items()
    )
    return ConfigFile(name=name, text=text, version=idf, generated=True)


def config_of(chip: str, idf: str, lines: Mapping[str, str]) -> Config:
    return choose_among([file_of("sdkconfig", lines, idf)], chip=chip, idf=idf).config


def model_of_lines(
    chip: str, idf: str, lines: Mapping[str, str], links: tuple[str, ...]
) -> MemoryModel:
    config = config_of(chip, idf, lines)
    return MemoryModel(
        scene=MemoryScene(config=config, minor=minor_of_config(config, idf), links=links)
    )


def _rows(name: str) -> Iterator[dict[str, str]]:
    with (FOLDER / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        yield from csv.DictReader(file)
