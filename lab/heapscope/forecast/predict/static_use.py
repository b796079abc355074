"""The static use of a firmware as the memory model takes it: by a file of its build, or told."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from heapscope.base.errors import InputError
from heapscope.config.chip_data import ChipData
from heapscope.config.config import Config
from heapscope.forecast.predict.chip_memory import CODE, RTC, heap_base
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.other_build import differs_from_image, differs_from_use
from heapscope.forecast.predict.part_table import NET, parts_in
from heapscope.memory.layout.boot_log import BootLog
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.static.heap_start import heap_start
from heapscope.memory.static.read import read_image, read_static
from heapscope.memory.static.use import PADDING, UNNAMED, Section, StaticUse

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image

#: Archives of Bluetooth's controller, and its symbols.
_CONTROLLER = re.compile(
    r"lib(btdm_app|btdm_common|bt)\.a|btdm_|r_(ld|lc|llm|llc)_|esp_bt_controller"
)
#: The archives of what a program can link, and symbols that they have in RAM.
_ARCHIVES = {
    "wifi": re.compile(r"lib(net80211|pp)\.a|(g_ic|wDevCtrl)$"),
    "ble": _CONTROLLER,
    NET: re.compile(r"liblwip\.a|(netif_list|tcp_active_pcbs)$"),
}
_LEAST_KEPT = 8192  # bytes; alignment leaves less
#: Parts of caches at the upper end of the memory of data. That of an ESP32-P4 lies in front of the
#: data from revision 3 on, which begin behind this address then.
_CACHES_BEHIND = ("s3-dcache", "p4-l2")
_P4_BEHIND = 0x4FF4_0000


@dataclass(frozen=True, kw_only=True)
class KnownStatic:
    """Bytes; None: not known. `static_dram`: all code and data in the memory that malloc serves.
    `linked`: the radios and networks that the file has; `boot`: the heap's regions, where an image
    tells them; `unlike`: sentences about what the file contradicts in the configuration."""

    static_dram: int | None = None
    static_iram: int | None = None
    linked: frozenset[str] | None = None
    boot: BootLog | None = None
    unlike: tuple[str, ...] = ()

    def with_code(self, code: int, data: ChipData) -> KnownStatic:
        """With so many bytes of code in IRAM. InputError: the data beside it is not known."""
        if data.static is None:  # code has a memory of its own
            return replace(self, static_iram=code)
        if self.static_dram is None:
            raise InputError(
                f"--static-iram alone: code and data of the {data.title} share a memory",
                remedy="give --static-dram, too",
            )
        shared = max(0, code - data.static.code_elsewhere)
        return replace(self, static_dram=self.static_dram + shared)


def static_use(
    scene: MemoryScene,
    *,
    elf: str | Path | None = None,
    map: str | Path | None = None,
    bin: str | Path | None = None,
    static_dram: int | None = None,
) -> KnownStatic:
    """InputError: a file cannot be read, or several say what is static."""
    matches = [each for each in (elf, map, bin, static_dram) if each is not None]
    if len(matches) > 1:
        raise InputError(
            "--elf, --map, --bin and --static-dram all say what is static",
            remedy="give one of them",
        )
    if static_dram is not None and static_dram < 0:
        raise InputError("--static-dram is below 0", remedy="give bytes, as `idf.py size` has them")
    chip, minor = scene.config.chip, scene.minor
    if bin is not None:
        return _of_image(read_image(bin), scene)
    path = elf if elf is not None else map
    if path is None:
        more = 0 if static_dram is None else _larger_caches(scene)
        return KnownStatic(static_dram=None if static_dram is None else static_dram + more)
    data = load_chip(chip).data
    use = read_static(path, chip)
    start, linked = heap_start(use, data), _linked(use)
    unlike = tuple(differs_from_use(use, scene))
    if data.static is None:  # code has a memory of its own
        free = _kept_for_bluetooth(use, data)
        return KnownStatic(
            static_dram=start.static_dram - free,
            static_iram=start.static_iram + _beyond_iram(use),
            linked=linked,
            unlike=unlike,
        )
    code = max(0, start.static_iram - data.static.code_elsewhere)
    before = max(0, data.static.base - heap_base(chip, minor))  # memory of smaller caches
    lowest = min((each.start for each in use.sections if each.start and _shared(each)), default=0)
    cache = _larger_caches(scene) if lowest < _P4_BEHIND else 0
    taken = start.static_dram + code + before + start.behind + cache
    return KnownStatic(static_dram=taken, linked=linked, unlike=unlike)


def _shared(section: Section) -> bool:
    return section.kind == "D/IRAM"


def _larger_caches(scene: MemoryScene) -> int:
    """Bytes that caches behind the heap have more than in a default build: no file of a build has
    them, and no start of a heap shows them."""
    chip, minor = scene.config.chip, scene.minor
    usual = MemoryScene(config=Config(chip=chip, sdk=scene.config.sdk), minor=minor)
    caches = [part for part in parts_in(chip, minor) if part.id in _CACHES_BEHIND]
    return round(sum(part.size(scene) - part.size(usual) for part in caches))


def _beyond_iram(use: StaticUse) -> int:
    """Bytes of code in SRAM1, which those of IRAM go on into."""
    return use.bytes_of("D/IRAM", role="code")


def _linked(use: StaticUse) -> frozenset[str] | None:
    """None: the file names nothing."""
    names = {piece.component or piece.symbol for piece in use.pieces} - {"", UNNAMED, PADDING}
    found = (link for link, archive in _ARCHIVES.items() if any(map(archive.match, names)))
    return frozenset(found) if names else None


def _of_image(image: Image, scene: MemoryScene) -> KnownStatic:
    """The chip's memory less what the image leaves: its own regions count, whatever holds the
    rest."""
    if image.chip != scene.config.chip:
        raise InputError(
            f"{image.file}: an image of {image.chip}, but the configuration is of "
            f"{scene.config.chip}",
            remedy="give the image that was built with this configuration",
        )
    memory = scene.memory
    code = sum(each.size for each in image.regions if each.kind in CODE)
    left = sum(each.size for each in image.regions if each.kind not in (*CODE, *RTC))
    return KnownStatic(
        static_dram=memory.dram - left,
        static_iram=memory.iram - code,
        linked=image.links,
        boot=image.boot,
        unlike=tuple(differs_from_image(image, scene)),
    )


def _kept_for_bluetooth(use: StaticUse, data: ChipData) -> int:
    """Bytes in front of the data that the linker script of an ESP32 leaves to the controller's, and
    that are heap where nothing has linked the controller."""
    if any(_CONTROLLER.match(piece.component or piece.symbol) for piece in use.pieces):
        return 0
    base = next(each.static_base for each in data.default_regions if each.static == "dram")
    starts = [each.start for each in use.sections if each.kind == "DRAM" and each.start is not None]
    before = min(starts, default=base) - base
    return before if before >= _LEAST_KEPT and use.pieces else 0
