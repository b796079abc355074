"""The facts of the memory that a log's addresses lie in: the chip's kinds and capabilities."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from heapscope.capture.esp_idf.summary import LoggedRegion
from heapscope.capture.esp_idf.version import SdkVersion
from heapscope.errors import InputError
from heapscope.layout import capabilities
from heapscope.layout.boot_lines import BootRegion
from heapscope.layout.chip_data import ChipData, VersionData, chip_files, read_chip
from heapscope.layout.releases import find_release, finished
from heapscope.layout.versions import version_of

#: Capabilities of the pool that PSRAM keeps back inside internal memory, unless a chip says
#: otherwise. malloc cannot use it (v4.2 to v5.5).
_POOL_CAPS = (0, capabilities.parse("DMA|INTERNAL"), capabilities.parse("8BIT|32BIT"))
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
    """Kinds by address. `version`: that of the chip's file, or the one nearest to the log's;
    `psram`: bytes of it that start-up added to the heap, as the log says."""

    def __init__(
        self,
        chip: ChipData | None,
        version: SdkVersion | None,
        boot: Sequence[BootRegion] = (),
        *,
        psram: int = 0,
    ) -> None:
        self.chip = chip
        self.psram = psram
        self.version = None if chip is None else _nearest(chip, version)
        self._boot = {region.start: region.kind for region in boot}

    def kinds(self, regions: Sequence[LoggedRegion]) -> tuple[RegionKind, ...]:
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

    def _kind(self, region: LoggedRegion) -> RegionKind:
        name = self._boot.get(region.start, "")
        if self.version is None:
            return RegionKind(name=name)
        for window in self.version.psram:
            if window.start <= region.start < window.start + window.size:
                return RegionKind(name=name or "SPIRAM", caps=window.caps)
        entries = (e for e in self.version.map if e.start <= region.start < e.end)
        entry = next(entries, None)
        name = name if name in self.version.kinds else entry.kind if entry else name
        return RegionKind(
            name=name,
            caps=self.version.kinds.get(name),
            iram_alias=entry is not None and entry.iram_alias,
        )


def known_chip(name: str) -> ChipData | None:
    """None: there is no file of it."""
    plain = name.strip().lower().replace("-", "")
    return read_chip(plain) if plain in chip_files() else None


def _inside(region: LoggedRegion, other: LoggedRegion) -> bool:
    end, other_end = region.start + region.length, other.start + other.length
    return region.length < other.length and other.start <= region.start and end <= other_end


def _nearest(chip: ChipData, version: SdkVersion | None) -> VersionData:
    """The log's own version if it is known for the chip, or else the nearest release that is."""
    if version is not None:
        try:
            found = version_of(chip, find_release(version.text))
        except InputError:
            found = None
        if found is not None:
            return found
    known = [one for name in finished() if (one := version_of(chip, find_release(name)))]
    if version is None:
        return known[-1]
    return min(known, key=lambda one: _distance(one, version))


def _distance(data: VersionData, version: SdkVersion) -> tuple[int, int]:
    """The minor decides first; of several patch releases the first in the list is the nearest."""
    major, minor, *patch = (int(number) for number in data.name.split("."))
    return abs(10 * (major - version.major) + minor - version.minor), patch[0] if patch else 0
