"""The facts of the memory that a log's addresses lie in: the chip's kinds and capabilities."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.base import capabilities
from heapscope.base.errors import InputError
from heapscope.config.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.config.releases import find_release, finished
from heapscope.logs.reader.state import StateRegion
from heapscope.memory.layout.versions import nearest_minor, version_of

#: Capabilities of the pool that PSRAM keeps back inside internal memory, unless a chip says
#: otherwise. malloc cannot use it (v4.2 to v5.5).
_POOL_CAPS = (0, capabilities.parse("DMA|INTERNAL"), capabilities.parse("8BIT|32BIT"))
_MINOR = re.compile(r"v?([0-9]{1,2}\.[0-9]{1,2})\b")
#: The capabilities of every chip's memory for malloc.
_PLAIN = capabilities.parse("8BIT|32BIT|INTERNAL|DEFAULT")


@dataclass(frozen=True, kw_only=True)
class RegionKind:
    """`caps` by priority; None: the chip, or the address in it, is not known."""

    name: str  # "D/IRAM", "DMA pool"; "": not known
    caps: tuple[int, int, int] | None = None
    iram_alias: bool = False

    @property
    def all_caps(self) -> int:
        first, second, third = self.caps or (0, 0, 0)
        return first | second | third


class LoggedMemory:
    """Kinds by address. `idf`: the version as the log tells it, or empty; `version`: the data of
    the chip for it, or for the release nearest to it."""

    def __init__(self, chip: ChipData | None, idf: str) -> None:
        self.chip = chip
        self.version = None if chip is None else _nearest(chip, idf)

    def kinds(self, regions: Sequence[StateRegion]) -> tuple[RegionKind, ...]:
        """The kinds of the regions of one summary, which may lie inside one another."""
        pool = (0, 0, 0) if self.version is None else self.version.pool
        kept_back = RegionKind(name="DMA pool", caps=pool if any(pool) else _POOL_CAPS)
        return tuple(
            kept_back if any(_inside(region, other) for other in regions) else self._kind(region)
            for region in regions
        )

    def others_may_serve(self, caps: int, printed: int) -> bool:
        """Whether a region without all of the capabilities `printed` may have all of `caps`."""
        if caps & printed == printed:
            return False
        if self.version is None:
            return bool(printed & ~_PLAIN) or not caps & capabilities.DEFAULT
        return any(union & caps == caps and union & printed != printed for union in self._unions())

    def _unions(self) -> Iterator[int]:
        """All capabilities of each kind of memory."""
        assert self.version is not None
        windows = (window.caps for window in self.version.psram)
        for first, second, third in (*self.version.kinds.values(), *windows):
            yield first | second | third

    def _kind(self, region: StateRegion) -> RegionKind:
        if self.version is None:
            return RegionKind(name=region.name)
        for window in self.version.psram:
            if window.start <= region.start < window.start + window.size:
                return RegionKind(name="SPIRAM", caps=window.caps)
        entries = (e for e in self.version.map if e.start <= region.start < e.end)
        entry = next(entries, None)
        name = "" if entry is None else entry.kind
        return RegionKind(
            name=name,
            caps=self.version.kinds.get(name),
            iram_alias=entry is not None and entry.iram_alias,
        )


def known_chip(name: str) -> ChipData | None:
    """None: there is no file of it."""
    plain = name.strip().lower().replace("-", "")
    return read_chip(plain) if plain in chip_files() else None


def _inside(region: StateRegion, other: StateRegion) -> bool:
    end, other_end = region.start + region.size, other.start + other.size
    return region.size < other.size and other.start <= region.start and end <= other_end


def _nearest(chip: ChipData, idf: str) -> VersionData:
    """The log's own version if it is known for the chip, or else the nearest release that is."""
    known = {name: one for name in finished() if (one := version_of(chip, find_release(name)))}
    minor = _MINOR.match(idf)
    try:
        release = find_release(idf)
        result, near = version_of(chip, release), release.minor
    except InputError:  # none is reported, or a bare commit, or a version that is not known
        result, near = None, minor[1] if minor else ""
    if result is not None:
        return result
    return known[nearest_minor(near, known) if near else next(reversed(known))]
