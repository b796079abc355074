"""Rules that send requests to regions, private heaps and pools: what `--place` asks for."""

from __future__ import annotations

from dataclasses import dataclass, replace

from heapscope.base.errors import InputError
from heapscope.memory.layout.layout import ADDRESS_END, REGIONS_MAX, Layout, Private, Region

RULES_MAX = 64  # HS_LAB_RULES_MAX
SIZE_MAX = ADDRESS_END - 1

HIGH = "the high end"  #: the target of a rule that names an end and no region
STACKS = "where bytes are: no stack of a task in IRAM"  #: of the rule that keeps them out

#: Alignments that a pool of fixed blocks can have.
ALIGNMENTS = tuple(1 << power for power in range(2, 13))
BLOCK_MAX = COUNT_MAX = 1 << 20  # HS_FIXED_BLOCK_MAX, HS_FIXED_COUNT_MAX

Patterns = tuple[str | int, ...]  # names or globs; a number: the index itself


@dataclass(frozen=True, kw_only=True)
class PrivateHeap:
    """A heap, or a pool of fixed blocks, that only rules place blocks in. Its memory is a block
    that is taken from a region at start-up, or, with a `start`, memory that no region has."""

    name: str
    size: int
    allocator: str
    taken_from: tuple[int, ...] = ()  # regions of the layout, in turn; (): as malloc would
    start: int | None = None
    fixed: bool = False  # a pool of fixed blocks, whose allocator's name tells their size

    @property
    def kind(self) -> str:
        return f"{'pool' if self.fixed else 'private'} {self.name}"

    def region(self) -> Region:
        """Without capabilities, so that no request finds it by them."""
        return Region(
            start=self.start or 0,
            size=self.size,
            kind=self.kind,
            caps=(0, 0, 0),
            allocator=self.allocator,
            private=Private(taken_from=self.taken_from, own_memory=self.start is not None),
        )


@dataclass(frozen=True, kw_only=True)
class PlacementRule:
    """All conditions must hold; None: any. Sizes in bytes, both ends included."""

    number: int  # from 1, as in the file
    regions: tuple[
        int, ...
    ]  # of the placed layout, asked in list order; (): the capabilities decide
    target: str  # as the user named it: "DRAM", "private tls", "pool small", or HIGH alone
    fallback: bool
    tasks: Patterns | None = None
    sites: Patterns | None = None
    heaps: Patterns | None = None
    high: bool = False  # from the high end of a free block, where a heap has two ends
    size_min: int = 0
    size_max: int = SIZE_MAX

    @property
    def conditions(self) -> str:
        """For people: "task wifi or tcpip, size 0 to 64"; "everything" without any."""
        names = {"task": self.tasks, "site": self.sites, "heap": self.heaps}
        parts = [f"{noun} {' or '.join(map(str, p))}" for noun, p in names.items() if p is not None]
        if (self.size_min, self.size_max) == (0, SIZE_MAX):
            return ", ".join(parts) or "everything"
        if self.size_max == SIZE_MAX:
            return ", ".join([*parts, f"size from {self.size_min:,}"])
        return ", ".join([*parts, f"size {self.size_min:,} to {self.size_max:,}"])


@dataclass(frozen=True, kw_only=True)
class Placement:
    """The rules of one file for one layout."""

    file: str
    rules: tuple[PlacementRule, ...]
    heaps: tuple[PrivateHeap, ...] = ()

    @property
    def by_name(self) -> bool:
        """Whether a rule asks for names, which are all known only when the trace was read."""
        return any(
            patterns is not None
            for rule in self.rules
            for patterns in (rule.tasks, rule.sites, rule.heaps)
        )

    def apply(self, layout: Layout) -> Layout:
        """The layout with the private heaps and pools behind its regions. They lie inside of
        others, so Layout.check() is for the layout before."""
        regions = layout.regions + tuple(heap.region() for heap in self.heaps)
        if len(regions) > REGIONS_MAX:
            raise InputError(
                f"{self.file}: {len(self.heaps)} private heaps and pools, and "
                f"{len(layout.regions)} regions, at most {REGIONS_MAX} heaps are possible",
                remedy="leave some private heaps or pools out",
            )
        return replace(layout, name=f"{layout.name}, placed by {self.file}", regions=regions)
