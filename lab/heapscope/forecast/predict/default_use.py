"""The memory that a default build of a chip and a release takes, by its parts."""

from __future__ import annotations

import functools

from heapscope.config.config import Config
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, MemoryModel, default_statics
from heapscope.forecast.predict.part_table import APP_MAIN, MAP, Minor
from heapscope.memory.layout.chips import load_chip


@functools.lru_cache(maxsize=256)
def library_bytes(chip: str, minor: Minor, place: str) -> float:
    """Bytes of the libraries that every program has, in a default build, by linker maps; less code
    that the chip has other memory for."""
    statics = default_statics(chip, minor, place)
    static = load_chip(chip).data.static
    elsewhere = static.code_elsewhere if static is not None else 0
    return sum(each.taken for each in statics if each.part.kind == MAP) - elsewhere


@functools.lru_cache(maxsize=64)
def start_use(chip: str, minor: Minor) -> float:
    """Bytes that start-up allocates in a default build."""
    config = Config(chip=chip, sdk=f"{minor[0]}.{minor[1]}")
    held = MemoryModel(scene=MemoryScene(config=config, minor=minor)).held(APP_MAIN)
    return sum(each.taken for each in held if each.part.state == APP_MAIN and each.place == DRAM)
