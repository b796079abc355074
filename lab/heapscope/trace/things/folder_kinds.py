"""The kinds of a folder, by the names and first bytes of what is in it."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.things.binary_kinds import BOOT_LOADER, image_kind, kinds_of_bytes
from heapscope.trace.things.kind import FOLDER, OTHER, KnownAs
from heapscope.trace.things.zephyr_build import zephyr_config, zephyr_values

DESCRIPTION = "project_description.json"
_ENTRIES_MAX = 2000
_DESCRIPTION_MAX = 1 << 20
_MANAGED = "managed_components"
_HEAD = 512  # bytes of an image that tell what it is
_BUILD_MARKS = (
    DESCRIPTION,
    "CMakeCache.txt",
    "build.ninja",
    "flasher_args.json",
    "build.options.json",
    "idedata.json",
    "domains.yaml",
)
_PROJECT_MARKS = ("platformio.ini", "sdkconfig", "sdkconfig.defaults", "prj.conf", "main")


@dataclass(frozen=True, kw_only=True)
class BuildFolder:
    """The files of a build that answer something; None: not there. `zephyr`: the .config of Zephyr,
    where it is one of its builds. `own`: the archives of components that are neither the SDK's nor
    managed; None: no file names them."""

    sdkconfig: Path | None
    elf: Path | None
    map: Path | None
    image: Path | None = None
    project: str = ""
    chip: str = ""
    idf: str = ""
    idf_path: str = ""
    zephyr: Path | None = None
    own: frozenset[str] | None = None


def kinds_of_folder(folder: Path, shown: str) -> Iterator[KnownAs]:
    """InputError: it cannot be read."""
    names = entries(folder, shown)
    if "idf.py" in names or (folder / "tools" / "idf.py").is_file():
        yield KnownAs(
            kind=OTHER,
            what="a tree of ESP-IDF",
            remedy="check a configuration by it: heapscope lint sdkconfig --idf-tree FOLDER",
        )
        return
    built = any(mark in names for mark in _BUILD_MARKS)
    built = built or any(name.endswith(".elf") for name in names)
    built = built or bool(app_images(folder, names)) or zephyr_config(folder) is not None
    if built:
        yield KnownAs(kind="build", chip=build_of(folder).chip)
    sketch = any(name.endswith(".ino") for name in names)
    marks = _PROJECT_MARKS[:1] if built else _PROJECT_MARKS  # a build has a configuration, too
    is_project = "CMakeLists.txt" in names or sketch or any(mark in names for mark in marks)
    if is_project:
        yield KnownAs(kind="project", what="the folder of a sketch" if sketch else "")
    if not built and not is_project:
        yield KnownAs(kind=FOLDER, what="a folder")


def entries(folder: Path, shown: str) -> set[str]:
    """The first names of a folder. InputError: it cannot be read."""
    try:
        with os.scandir(folder) as result:
            return {entry.name for entry in islice(result, _ENTRIES_MAX)}
    except OSError as error:
        raise InputError(
            f"{shown}: cannot be read: {error.strerror}",
            remedy="check the path and its permissions",
        ) from None


def build_of(folder: Path) -> BuildFolder:
    """The build's own files decide, or else the names that builds use."""
    zephyr = zephyr_config(folder)
    if zephyr is not None:
        return _of_zephyr(zephyr)
    document = _description(folder)
    stated = {str(key): value for key, value in document.items() if isinstance(value, str)}
    names = sorted(entries(folder, printable(str(folder), limit=400)))
    own_elf = [stated.get("app_elf", "")]
    elves = [name for name in names if name.endswith(".elf") and _is_program(folder / name)]
    elves.sort(key=lambda name: "bootloader" in name)  # a program stands before its boot loader
    elf = _first(folder, [*own_elf, *elves])
    beside = [elf.with_suffix(".map"), elf.with_name(f"{elf.name}.map")] if elf is not None else []
    maps = [str(path.relative_to(folder)) for path in beside]
    images = [str(elf.with_suffix(".bin").relative_to(folder))] if elf is not None else []
    alone = app_images(folder, names) if elf is None else []
    own = [stated.get("config_file", ""), "sdkconfig", "config/sdkconfig.json", "../sdkconfig"]
    return BuildFolder(
        sdkconfig=_first(folder, own),
        elf=elf,
        map=_first(folder, [*maps, *(name for name in names if name.endswith(".map"))]),
        image=_first(folder, [stated.get("app_bin", ""), *images, *alone]),
        project=printable(stated.get("project_name", "")),
        chip=printable(stated.get("target", "")),
        idf=printable(stated.get("git_revision", "")),
        idf_path=printable(stated.get("idf_path", "")),
        own=_own_archives(document.get("build_component_paths")),
    )


def app_images(folder: Path, names: Iterable[str]) -> list[str]:
    """Images of programs by their first bytes, boot loaders and other files of flash aside; that of
    a sketch before copies of it."""
    images = [name for name in sorted(names) if name.endswith(".bin") and _is_app(folder / name)]
    return [name for name in images if name.endswith(".ino.bin")] or images


def _is_app(path: Path) -> bool:
    try:
        with path.open("rb") as file:
            kind = image_kind(file.read(_HEAD))
    except OSError:
        return False
    return kind is not None and kind.what != BOOT_LOADER


def _is_program(path: Path) -> bool:
    """Neither a core dump beside the program nor an object, by its first bytes."""
    try:
        with path.open("rb") as file:
            kinds = kinds_of_bytes(file.read(_HEAD), None)
            return all(kind.kind not in ("core", OTHER) for kind in kinds)
    except OSError:
        return True


def _of_zephyr(config: Path) -> BuildFolder:
    name = zephyr_values(config)["KERNEL_BIN_NAME"]
    folder = config.parent
    return BuildFolder(
        sdkconfig=None,
        elf=_first(folder, [f"{name}.elf"]),
        map=_first(folder, [f"{name}.map", f"{name}_final.map"]),
        zephyr=config,
    )


def _first(folder: Path, names: list[str]) -> Path | None:
    """A path of another machine may be named, and is not there."""
    paths = (folder / name for name in names if name)
    return next((path for path in paths if path.is_file()), None)


def _description(folder: Path) -> dict[str, object]:
    try:
        with (folder / DESCRIPTION).open("rb") as file:
            document = json.loads(file.read(_DESCRIPTION_MAX))
    except (OSError, ValueError, RecursionError):
        return {}
    return document if isinstance(document, dict) else {}


def _own_archives(paths: object) -> frozenset[str] | None:
    """The archives of components outside the SDK, which is where freertos is; a path may be that of
    another system."""
    if not isinstance(paths, list):
        return None
    folders = [re.split(r"[/\\\\]", path) for path in paths if isinstance(path, str) and path]
    sdk = next((folder[:-1] for folder in folders if folder[-1] == "freertos"), None)
    if sdk is None:
        return None
    return frozenset(
        f"lib{folder[-1]}.a"
        for folder in folders
        if folder[: len(sdk)] != sdk and _MANAGED not in folder
    )
