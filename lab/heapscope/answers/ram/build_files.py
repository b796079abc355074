"""The files of a build behind the thing that a user names."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.things.binary_kinds import kinds_of_bytes
from heapscope.trace.things.folder_kinds import BuildFolder, app_images, build_of, entries
from heapscope.trace.things.thing import Thing

_REMEDY = "give a build folder, or its ELF, linker map or image"
#: Where projects are built: by idf.py and west, PlatformIO, arduino-cli, editors with CMake.
_BUILDS = ("build", ".pio/build/*", "build/*", "cmake-build-*", "build-*", "build_*", "out/build/*")
_LEAVES = (".elf", ".axf", ".out", "")  # ends of a program's name
#: Folders of a build without a program of the project's.
_APART = ("CMakeFiles", "bootloader", "esp-idf", "_deps", "mcuboot", "bootloader-prefix")
_DEEPEST, _FOLDERS_MAX = 3, 400
_HEAD = 4096  # bytes that tell what an ELF is


def shown(path: Path) -> str:
    return printable(str(path), limit=400)


def files_of(looked: Thing) -> BuildFolder | None:
    """None: a project that is not built. InputError: it is another thing, or has several
    programs."""
    kind, path = looked.kind.kind, looked.path
    if kind == "project":
        folder = _built_in(path, looked.shown)
        if folder is None:
            return None
        kind, path = "build", folder
    if kind == "build":
        return _of_folder(path, looked.shown)
    alone: Mapping[str, BuildFolder] = {
        "firmware": BuildFolder(sdkconfig=None, elf=path, map=None),
        "map": BuildFolder(sdkconfig=None, elf=None, map=path),
        "image": BuildFolder(sdkconfig=None, elf=None, map=None, image=path),
    }
    if kind not in alone:
        raise InputError(f"{looked.shown}: {looked.kind.known_as}, not a firmware", remedy=_REMEDY)
    return alone[kind]


def _of_folder(path: Path, name: str) -> BuildFolder:
    build = build_of(path)
    if build.project or build.zephyr:
        programs: list[Path] = []
    else:
        programs = sorted(_programs(path))
    if len(programs) > 1:
        raise InputError(
            f"{name}: {len(programs)} ELFs are in it, and no file of the build names one",
            remedy=f"give one of: {', '.join(map(shown, programs))}",
        )
    if programs and build.elf is None:
        (elf,) = programs
        of_elf = map_beside(elf) or build.map
        return BuildFolder(sdkconfig=build.sdkconfig, elf=elf, map=of_elf, image=build.image)
    images = app_images(path, entries(path, name)) if not (build.elf or build.map) else []
    if len(images) > 1 and not build.project:
        raise InputError(
            f"{name}: {len(images)} images of programs are in it",
            remedy=f"give one of: {', '.join(shown(path / each) for each in images)}",
        )
    if build.elf or build.map or build.image:
        return build
    raise InputError(f"{name}: no ELF, linker map or image is in it", remedy=_REMEDY)


def map_beside(elf: Path) -> Path | None:
    beside = (elf.with_suffix(".map"), elf.with_name(f"{elf.name}.map"))
    return next((each for each in beside if each.is_file()), None)


def _programs(folder: Path) -> Iterator[Path]:
    """The ELFs in a folder, without boot loaders, or else those of the folders in it."""
    level = [folder]
    for _ in range(_DEEPEST):
        programs = [path for each in level for path in _elves(each)]
        if programs:
            yield from programs
            return
        level = [inner for each in level for inner in _folders(each)][:_FOLDERS_MAX]


def _elves(folder: Path) -> Iterator[Path]:
    for name in entries(folder, shown(folder)):
        path = folder / name
        if path.suffix in _LEAVES and "bootloader" not in name and path.is_file():
            with path.open("rb") as file:
                head = file.read(_HEAD)
            if any(kind.kind == "firmware" for kind in kinds_of_bytes(head, None)):
                yield path


def _folders(folder: Path) -> Iterator[Path]:
    for name in sorted(entries(folder, shown(folder))):
        path = folder / name
        if name not in _APART and not name.startswith(".") and path.is_dir():
            yield path


def _built_in(project: Path, name: str) -> Path | None:
    """The one folder of a project that has been built into; None: it is not built."""
    folders = dict.fromkeys(path for each in _BUILDS for path in sorted(project.glob(each)))
    built: list[Path] = []
    for folder in folders:
        inside = folder.name in _APART or folder.parent in built
        if not inside and folder.is_dir() and _has_program(folder):
            built.append(folder)
    if len(built) > 1:
        names = ", ".join(map(shown, built))
        raise InputError(f"{name}: {len(built)} builds are in it", remedy=f"give one of: {names}")
    return built[0] if built else None


def _has_program(folder: Path) -> bool:
    build = build_of(folder)
    return bool(build.elf or build.image or (build.project and build.map)) or any(_elves(folder))
