"""A firmware by the files of its build: its static use, and the memory that its heap gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.choose import plain_memory
from heapscope.memory.layout.chips import Chip, load_chip
from heapscope.memory.layout.evidence import fitting_releases
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.layout.versions import knows_version
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static.read import read_image, read_static
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.uses import uses_of
from heapscope.memory.static.window import read_windows
from heapscope.trace.things.folder_kinds import BuildFolder, build_of
from heapscope.trace.things.thing import Thing, look_at

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image

_ENDS = ("_heap_start", "_iram_end")
#: A release in the name of the folder of ESP-IDF.
_IN_PATH = re.compile(r"v?(\d+\.\d+(?:\.\d+)?)(?![\w.])")
_REMEDY = "give a build folder, or its ELF, linker map or image"


HeapRegion = Region | ListedRegion


@dataclass(frozen=True, kw_only=True)
class BuiltFirmware:
    """`regions`: of its heap at the start, by the image where there is one, or else by the rules of
    the release `idf`. `static`: the file that tells the heap what is static, by its option.
    `files`: those that the answer rests on."""

    what: str
    chip: Chip
    use: StaticUse
    idf: str
    regions: tuple[HeapRegion, ...]
    static: Mapping[str, Path]
    sdkconfig: Path | None
    elf: Path | None
    files: tuple[str, ...]
    notes: tuple[str, ...]


def read_built(thing: str, *, chip: str | None, idf: str | None) -> BuiltFirmware:
    """InputError: it is another thing, a file of it is damaged, or the chip or the release is not
    known."""
    looked = look_at(thing)
    build = _build(looked)
    image, notes = _read_image(build)
    name, use = _use(looked, build, image, chip)
    build, image, more = _same(name, use, build, image)
    static = _static(build, image)
    options: MemoryOptions = {"chip": name, "idf": idf}
    options.update(static)  # type: ignore[typeddict-item]
    if idf is None:
        options["idf"], about = _release(load_chip(name), build, image)
        more += about
    if build.sdkconfig is not None:
        options["sdkconfig"] = build.sdkconfig
    layout = plain_memory(options, None).layout
    named = (build.map, build.elf, None if image is None else build.image, build.sdkconfig)
    return BuiltFirmware(
        what=looked.kind.known_as,
        chip=load_chip(name),
        use=use,
        idf=layout.sdk,
        regions=layout.regions if image is None else image.regions,
        static=static,
        sdkconfig=build.sdkconfig,
        elf=build.elf,
        files=tuple(_shown(file) for file in named if file is not None),
        notes=(*use.notes, *notes, *more),
    )


def _release(
    chip: Chip, build: BuildFolder, image: Image | None
) -> tuple[str | None, tuple[str, ...]]:
    """The release that the files name, or else the last one that gives the heap the image's
    regions, with a note. None: the image names it, or nobody does."""
    if image is not None and knows_version(chip.data, image.idf):
        return None, ()
    in_path = _IN_PATH.search(build.idf_path)
    for text in (build.idf, "" if in_path is None else in_path[1]):
        if knows_version(chip.data, text):
            return text, ()
    regions = () if image is None else image.regions
    fitting = fitting_releases(chip.data, [(each.start, each.size, each.kind) for each in regions])
    finished = [name for name in fitting if not name.startswith("head-")]
    if not finished:
        return None, ()
    note = f"no file names the release: {finished[-1]} is taken, which makes the same heap"
    return finished[-1], (note,)


def _shown(path: Path) -> str:
    return printable(str(path), limit=400)


def _read_image(build: BuildFolder) -> tuple[Image | None, tuple[str, ...]]:
    """Beside another file, an image that tells nothing is left out, with a note."""
    if build.image is None:
        return None, ()
    try:
        return read_image(build.image), ()
    except InputError as error:
        if not (build.map or build.elf):
            raise
        return None, (f"{error.message}; it is not used",)


def _static(build: BuildFolder, image: Image | None) -> Mapping[str, Path]:
    files = {"bin": build.image if image else None, "map": build.map, "elf": build.elf}
    return dict([(option, file) for option, file in files.items() if file is not None][:1])


def _build(looked: Thing) -> BuildFolder:
    kind, path = looked.kind.kind, looked.path
    if kind == "project":
        kind, path = "build", _built_in(path, looked.shown)
    if kind == "build":
        build = build_of(path)
        others = () if build.project or build.elf is None else _programs(path, build.elf)
        if others:
            raise InputError(
                f"{looked.shown}: {len(others)} ELFs are in it, and no file of the build names one",
                remedy=f"give one of: {', '.join(map(_shown, others))}",
            )
        if build.elf or build.map or build.image:
            return build
        raise InputError(f"{looked.shown}: no ELF, linker map or image is in it", remedy=_REMEDY)
    alone: Mapping[str, BuildFolder] = {
        "firmware": BuildFolder(sdkconfig=None, elf=path, map=None),
        "map": BuildFolder(sdkconfig=None, elf=None, map=path),
        "image": BuildFolder(sdkconfig=None, elf=None, map=None, image=path),
    }
    if kind not in alone:
        raise InputError(f"{looked.shown}: {looked.kind.known_as}, not a firmware", remedy=_REMEDY)
    return alone[kind]


def _programs(folder: Path, elf: Path) -> tuple[Path, ...]:
    """All programs beside it; empty: it is alone."""
    beside = elf.parent == folder
    named = sorted(folder.glob("*.elf")) if beside else []
    programs = tuple(path for path in named if "bootloader" not in path.name)
    return programs if len(programs) > 1 else ()


def _built_in(project: Path, shown: str) -> Path:
    """The one folder of a project that has been built into."""
    folders = [project / "build", *sorted(project.glob(".pio/build/*"))]
    built = [each for each in folders if each.is_dir() and any(each.glob("*.elf"))]
    if len(built) == 1:
        return built[0]
    if not built:
        raise InputError(
            f"{shown}: a project that is not built here",
            remedy="build it and give the build folder; heapscope predict --project works without",
        )
    names = ", ".join(_shown(each) for each in built)
    raise InputError(f"{shown}: {len(built)} builds are in it", remedy=f"give one of: {names}")


def _use(
    looked: Thing, build: BuildFolder, image: Image | None, chip: str | None
) -> tuple[str, StaticUse]:
    """The chip and the static use; by the map, which names components, where there is one."""
    static = build.map or build.elf
    if static is None:
        assert image is not None  # it was read, or is an error
        return chip or image.chip, image.use
    named = chip or build.chip or ("" if image is None else image.chip)
    uses = uses_of(static, load_chip(named).name if named else None)
    if len(uses) != 1:
        raise InputError(
            f"{looked.shown}: its chip is not known{f', {chr(32).join(uses)} fit' if uses else ''}",
            remedy="name it with --chip",
        )
    return next(iter(uses.items()))


def _same(
    chip: str, use: StaticUse, build: BuildFolder, image: Image | None
) -> tuple[BuildFolder, Image | None, tuple[str, ...]]:
    """The files that are of one build, that of the map where there is one; and notes."""
    notes = []
    both = build.map is not None and build.elf is not None
    if build.elf is not None and both and not _fits(chip, use, read_static(build.elf, chip)):
        notes.append(f"{_shown(build.elf)} is of another build, and is not used")
        build = replace(build, elf=None)
    if image is not None and not _fits(chip, use, image.use):
        notes.append(f"{image.file} is of another build, and is not used")
        image = None
    return build, image, tuple(notes)


def _fits(chip: str, use: StaticUse, other: StaticUse) -> bool:
    """Whether two files are of one build: both have the linker's ends of the code and of the data,
    which an image has as addresses for data."""
    windows = read_windows(chip)
    return all(
        windows.end_of(use.symbols[name]) == windows.end_of(other.symbols[name])
        for name in _ENDS
        if name in use.symbols and name in other.symbols
    )
