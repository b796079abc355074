"""A firmware by the files of its build: its static use, and the memory that its heap gets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.answers.ram.build_files import files_of, shown
from heapscope.answers.ram.built_firmware import BuiltFirmware, other_build, reserved_of
from heapscope.answers.ram.cut import BSS
from heapscope.answers.ram.forecast import forecast_of
from heapscope.answers.ram.own_memory import read_bare, read_by_map, read_described, read_zephyr
from heapscope.base.errors import InputError
from heapscope.forecast.predict.demand import Demand
from heapscope.memory.choose import NOT_GIVEN, plain_memory
from heapscope.memory.layout.chips import Chip, load_chip
from heapscope.memory.layout.evidence import fitting_releases
from heapscope.memory.layout.versions import knows_version
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static.elf_tables import image_in_elf, is_described
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_image, read_static
from heapscope.memory.static.use import PADDING, UNNAMED, StaticUse
from heapscope.memory.static.uses import chips_of, uses_of
from heapscope.memory.static.window import read_windows
from heapscope.trace.things.folder_kinds import BuildFolder
from heapscope.trace.things.thing import Thing, look_at

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image

#: A release in the name of the folder of ESP-IDF.
_IN_PATH = re.compile(r"v?(\d+\.\d+(?:\.\d+)?)(?![\w.])")
_FIRST = "3.3"  # the first release that describes its firmware in its constants


def read_built(
    thing: str,
    *,
    chip: str | None,
    idf: str | None,
    layout: str | Path | None = None,
    demand: Demand | None = None,
) -> BuiltFirmware:
    """`layout`: a file that describes the chip; `demand`: for a forecast. InputError: it is another
    thing, a file of it is damaged, or the chip or the release is not known."""
    looked = look_at(thing)
    build = files_of(looked)
    if build is None and layout is not None:
        raise InputError(
            f"{looked.shown}: a project that is not built, and --layout is for a build",
            remedy="build it and give the build folder, or leave --layout out",
        )
    if build is None:
        return forecast_of(looked, chip=chip, idf=idf, demand=demand or Demand())
    if layout is not None:
        if chip or idf:
            raise InputError("--layout describes the chip", remedy="leave --chip and --idf out")
        return read_described(looked, build, layout)
    if build.zephyr is not None and chip is None:
        return read_zephyr(looked, build)
    build, image, notes = _read_image(build, chip)
    named = _use(build, image, chip)
    if len(named) == 1:
        name, use = next(iter(named.items()))
        return _of_idf(looked, build, image, name, use, idf, notes)
    by_map = None if named else read_by_map(looked, build)
    if by_map is None:
        fit = f", {' '.join(named)} fit" if named else ""
        raise InputError(
            f"{looked.shown}: its chip is not known{fit}",
            remedy="name it with --chip, or give its memories: --layout F.toml",
        )
    return by_map


def _of_idf(
    looked: Thing,
    build: BuildFolder,
    image: Image | None,
    name: str,
    use: StaticUse,
    idf: str | None,
    notes: tuple[str, ...],
) -> BuiltFirmware:
    build, image, more = _same(name, use, build, image)
    named_release = bool(idf or image or build.sdkconfig or build.idf or build.project)
    if not named_release and _is_bare(use):
        return read_bare(looked, build, name)
    static = _static(build)
    options: MemoryOptions = {"chip": name, "idf": idf}
    options.update(static)  # type: ignore[typeddict-item]
    chip = load_chip(name)
    if idf is None:
        options["idf"], why = _release(chip, build, image)
        more += why
    if build.sdkconfig is not None:
        options["sdkconfig"] = build.sdkconfig
    layout = plain_memory(options, None).layout
    if any(NOT_GIVEN in note for note in layout.notes):
        about = "no file names the release"
        if knows_version(chip.data, _FIRST) and build.elf and not is_described(build.elf):
            about = f"no file names the release, and {shown(build.elf)} is of one before {_FIRST}"
            options["idf"] = _FIRST
            layout = plain_memory(options, None).layout
        more += (f"{about}: {layout.sdk} is taken",)
    named = (build.map, build.elf, build.image, build.sdkconfig)
    return BuiltFirmware(
        what=looked.kind.known_as,
        chip=chip.name,
        title=f"The {chip.title}",
        windows=read_windows(chip.name),
        use=use,
        idf=layout.sdk,
        regions=layout.regions if image is None else image.regions,
        capable=layout.regions,
        reserved=reserved_of(chip, layout.sdk),
        heap_start=heap_start(use, chip.data).dram,
        static=static,
        sdkconfig=build.sdkconfig,
        elf=build.elf,
        own=build.own,
        files=tuple(shown(file) for file in named if file is not None),
        notes=(*use.notes, *notes, *more),
    )


def _is_bare(use: StaticUse) -> bool:
    """It has names of data, and not that of ESP-IDF's list of heaps."""
    names = {piece.symbol for piece in use.pieces if use.sections[piece.section].role == BSS}
    return bool(names - {UNNAMED, PADDING}) and "registered_heaps" not in names


