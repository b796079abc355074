"""The heap at the start by the ELF or the linker map of a build, beside that of its image, whose
tables have the heap's regions as the start-up prints them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.config.config import read_files, settle
from heapscope.forecast.predict.memory_scene import MemoryScene, minor_of_config
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.static_use import KnownStatic, static_use
from heapscope.memory.static.read import read_image
from heapscope.trace.things.folder_kinds import build_of, entries

_IRAM_CHIP = "esp32"  # code has a memory of its own


@dataclass(frozen=True, kw_only=True)
class BuiltFile:
    """Bytes by the image and by the file; `unlike`: the file contradicts the configuration."""

    path: Path
    image: tuple[int, int]
    file: tuple[int, int]
    unlike: tuple[str, ...]

    @property
    def exact(self) -> bool:
        return self.image == self.file


def built_files(folder: Path) -> Iterator[BuiltFile]:
    """Each ELF and each map beneath a folder that lies beside the image of its build."""
    for path in sorted(each.parent for each in folder.rglob("*.bin")):
        build = build_of(path)
        if build.image is None or not (build.elf or build.map):
            continue
        image = read_image(build.image)
        named = build.sdkconfig or _beside(path)
        config = settle(
            () if named is None else read_files([named]), chip=image.chip, sdk=image.idf
        )
        scene = MemoryScene(config=config, minor=minor_of_config(config, image.idf))
        truth = _free(scene, static_use(scene, bin=build.image))
        for each in (build.elf, build.map):
            if each is not None:
                known = static_use(scene, elf=each)
                yield BuiltFile(
                    path=each, image=truth, file=_free(scene, known), unlike=known.unlike
                )


def _beside(path: Path) -> Path | None:
    names = entries(path.parent, str(path.parent))
    return path.parent / "sdkconfig" if "sdkconfig" in names else None


def _free(scene: MemoryScene, known: KnownStatic) -> tuple[int, int]:
    free = MemoryModel(scene=scene, **vars(known)).free(BOOT)
    iram = free[IRAM].median if scene.config.chip == _IRAM_CHIP else 0
    return round(free[DRAM].median), round(iram)
