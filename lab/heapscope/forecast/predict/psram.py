"""PSRAM where the board has it. A configuration only says that the firmware can use it."""

from __future__ import annotations

from dataclasses import replace

from heapscope.base.errors import InputError
from heapscope.forecast.predict.memory_scene import PSRAM_SIZE, MemoryScene

_OPTION = "SPIRAM"


def on_board(scene: MemoryScene, size: int | None) -> tuple[MemoryScene, tuple[str, ...]]:
    """On a board with so many bytes of PSRAM, with notes. None: nothing tells. A board without it
    runs the same build: its other options keep their values. InputError: the build uses none."""
    if not scene.on(_OPTION):
        if size:
            raise InputError(
                f"--psram {size}: the configuration has no PSRAM",
                remedy="leave --psram out, or set CONFIG_SPIRAM=y where the chip has it",
            )
        return scene, ()
    if size is None:
        return scene, psram_notes(scene, "--psram gives its size, 0 that it has none")
    if size:
        return replace(scene, psram=size, _names={}), ()
    without = {**scene.instead, _OPTION: False, "PSRAM_BUILT": True}
    stops = () if _starts_without(scene) else (
        "the board has no PSRAM: without CONFIG_SPIRAM_IGNORE_NOTFOUND this firmware does not "
        "start on it",
    )  # fmt: skip
    return replace(scene, instead=without, _names={}), stops


def psram_notes(scene: MemoryScene, remedy: str) -> tuple[str, ...]:
    """The sentence that PSRAM counts because the configuration has it on."""
    if not scene.on(_OPTION):
        return ()
    without = (
        "; by CONFIG_SPIRAM_IGNORE_NOTFOUND the firmware starts without it, too"
        if _starts_without(scene)
        else ""
    )
    return (
        f"PSRAM counts, as CONFIG_SPIRAM is on{without}. The board is taken to have "
        f"{PSRAM_SIZE >> 20} MB: {remedy}",
    )


def _starts_without(scene: MemoryScene) -> bool:
    return scene.on("SPIRAM_IGNORE_NOTFOUND")
