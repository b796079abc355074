"""A layout: the regions and heaps of one firmware on one chip and SDK version."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.native.attempts import by_hardware
from heapscope.native.config import NO_ALIGNMENTS, HeldBlock, NativeHardware

REGIONS_MAX = 32
ADDRESS_END = 1 << 32


@dataclass(frozen=True, kw_only=True)
class Private:
    """Where the memory of a private heap comes from: a block of one of these regions, asked in
    turn; of those that malloc asks, where none is named; or memory of its own."""

    taken_from: tuple[int, ...] = ()
    own_memory: bool = False


@dataclass(frozen=True, kw_only=True)
class Region:
    """A contiguous piece of memory with one heap on it. Addresses and sizes in bytes."""

    start: int
    size: int
    kind: str
    caps: tuple[int, int, int]  # by priority
    allocator: str
    iram_alias: bool = False  # EXEC requests take 4 bytes more (ESP32 D/IRAM)
    startup_stack: bool = False  # holds start-up stacks; a heap only once the scheduler runs
    added: bool = False  # not in the chip's table: start-up adds it at the list's head
    startup_use: int = 0  # payload bytes that start-up takes, as one block
    optional: bool = False  # too small for its allocator: left without a heap, not an error
    blocks: tuple[HeldBlock, ...] = ()  # that its heap holds already; empty: it is new
    holes: tuple[int, ...] = ()  # addresses of free ones in the order in which they are taken
    private: Private | None = None  # a private heap, which only rules place blocks in

    @property
    def name(self) -> str:
        return f"{self.start:#010x} {self.kind}"

    @property
    def end(self) -> int:
        return self.start + self.size

    def overlaps(self, other: Region) -> bool:
        """They share memory."""
        return self.start < other.end and other.start < self.end

    @property
    def all_caps(self) -> int:
        """Over all priorities."""
        return self.caps[0] | self.caps[1] | self.caps[2]

    @property
    def word_only(self) -> bool:
        """Bytes of it cannot be read or written, only words."""
        return not self.all_caps & (capabilities.EIGHT_BIT | capabilities.IRAM_EIGHT_BIT)


@dataclass(frozen=True, kw_only=True)
class MallocRule:
    """How requests find their memory. The capabilities that plain malloc(n) asks for: `small` where
    n <= threshold, else `large`; then `fallback`. `hardware`: the alignments of other requests."""

    small: int
    threshold: int = ADDRESS_END - 1
    large: int = 0
    fallback: int = 0
    hardware: NativeHardware = NO_ALIGNMENTS

    def caps_of(self, caps: int) -> int:
        """The capabilities by which regions are tried for a request that names some."""
        return by_hardware(self.hardware, 0, caps).caps if caps else caps


@dataclass(frozen=True, kw_only=True)
class Tenant:
    """Blocks of the system itself, `count` of `size` bytes as requested, which the heaps hold from
    before the first event to the end. `task`: whose they are; `caps` 0: malloc's own rule."""

    task: str
    size: int
    count: int
    caps: int


@dataclass(frozen=True, kw_only=True)
class Layout:
    """Regions in the order in which the allocator tries them. `tenants`: in the order of their
    requests."""

    name: str  # for people: "ESP32, ESP-IDF 4.2"
    regions: tuple[Region, ...]
    malloc: MallocRule
    request_max: int = 0  # larger requests fail before any heap is asked; 0: no such rule
    chip: str = ""
    sdk: str = ""
    source: str = ""  # where the regions come from: a boot log, seed lines, a file
    notes: tuple[str, ...] = field(default=())  # what a reader must know ("static use assumed")
    tenants: tuple[Tenant, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """Memory kinds in order of first appearance; a region's kind index points here."""
        return tuple(dict.fromkeys(region.kind for region in self.regions))

    def with_allocators(self, name_of: Callable[[Region], str]) -> Layout:
        """The same regions with the allocators that `name_of` says."""
        placed = tuple(replace(region, allocator=name_of(region)) for region in self.regions)
        return replace(self, regions=placed)

    def check(self) -> None:
        """Raises InputError for regions that overlap, leave the address space or are too many."""
        if not self.regions:
            raise InputError(f"{self.source}: no region in it", remedy="give at least one region")
        if len(self.regions) > REGIONS_MAX:
            raise InputError(
                f"{self.source}: {len(self.regions)} regions, at most {REGIONS_MAX} are possible",
                remedy="merge neighbouring regions",
            )
        previous: Region | None = None
        for region in sorted(self.regions, key=lambda r: r.start):
            if region.end > ADDRESS_END:
                raise InputError(
                    f"{self.source}: region at {region.start:#010x} ends behind the 32-bit space",
                    remedy="check its length",
                )
            if previous is not None and region.start < previous.end:
                raise InputError(
                    f"{self.source}: regions at {previous.start:#010x} (length {previous.size}) "
                    f"and {region.start:#010x} overlap",
                    remedy="shorten the first or move the second",
                )
            previous = region