def _release(
    chip: Chip, build: BuildFolder, image: Image | None
) -> tuple[str | None, tuple[str, ...]]:
    """The release that the files name, or else the last one that gives the heap the image's
    regions, with a note. None: the image names it, or nobody does."""
    if image is not None and knows_version(chip.data, image.idf):
        return (None if build.image else image.idf), ()
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


def _read_image(
    build: BuildFolder, chip: str | None
) -> tuple[BuildFolder, Image | None, tuple[str, ...]]:
    """The image, or what the ELF has of it. Beside another file, one that tells nothing is left
    out, with a note."""
    notes: tuple[str, ...] = ()
    if build.image is not None:
        try:
            return build, read_image(build.image), ()
        except InputError as error:
            if not (build.map or build.elf):
                raise
            notes = (f"{error.message}; it is not used",)
            build = replace(build, image=None)
    if build.elf is None:
        return build, None, notes
    named = chip or build.chip
    chips = (load_chip(named).name,) if named else chips_of(build.elf)
    image = image_in_elf(build.elf, chips)
    if image is not None and len(chips) > 1:
        about = f"{image.file} has the memory of an {load_chip(image.chip).title}: its table of it"
        notes += (f"{about} says so, as no file names the chip",)
    return build, image, notes


def _static(build: BuildFolder) -> Mapping[str, Path]:
    files = {"bin": build.image, "map": build.map, "elf": build.elf}
    return dict([(option, file) for option, file in files.items() if file is not None][:1])


def _use(build: BuildFolder, image: Image | None, chip: str | None) -> dict[str, StaticUse]:
    """The static use by each chip that the files may be of; by the map, which names components,
    where there is one."""
    static = build.map or build.elf
    if static is None:
        assert image is not None  # it was read, or is an error
        return {chip or image.chip: image.use}
    named = chip or build.chip or ("" if image is None else image.chip)
    return uses_of(static, load_chip(named).name if named else None)


def _same(
    chip: str, use: StaticUse, build: BuildFolder, image: Image | None
) -> tuple[BuildFolder, Image | None, tuple[str, ...]]:
    """The files that are of one build, that of the map where there is one; and notes."""
    notes, windows = [], read_windows(chip)
    elf = build.elf if build.map is not None else None
    if elf is not None and other_build(windows, use, read_static(elf, chip)):
        notes.append(f"{shown(elf)} is of another build, and is not used")
        build = replace(build, elf=None)
    if image is not None and other_build(windows, use, image.use):
        notes.append(f"{image.file} is of another build, and is not used")
        image = (
            None if build.image is None or build.elf is None else image_in_elf(build.elf, (chip,))
        )
        build = replace(build, image=None)
    return build, image, tuple(dict.fromkeys(notes))
