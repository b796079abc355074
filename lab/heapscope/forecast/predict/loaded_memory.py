"""The memory that a configuration leaves, with the system's own blocks in it: --load."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.base.sizes import parse_size
from heapscope.config.chosen_config import choose_config, left_out
from heapscope.forecast.predict.forecast import with_own
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import MemoryModel
from heapscope.forecast.predict.own_board import measured_of
from heapscope.forecast.predict.psram import on_board
from heapscope.forecast.predict.static_use import static_use
from heapscope.forecast.predict.system_load import parse_load, twice
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.options import MemoryOptions
from heapscope.memory.static_choice import ChosenMemory, choose_static

#: Options that go with --load; the configuration says what the others would.
_BESIDE = ("chip", "idf", "sdkconfig", "static_dram", "elf", "map", "bin", "psram", "place", "load")


def loaded_memory(options: MemoryOptions, trace: Path | None) -> ChosenMemory:
    """Just what predict says of the configuration. InputError: an input cannot be used."""
    load, file = parse_load(str(options.get("load"))), options.get("sdkconfig")
    if file is None:
        raise InputError(
            "--load without a configuration, which tells what the system takes",
            remedy="add --sdkconfig F, the firmware's sdkconfig",
        )
    for name in options:
        if name not in _BESIDE:
            raise InputError(
                f"--load and {flag(name)} cannot be used together",
                remedy=f"leave {flag(name)} out; these go with --load: "
                f"{', '.join(map(flag, _BESIDE[:-1]))}",
            )
    chip, idf = options.get("chip"), options.get("idf")
    chosen = choose_config([file], chip=chip, idf=idf)
    config = chosen.config
    own, stated = measured_of([Path(file)], measured=None, no_measured=False, chip=chip, idf=idf)
    minor = minor_of_config(config, idf)
    scene = MemoryScene(config=config, minor=minor, demand=load.demand)
    scene, board = on_board(scene, _bytes(options, "psram"))
    model = MemoryModel(
        scene=scene,
        **vars(
            static_use(
                scene,
                elf=options.get("elf"),
                map=options.get("map"),
                bin=options.get("bin"),
                static_dram=_bytes(options, "static_dram"),
            )
        ),
    )
    memory = load.memory(with_own(model, own))
    layout, notes = (
        memory.layout(),
        (
            *chosen.notes,
            *left_out(config),
            *board,
            *model.unlike,
            *stated,
        ),
    )
    if trace is not None and not load.traced:
        notes += twice(trace, remedy=f"--load {options.get('load')},traced")
    return ChosenMemory(
        layout=replace(layout, notes=(*notes, *layout.notes)),
        static=choose_static(options, load_chip(config.chip)),
    )


def _bytes(options: MemoryOptions, name: str) -> int | None:
    stated = {**options}.get(name)
    return None if stated is None else parse_size(str(stated), what=flag(name))
