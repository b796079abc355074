"""A file of a build that contradicts the configuration which is given with it.

Only what is sure: a release, a memory, a radio, code that the linker placed where the configuration
does not place it. A file that contradicts nothing may still be of another build.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.config.releases import find_release
from heapscope.forecast.predict.chip_memory import RTC
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.part_table import minor_number
from heapscope.memory.static.use import StaticUse

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image

_RTC_HEAP = "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP"
_SRAM1 = "ESP_SYSTEM_ESP32_SRAM1_REGION_AS_IRAM"


@dataclass(frozen=True, kw_only=True)
class _Linked:
    """Archives with at least so many bytes in RAM, of code alone or of all, are in no build whose
    configuration `lacks` them. In public builds' maps FreeRTOS has 5.9 to 19 KB of code in IRAM
    by default, and none of these archives a byte without its option."""

    archives: tuple[str, ...]
    least: int
    code: bool
    option: str
    lacks: Callable[[MemoryScene], bool]
    what: str


_ARCHIVES = (
    _Linked(
        archives=("libbtdm_app.a", "libble_app.a"),
        least=2048,
        code=False,
        option="BT_ENABLED",
        lacks=lambda scene: not scene.on("BT_ENABLED"),
        what="Bluetooth's controller",
    ),
    _Linked(
        archives=("liblwip.a",),
        least=4096,
        code=True,
        option="LWIP_IRAM_OPTIMIZATION",
        lacks=lambda scene: (
            not (scene.on("LWIP_IRAM_OPTIMIZATION") or scene.on("LWIP_EXTRA_IRAM_OPTIMIZATION"))
        ),
        what="lwIP's code in RAM",
    ),
    _Linked(
        archives=("libfreertos.a",),
        least=9000,
        code=True,
        option="FREERTOS_PLACE_FUNCTIONS_INTO_FLASH",
        lacks=lambda scene: scene.on("FREERTOS_PLACE_FUNCTIONS_INTO_FLASH"),
        what="FreeRTOS's code in RAM",
    ),
)


@dataclass(frozen=True, kw_only=True)
class _Marked:
    """Objects or symbols in RAM that match are in each build that `has` it, and in no other: so it
    is in 49 public builds' maps of ESP-IDF 4.1 to 6.0 with their configurations. `maps`: an ELF,
    which names no archives, does not tell."""

    pattern: re.Pattern[str]
    has: Callable[[MemoryScene], bool]
    option: str
    what: str
    maps: bool = True


_HEAP = "libheap.a"
_EACH = {"libfreertos.a", _HEAP}  # of every whole map
_POISONS = ("HEAP_POISONING_LIGHT", "HEAP_POISONING_COMPREHENSIVE")
_MARKS = (
    _Marked(
        pattern=re.compile(r"libesp_(common|ipc|system)\.a (\w+_)?ipc[_.]"),
        has=lambda scene: scene.name("cores") != 1,
        option="FREERTOS_UNICORE",
        what="code of a second core",
    ),
    _Marked(
        pattern=re.compile(r" call_start_cpu1$"),
        has=lambda scene: scene.name("cores") != 1,
        option="FREERTOS_UNICORE",
        what="code of a second core",
        maps=False,
    ),
    _Marked(
        pattern=re.compile(r"libesp_psram\.a |lib(esp\w*|spiram)\.a \w*sp?i?ram\w*\.(c|S)\.o"),
        has=lambda scene: scene.on("SPIRAM"),
        option="SPIRAM",
        what="code of PSRAM",
    ),
    _Marked(
        pattern=re.compile(r"libheap\.a multi_heap_poisoning\."),
        has=lambda scene: any(map(scene.on, _POISONS)),
        option="HEAP_POISONING_DISABLED",
        what="code of heap poisoning",
    ),
)
#: Archives by the release from which on each has a part in RAM of such a map, and of any.
_SINCE = {"libesp_driver_gpio.a": (5, 3), "libesp_security.a": (5, 4), "libesp_mm.a": (5, 1)}
_ALWAYS = {"libesp_mm.a": (5, 2)}


def differs_from_image(image: Image, scene: MemoryScene) -> Iterator[str]:
    """Sentences, each about one thing that cannot be of this configuration."""
    try:
        minor = find_release(image.idf).minor
    except InputError:
        minor = ""
    if minor and not minor.startswith("head") and minor_number(minor) != scene.minor:
        yield _sentence(
            image.file, f"it was built with ESP-IDF {printable(image.idf)}", scene, scene.config.sdk
        )
    if any(each.kind in RTC for each in image.regions) and not scene.memory.rtc:
        yield _sentence(image.file, "it gives RTC memory to the heap", scene, _RTC_HEAP)


def differs_from_use(use: StaticUse, scene: MemoryScene) -> Iterator[str]:
    """The same of an ELF or a map that names its archives."""
    for each in _ARCHIVES:
        size = sum(
            piece.size
            for piece in use.pieces
            if piece.component in each.archives
            and (use.sections[piece.section].role == "code" or not each.code)
        )
        if size >= each.least and each.lacks(scene):
            yield _sentence(use.file, f"it has {each.what}, {size:,} bytes", scene, each.option)
    beyond = use.bytes_of("D/IRAM", role="code")
    if scene.config.chip == "esp32" and beyond and not scene.on(_SRAM1):
        option = scene.config.sdk if scene.value(_SRAM1) is None else _SRAM1
        yield _sentence(use.file, f"it has {beyond:,} bytes of code in SRAM1", scene, option)
    names = {f"{piece.component} {piece.symbol}" for piece in use.pieces}
    names |= {f"{each.component} {each.member}" for each in use.pulled if each.component == _HEAP}
    archives = {piece.component for piece in use.pieces}
    maps = archives >= _EACH  # else what is not there tells nothing
    if not maps and not any(name.endswith(" call_start_cpu0") for name in names):
        return
    for mark in _MARKS:
        there = any(map(mark.pattern.search, names))
        if mark.maps == maps and there != mark.has(scene):
            has = f"it has {'' if there else 'no '}{mark.what}"
            yield _sentence(use.file, has, scene, mark.option)
    if maps:
        yield from _of_release(use.file, archives, scene)


def _of_release(file: str, archives: Collection[str], scene: MemoryScene) -> Iterator[str]:
    later = [each for each, since in _SINCE.items() if each in archives and scene.minor < since]
    gone = [each for each, of in _ALWAYS.items() if each not in archives and scene.minor >= of]
    if later or gone:
        what = f"it has {later[0]}" if later else f"it has no {gone[0]}"
        yield _sentence(file, what, scene, scene.config.sdk)


def _sentence(file: str, what: str, scene: MemoryScene, option: str) -> str:
    stated = scene.value(option)
    name = f"ESP-IDF {option}" if stated is None else f"CONFIG_{option}={_text(stated)}"
    return f"{file} is of another build than the configuration: {what}, and the latter has {name}"


def _text(value: object) -> str:
    return {True: "y", False: "n"}.get(value, str(value)) if isinstance(value, bool) else str(value)
