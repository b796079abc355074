"""The memory that a configuration leaves to a program, as a layout to replay on: the chip's regions
behind the predicted static use, or those of the user's own image, with the system's blocks in them.

replay --load, predict --trace and tune --trace all ask this, so that they say the same. The layout
leaves what memory_states predicts of the state, to the byte as near as the allocator can: its heaps
are set up, what they report free is read, and the static use moves by the difference. It is there
because blocks are whole and a sum of parts is not, and because of what no part tells. The
regions of an image are facts and do not move: there the system has blocks more, or fewer.
"""

from __future__ import annotations

import functools
from collections.abc import Iterator
from dataclasses import dataclass, replace

from heapscope.base.capabilities import EIGHT_BIT, INTERNAL
from heapscope.base.errors import InputError
from heapscope.config.releases import find_release
from heapscope.forecast.predict.chip_memory import sram1_end
from heapscope.forecast.predict.memory_part import MUCH_UNEXPLAINED
from heapscope.forecast.predict.memory_scene import MemoryScene
from heapscope.forecast.predict.memory_states import DRAM, IRAM, MemoryModel
from heapscope.forecast.predict.part_table import BOOT
from heapscope.forecast.predict.tenants import tenants_of
from heapscope.memory.layout.build import POOL_SIZE, THRESHOLD, Psram
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout, Region, Tenant
from heapscope.memory.layout.versions import knows_version, version_of
from heapscope.native.reader import NativeReader
from heapscope.native.status import StatusError
from heapscope.simulation.replay.config import native_config
from heapscope.simulation.replay.unfit import unfit

#: Bytes by which what is left may differ.
NEAR = 8
_TRIES = 8
_SOURCE = "the chip's memory map, and the use of it that predict gives the configuration"
_SMALL = 64
_OTHER = "not explained"
_PIECE = 1024
_FLAVOURS = {
    "HEAP_POISONING_LIGHT": "+light",
    "HEAP_POISONING_COMPREHENSIVE": "+full",
    "HEAP_TASK_TRACKING": "+track",
}


