"""A chip's memory as one build of an SDK version sees it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.config.chip_data import ChipData, MapEntry, RomAllocator, VersionData
from heapscope.config.releases import find_release
from heapscope.memory.layout.allocator import flavoured
from heapscope.memory.layout.build import Build
from heapscope.memory.layout.entry_conditions import entries_on
from heapscope.memory.layout.layout import Region
from heapscope.memory.layout.map_runs import holder


@dataclass(frozen=True, kw_only=True)
class Memory:
    """The map of a version, and which of its options the build has."""

    chip: ChipData
    version: VersionData
    cores: int
    rtc: bool
    protection: bool
    iram_8bit: bool
    psram: bool
    rom: RomAllocator | None = None  # what the build takes from the ROM
    flavour: str = ""
    options: Mapping[str, str] = field(default_factory=dict)

    @property
    def title(self) -> str:
        return f"{self.chip.title} under ESP-IDF {self.version.label}"

    @property
    def allocator(self) -> str:
        name = self.version.allocator_psram if self.psram else self.version.allocator
        if self.rom is not None:
            name = self.rom.allocator
            _check_tracking(self)
        return flavoured(name, self.flavour) if self.flavour else name

    def entries(self) -> Iterator[MapEntry]:
        """Those that are heap from the start: PSRAM is added later."""
        has = {"": True, "rtc": self.rtc, "unprotected": not self.protection, "psram": False}
        on = entries_on(self.version.map, self.options)
        for entry in self.version.map:
            if entry in on and has[entry.option] and entry.cores in (None, self.cores):
                yield entry

    def kind(self, entry: MapEntry) -> str:
        return entry.kind if self.protection else entry.names[-1]

    def caps(self, kind: str) -> tuple[int, int, int]:
        changed = {} if self.protection else self.version.unprotected
        first, second, third = changed.get(kind, self.version.kinds[kind])
        drop = 0 if self.iram_8bit else capabilities.IRAM_EIGHT_BIT
        return first & ~drop, second & ~drop, third & ~drop

    def holder(self, kind: str, start: int, size: int) -> MapEntry | None:
        """The first of the entries of one kind that hold this memory, side by side; options do not
        matter: what a device printed was there."""
        return holder(self.version, kind, start, size)

    def region(self, kind: str, start: int, size: int) -> Region:
        """Where the heap cannot be set up (some boards have 4 bytes between two drivers' reserved
        ranges), ESP-IDF goes without it: `optional`."""
        entry = self.holder(kind, start, size)
        return Region(
            start=start,
            size=size,
            kind=kind,
            caps=self.caps(kind),
            allocator=self.allocator,
            iram_alias=entry is not None and entry.iram_alias,
            startup_stack=entry is not None and entry.startup_stack,
            optional=True,
        )

    def in_list_order(self, regions: tuple[Region, ...]) -> tuple[Region, ...]:
        """The order in which the allocator tries them: that of the map, by size where the version
        does so. sorted() keeps the order of equals, as the SDK does."""

        def place(region: Region) -> tuple[int, int]:
            entry = self.holder(region.kind, region.start, region.size)
            table = self.version.map
            return table.index(entry) if entry else len(table), region.start

        listed = sorted(regions, key=place)
        by_size = self.version.order == "size"
        return tuple(sorted(listed, key=lambda r: r.size) if by_size else listed)


def memory_of(chip: ChipData, version: VersionData, build: Build, *, logged: bool) -> Memory:
    """InputError for options that this chip does not have. `logged`: a boot log tells the regions,
    and the number of cores only where it happened to."""
    cores = build.cores if build.cores is not None or logged else chip.cores
    if cores is not None and not 1 <= cores <= chip.cores:
        remedy = f"give 1 to {chip.cores}" if chip.cores > 1 else "leave --cores out: it has one"
        raise InputError(f"{chip.title} with {cores} cores", remedy=remedy)
    memory = Memory(
        chip=chip,
        version=version,
        cores=chip.cores if cores is None else cores,
        rtc=bool(version.rtc if build.rtc is None else build.rtc),
        protection=bool(version.protection if build.protection is None else build.protection),
        iram_8bit=build.iram_8bit,
        psram=build.psram is not None,
        rom=None if build.rom is False else chip.rom,
        flavour=build.flavour,
        options=build.options,
    )
    _check(memory, build, cores)
    return memory


def _check(memory: Memory, build: Build, cores: int | None) -> None:
    version = memory.version
    if build.rtc and not any(e.option == "rtc" and e.cores in (None, cores) for e in version.map):
        alone = any(e.option == "rtc" for e in version.map)
        raise InputError(
            f"{memory.title} has no RTC memory for the heap{' of two cores' if alone else ''}",
            remedy="add --cores 1" if alone else "leave --rtc out",
        )
    if build.protection is not None and version.protection is None:
        raise InputError(
            f"{memory.title} has no memory protection to switch", remedy="leave --memprot out"
        )
    has = any(caps[0] & capabilities.IRAM_EIGHT_BIT for caps in version.kinds.values())
    if build.iram_8bit and (not has or cores not in (None, 1)):
        raise InputError(
            f"{memory.title} has no byte access to IRAM{' with two cores' if has else ''}",
            remedy="add --cores 1" if has else "leave --iram-8bit out",
        )


def _check_tracking(memory: Memory) -> None:
    """From 5.2 on tracking without poisoning takes 4 bytes of a block, which no model of the older
    allocators in ROM has."""
    front = find_release(memory.version.name).order >= find_release("5.2").order
    if memory.rom is None or not front or memory.flavour != "+track":
        return
    if memory.rom.allocator.startswith("idf-4."):
        raise InputError(
            f"task tracking without poisoning on the allocator in the ROM of the "
            f"{memory.chip.title} is not modelled",
            remedy=f"give --allocator {memory.rom.allocator}: each block costs 4 bytes more than "
            "the replay then says",
        )
