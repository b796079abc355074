"""A firmware by the files of its build: its static use, and the memory that its heap gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.choose import plain_memory
from heapscope.memory.layout.chips import Chip, load_chip
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
    name, use = _use(looked, build, chip)
    build, other = _same(name, use, build)
    image, static = build.image, _static(build)
    options: MemoryOptions = {"chip": name, "idf": idf}
    options.update(static)  # type: ignore[typeddict-item]
    data = load_chip(name).data
    if idf is None and not (image is not None and knows_version(data, read_image(image).idf)):
        in_path = _IN_PATH.search(build.idf_path)
        stated = (build.idf, "" if in_path is None else in_path[1])
        options["idf"] = next((text for text in stated if knows_version(data, text)), None)
    if build.sdkconfig is not None:
        options["sdkconfig"] = build.sdkconfig
    layout = plain_memory(options, None).layout
    named = (build.map, build.elf, image, build.sdkconfig)
    unused = (
        f"{printable(str(file), limit=400)} is of another build, and is not used" for file in other
    )
    return BuiltFirmware(
        what=looked.kind.known_as,
        chip=load_chip(name),
        use=use,
        idf=layout.sdk,
        regions=layout.regions if image is None else read_image(image).regions,
        static=static,
        sdkconfig=build.sdkconfig,
        elf=build.elf,
        files=tuple(printable(str(file), limit=400) for file in named if file is not None),
        notes=(*use.notes, *unused),
    )


def _static(build: BuildFolder) -> Mapping[str, Path]:
    files = {"bin": build.image, "map": build.map, "elf": build.elf}
    return dict([(option, file) for option, file in files.items() if file is not None][:1])


def _build(looked: Thing) -> BuildFolder:
    kind, path = looked.kind.kind, looked.path
    if kind == "build":
        build = build_of(path)
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


def _use(looked: Thing, build: BuildFolder, chip: str | None) -> tuple[str, StaticUse]:
    """The chip and the static use; by the map, which names components, where there is one."""
    static = build.map or build.elf
    if static is None:
        assert build.image is not None  # _build() took no other
        image = read_image(build.image)
        return chip or image.chip, image.use
    named = chip or build.chip or ("" if build.image is None else read_image(build.image).chip)
    uses = uses_of(static, load_chip(named).name if named else None)
    if len(uses) != 1:
        raise InputError(
            f"{looked.shown}: its chip is not known{f', {chr(32).join(uses)} fit' if uses else ''}",
            remedy="name it with --chip",
        )
    return next(iter(uses.items()))


def _same(chip: str, use: StaticUse, build: BuildFolder) -> tuple[BuildFolder, tuple[Path, ...]]:
    """The files of one build, that of the map where there is one, and the others."""
    elf, image = build.elf, build.image
    if elf is not None and build.map is not None:
        elf = elf if _fits(chip, use, read_static(elf, chip)) else None
    if image is not None and (build.map or build.elf) is not None:
        image = image if _fits(chip, use, read_image(image).use) else None
    kept = replace(build, elf=elf, image=image)
    pairs = ((build.elf, elf), (build.image, image))
    return kept, tuple(file for file, same in pairs if file is not None and same is None)


def _fits(chip: str, use: StaticUse, other: StaticUse) -> bool:
    """Whether two files are of one build: both have the linker's ends of the code and of the data,
    which an image has as addresses for data."""
    windows = read_windows(chip)
    return all(
        windows.end_of(use.symbols[name]) == windows.end_of(other.symbols[name])
        for name in _ENDS
        if name in use.symbols and name in other.symbols
    )