@dataclass(frozen=True, kw_only=True, eq=False)
class SystemMemory:
    """`state`: its blocks are held during the whole trace."""

    model: MemoryModel
    state: str

    @property
    def left(self) -> int:
        """The bytes that are predicted to be left, 0 where it does not fit."""
        return max(0, round(self.model.free(self.state)[DRAM].median))

    @property
    def held(self) -> int:
        """The same at the lower end of the 80 % band."""
        free = self.model.free(self.state)[DRAM]
        return max(0, round(free.median - free.half_80))

    def layout(self, left: int | None = None) -> Layout:
        """That leaves so many bytes to the program, or as many as are predicted. InputError: the
        chip has not so much, or cannot be set up like this."""
        wanted = self.left if left is None else left
        if self.model.boot is not None:
            return self._of_image(wanted)
        scene, other = self.model.scene, 0
        memory, boot = scene.memory, self.model.at(self.state)
        used = memory.dram - round(boot.free(BOOT)[DRAM].median) - self._beyond
        static, code = max(0, used) & ~3, self._code(boot)
        best: tuple[int, int, Layout] | None = None  # blocks that move go past it and back
        for tried in range(_TRIES):
            built = self._layout(static, code, other)
            more = free_of(built) - wanted
            if more >= -_SMALL and (best is None or abs(more) < best[0]):
                best = abs(more), static, built
            if abs(more) <= NEAR:
                break
            # Too little for a block, or blocks that the allocator rounds go past it and back.
            if abs(more) < _SMALL << tried:
                static += more & ~3
            else:
                other += more
            if other < 0:
                static, other = max(0, static + (other & ~3)), 0
        if best is None:
            raise InputError(
                f"{built.name}: it has less than {wanted:,} bytes beside the system's",
                remedy="ask for less memory",
            )
        return self._noted(best[2], wanted, best[1])

    def _of_image(self, wanted: int) -> Layout:
        """The image's regions, with so many bytes left: the system has as many blocks as that."""
        built = self._layout(None, None, 0)
        if wanted > self.most() + _SMALL:
            raise InputError(
                f"{built.name}: it has less than {wanted:,} bytes beside the system's",
                remedy="ask for less memory",
            )
        other, best = 0, (abs(free_of(built) - wanted), built)
        for _ in range(_TRIES):
            more = free_of(built) - wanted
            best = min(best, (abs(more), built), key=lambda each: each[0])
            if abs(more) <= NEAR:
                break
            other += more
            built = self._layout(None, None, other)
        return self._noted(best[1], wanted, None)

    def most(self) -> int:
        """The bytes that could be left at most: without any static use; or, in an image's regions,
        as many as are predicted or as its blocks leave."""
        if self.model.boot is not None:
            return max(self.left, free_of(self._layout(None, None, 0)))
        return free_of(self._layout(0, 0 if self._has_code else None, 0))

    def behind(self, static: int, code: int) -> Layout:
        """The regions behind so many bytes of code and data, and of code in a memory of its own."""
        return self._layout(static, code if self._has_code else None, 0)

    def _fewer(self, given: int) -> Iterator[Tenant]:
        """The system's blocks without so many bytes of the last ones."""
        scene, kept = self.model.scene, []
        for each in reversed(self._tenants):
            block = int(scene.block(each.size))
            gone = min(each.count, given // block)
            given -= gone * block
            size = scene.largest_request(block - given) if given and gone < each.count else 0
            whole = each.count - gone - bool(size)
            kept += [replace(each, size=size, count=1)] if size else []
            kept += [replace(each, count=whole)] if whole else []
            given = 0 if size else given
        yield from reversed(kept)

    def _others(self, taken: int) -> tuple[Tenant, ...]:
        """Blocks that no part tells of, of 1 KB at most."""
        scene = self.model.scene
        whole, rest = divmod(taken, scene.block(_PIECE))
        blocks = ((_PIECE, int(whole)), (scene.largest_request(rest), 1))
        return tuple(
            Tenant(task=_OTHER, size=size, count=count, caps=INTERNAL | EIGHT_BIT)
            for size, count in blocks
            if size and count
        )

    def _code(self, boot: MemoryModel) -> int | None:
        """Bytes that code takes of a memory of its own; None: the chip has no such memory."""
        if not self._has_code:
            return None
        code = max(0, self.model.scene.memory.iram - round(boot.free(BOOT)[IRAM].median))
        whole = boot.all_cores_memory.iram
        return whole if abs(whole - code) < _SMALL else code  # too little for a heap

    @functools.cached_property
    def _beyond(self) -> int:
        """Bytes of SRAM1 that code has, at its upper end."""
        held = self.model.held(self.state)
        size = sum(each.bytes for each in held if each.is_ruled and each.place == DRAM)
        return round(size) + 3 & ~3

    @property
    def _has_code(self) -> bool:
        """Code has a memory of its own."""
        return self.model.scene.config.chip == "esp32"

    def _layout(self, static: int | None, code: int | None, other: int) -> Layout:
        scene, boot = self.model.scene, self.model.boot
        config = scene.config
        chip = load_chip(config.chip)
        name = f"{scene.minor[0]}.{scene.minor[1]}"
        patch = config.sdk if config.sdk.startswith(f"{name}.") else name
        named = (patch, name, config.sdk, chip.versions[0])  # as chip_memory takes a release
        idf = next(each for each in named if knows_version(chip.data, each))
        version = version_of(chip.data, find_release(idf))
        cores = int(scene.name("cores"))
        single = cores == 1 or not self._has_code
        rtc = version is not None and version.rtc is not None and single
        protects = version is not None and version.protection is not None
        end = sram1_end(config.chip, scene.minor)
        built = chip.layout(
            idf=idf,
            cores=cores,
            static_dram=static,
            static_iram=None
            if boot is not None
            else code
            if chip.data.static is None
            else chip.data.static.code_elsewhere,
            boot=boot,
            taken=((end - self._beyond, end),) if self._beyond and boot is None else (),
            psram=self._psram(),
            rtc=scene.memory.rtc > 0 if rtc and boot is None else None,
            protection=_switch(scene, "ESP_SYSTEM_MEMPROT") if protects else None,
            iram_8bit=single and scene.on("ESP32_IRAM_AS_8BIT_ACCESSIBLE_MEMORY"),
            rom=_switch(scene, "HEAP_TLSF_USE_ROM_IMPL"),
            flavour="".join(end for option, end in _FLAVOURS.items() if scene.on(option)),
            startup_use=0,
        )
        tenants = self._tenants if other >= 0 else tuple(self._fewer(-other))
        return replace(built, tenants=(*tenants, *self._others(max(0, other))))

    @functools.cached_property
    def _tenants(self) -> tuple[Tenant, ...]:
        return tenants_of(self.model, self.state)

    def _psram(self) -> Psram | None:
        scene = self.model.scene
        if not scene.on("SPIRAM"):
            return None
        if scene.value("SPIRAM_USE_MALLOC") is False:
            return Psram(size=scene.psram_size[0], threshold=None)
        return Psram(
            size=scene.psram_size[0],
            threshold=scene.number("SPIRAM_MALLOC_ALWAYSINTERNAL", THRESHOLD),
            reserve=scene.number("SPIRAM_MALLOC_RESERVE_INTERNAL", POOL_SIZE),
        )

    def _band(self, left: int) -> str:
        """The band; an amount that somebody chose has none."""
        free = self.model.free(self.state)[DRAM]
        lower, upper = (max(0, round(free.median + each * free.half_80)) for each in (-1, 1))
        return f" (80 %: {lower:,} to {upper:,})" if left == self.left and upper > lower else ""

    def _noted(self, layout: Layout, left: int, static: int | None) -> Layout:
        held: dict[str, int] = {}
        missing = -round(self.model.free(self.state)[DRAM].median)
        for tenant in layout.tenants:
            held[tenant.task] = held.get(tenant.task, 0) + tenant.size * tenant.count
        tasks = ", ".join(f"{task} {size:,}" for task, size in held.items())
        boot = self.model.boot
        short = (
            f"it does not fit: {missing:,} bytes of internal memory are missing in the state "
            f"{self.state}, so that no byte is left",
        )
        unnamed = (
            f"not explained: {held.get(_OTHER, 0):,} bytes of the system's blocks, of which no "
            "part tells",
        )
        stated = (
            *(short if missing > 0 else ()),
            *(unnamed if missing <= 0 and held.get(_OTHER, 0) > MUCH_UNEXPLAINED else ()),
            f"static use as predict has it: {static:,} bytes of DRAM"
            if boot is None
            else f"regions from {boot.file}",
            f"the system holds {sum(held.values()):,} bytes in the state {self.state}, during the "
            f"whole trace: {tasks}",
            f"{left:,} bytes of internal memory are left to the program{self._band(left)}",
        )
        own = tuple(note for note in layout.notes if not note.startswith("static use"))
        source = _SOURCE if boot is None else boot.file
        return replace(layout, source=source, notes=(*stated, *own))


def free_of(layout: Layout) -> int:
    """The internal memory that the heaps of a layout report as free before the first event."""
    layout.check()
    config = native_config(layout, needs=(), capsets=(), buckets=0)
    try:
        with NativeReader(config) as reader:
            rows = zip(reader.regions(), layout.regions, strict=True)
            return sum(row.reported_free for row, region in rows if _counts(region))
    except StatusError as error:
        raise unfit(error, layout, config) from None


def _counts(region: Region) -> bool:
    """malloc gives it, which never gives IRAM, or it is the pool that Wi-Fi, stacks and DMA draw on
    beside it; and it is on the chip."""
    return bool(region.all_caps & EIGHT_BIT) and region.kind != "SPIRAM"


def _switch(scene: MemoryScene, option: str) -> bool | None:
    """None: as in a default build."""
    value, stated = scene.value(option), option in scene.instead or scene.config.given(option)
    return value if isinstance(value, bool) and stated else None
