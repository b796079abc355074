"""The device's own dynamic use on the memory that a configuration leaves it."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapscope.config.config import Config
from heapscope.layout.build import Psram
from heapscope.layout.chips import load_chip
from heapscope.layout.layout import Layout
from heapscope.layout.releases import find_release
from heapscope.layout.versions import version_of
from heapscope.measure.result import ReplayResult
from heapscope.predict.config_knobs import enabled, integer
from heapscope.predict.knob_layout import with_code
from heapscope.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.predict.memory_states import MemoryModel
from heapscope.predict.part_table import BOOT
from heapscope.replay.run import ReplayProgress, replay

#: No option names the size of PSRAM: this is a common module's.
_PSRAM = 4 << 20
_FLAVOURS = {
    "HEAP_POISONING_LIGHT": "+light",
    "HEAP_POISONING_COMPREHENSIVE": "+full",
    "HEAP_TASK_TRACKING": "+track",
}


def replayed(trace: Path, config: Config, progress: ReplayProgress | None = None) -> ReplayResult:
    """InputError: the trace or the layout cannot be used."""
    return replay(trace, layout_of(config), progress=progress)


def layout_of(config: Config) -> Layout:
    """The chip's regions with the allocator of this build. Static use is that of a default
    firmware, but for the code that this configuration has more or less of in IRAM."""
    chip = load_chip(config.chip)
    flavour = "".join(end for option, end in _FLAVOURS.items() if enabled(config, option))
    version = version_of(chip.data, find_release(config.sdk))
    single = chip.name != "esp32" or enabled(config, "FREERTOS_UNICORE")
    has_rtc = single and version is not None and version.rtc is not None
    has_protection = version is not None and version.protection is not None
    layout = chip.layout(
        idf=config.sdk,
        cores=1 if chip.name == "esp32" and enabled(config, "FREERTOS_UNICORE") else None,
        psram=_psram(config),
        rtc=_switch(config, "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP") if has_rtc else None,
        protection=_switch(config, "ESP_SYSTEM_MEMPROT") if has_protection else None,
        iram_8bit=enabled(config, "ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY"),
        flavour=flavour,
    )
    default = replace(config, settings={}, all_settings=(), _found={}, _open=set())
    more = _code(config) - _code(default)
    return with_code(layout, more) if more else layout


def _code(config: Config) -> int:
    """Bytes in IRAM that the options put there, of a firmware with Wi-Fi."""
    scene = MemoryScene(config=config, minor=minor_of_config(config), links=("wifi",))
    held = MemoryModel(scene=scene).held(BOOT)
    return round(sum(each.bytes for each in held if each.part.memory == "code"))


def _switch(config: Config, option: str) -> bool | None:
    """None: as in a default build."""
    value = config.value(option)
    if not isinstance(value, bool) or not config.given(option):
        return None
    return value


def _psram(config: Config) -> Psram | None:
    if not enabled(config, "SPIRAM"):
        return None
    if not enabled(config, "SPIRAM_USE_MALLOC"):
        return Psram(size=_PSRAM, threshold=None)
    return Psram(
        size=_PSRAM,
        threshold=integer(config, "SPIRAM_MALLOC_ALWAYSINTERNAL", 16_384),
        reserve=integer(config, "SPIRAM_MALLOC_RESERVE_INTERNAL", 32_768),
    )
