"""The memory that a configuration leaves, with the system's own blocks in it: --sdkconfig, and
--load for the work that the system does beside the trace."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.sizes import parse_size
from heapscope.config.chosen_config import choose_config, left_out
from heapscope.config.read_file import read_config_file
from heapscope.config.value import Value
from heapscope.forecast.predict.forecast import with_own
from heapscope.forecast.predict.memory_part import not_explained
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.own_board import measured_of
from heapscope.forecast.predict.psram import on_board
from heapscope.forecast.predict.static_use import static_use
from heapscope.forecast.predict.system_load import NO_LOAD, parse_load, twice
from heapscope.memory.choose import (
    allocators_of,
    given_cores,
    given_switch,
    recorded_device,
    without_allocator,
)
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.region_names import with_allocators
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory, choose_static

#: Options that are an option of the configuration under another name.
_SWITCHES = {
    "rtc": "ESP_SYSTEM_ALLOW_RTC_FAST_MEM_AS_HEAP",
    "memprot": "ESP_SYSTEM_MEMPROT",
    "iram_8bit": "ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY",
}
_PSRAM_SIZES = {
    "psram_threshold": "SPIRAM_MALLOC_ALWAYSINTERNAL",
    "psram_reserve": "SPIRAM_MALLOC_RESERVE_INTERNAL",
}


def loaded_memory(options: MemoryOptions, trace: Path | None) -> ChosenMemory:
    """Just what predict says of the configuration. InputError: an input cannot be used."""
    stated = options.get("load")
    load, file = parse_load(NO_LOAD if stated is None else str(stated)), options.get("sdkconfig")
    if file is None:
        raise InputError(
            "--load without a configuration, which tells what the system takes",
            remedy="add --sdkconfig F, the firmware's sdkconfig",
        )
    if options.get("boot_log") is not None:
        raise InputError(
            "--load and --boot-log cannot be used together",
            remedy="leave --boot-log out, whose regions have no system's blocks; or --load",
        )
    without_allocator(options)
    chip, idf, named = _device(options, Path(file), trace)
    chosen = choose_config([file], chip=chip, idf=idf)
    config = chosen.config
    own, known = measured_of([Path(file)], measured=None, no_measured=False, chip=chip, idf=idf)
    scene = MemoryScene(config=config, minor=minor_of_config(config, idf), demand=load.demand)
    scene, board = on_board(scene, _bytes(options, "psram"))
    scene = replace(scene, instead={**scene.instead, **dict(_instead(options, scene))}, _names={})
    static = static_use(
        scene,
        elf=options.get("elf"),
        map=options.get("map"),
        bin=options.get("bin"),
        static_dram=_bytes(options, "static_dram"),
    )
    if (code := _bytes(options, "static_iram")) is not None:
        static = static.with_code(code, load_chip(config.chip).data)
    model = with_own(MemoryModel(scene=scene, **vars(static)), own)
    layout = load.memory(model).layout()
    notes = (
        *not_explained(model),
        *named,
        *chosen.notes,
        *left_out(config),
        *board,
        *model.unlike,
        *known,
    )
    if trace is not None and load.works and not load.traced:
        notes += twice(trace, remedy=f"--load {stated},traced")
    layout = replace(layout, notes=(*notes, *layout.notes))
    allocators = allocators_of(options)
    return ChosenMemory(
        layout=layout if allocators is None else with_allocators(layout, allocators),
        static=choose_static(options, load_chip(config.chip)),
    )


def _device(
    options: MemoryOptions, file: Path, trace: Path | None
) -> tuple[str | None, str | None, tuple[str, ...]]:
    """Chip and release that an option or the trace names where the file does not, with notes."""
    chip, idf = options.get("chip"), options.get("idf")
    if chip is not None or read_config_file(file).stated("IDF_TARGET"):
        return chip, idf, ()
    recorded, sdk = recorded_device(options, trace)
    if not recorded:
        return None, idf, ()
    return recorded, idf or sdk, (f"chip {recorded}, as recorded in the trace",)


def _instead(options: MemoryOptions, scene: MemoryScene) -> Iterator[tuple[str, Value]]:
    """Options that count more than the configuration, as values of it."""
    given = {**options}
    if (cores := given_cores(options)) is not None:
        yield "FREERTOS_UNICORE", cores == 1
    for name, option in _SWITCHES.items():
        if (switch := given_switch(options, name)) is not None:
            yield option, switch
    for name, option in _PSRAM_SIZES.items():
        if given.get(name) is None:
            continue
        if not scene.on("SPIRAM"):
            raise InputError(
                f"{flag(name)} without PSRAM",
                remedy="leave it out, or set CONFIG_SPIRAM=y where the chip has it",
            )
        if str(given[name]) == "off" and name == "psram_threshold":
            yield "SPIRAM_USE_MALLOC", False
        elif (size := _bytes(options, name)) is not None:
            yield option, size


def _bytes(options: MemoryOptions, name: str) -> int | None:
    stated = {**options}.get(name)
    return None if stated is None else parse_size(str(stated), what=flag(name))
