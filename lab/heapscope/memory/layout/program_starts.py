"""The starts of a program that a log tells, each with the memory that it gave to the heap."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from heapscope.memory.layout.uptimes import Uptimes
from heapscope.native.log import Fact

_REGIONS_MAX = 64  # of one start; longer input is not a start
_RANGES_MAX = 1024
_CLOCK_LEAST = 100_000  # Hz; a smaller number counts MHz


@dataclass(frozen=True, kw_only=True)
class ListedRegion:
    """A line of heap_init, or a range of memory_layout."""

    start: int
    size: int
    kind: str  # as printed
    line: int
    quote: str
    ended: bool = True  # False: the log ends with it, without an end of line


@dataclass(kw_only=True)
class ProgramStart:
    """One start of the program. Empty or None: its lines do not tell."""

    number: int
    line: int
    chip: str = ""
    idf: str = ""
    framework: str = ""
    framework_version: str = ""
    project: str = ""
    app: str = ""  # the version of the program
    cores: int | None = None
    app_idf: bool = False  # the version is that of the program, not of its bootloader
    clock_hz: int | None = None  # of the CPU
    reset: str = ""  # how the chip was reset
    regions: list[ListedRegion] = field(default_factory=list)
    cut_line: int | None = None  # of a region that is not whole
    repeated: int = 0  # lines of regions that were reported before
    went_on: bool = False  # other lines came behind the regions: all of them were printed
    psram_pools: list[int] = field(default_factory=list)
    psram_size: int | None = None
    dma_reserve: int | None = None
    free_ranges: list[ListedRegion] = field(default_factory=list)
    reserved_ranges: list[ListedRegion] = field(default_factory=list)
    facts: int = 0  # of the heap, after the start

    @property
    def bytes(self) -> int:
        return sum(region.size for region in self.regions)

    @property
    def psram(self) -> int | None:
        return sum(self.psram_pools) if self.psram_pools else None


#: The kinds of the lines that stand between those of regions.
_LIST = frozenset(("boot_region", "new_heap", "boot_begin"))
_KINDS = (
    "reset", "restart", "chip", "chip_revision", "idf", "framework", "app", "project",
    "cores", "cpu_clock", "boot_begin", "boot_region", "boot_end", "new_heap", "psram_found",
    "psram_mapped", "psram_pool", "dma_reserve", "range_free", "range_reserved",
)  # fmt: skip


class ProgramStarts:
    """Takes the facts in order and divides them into starts."""

    def __init__(self) -> None:
        self.current = ProgramStart(number=1, line=1)
        self.listed: ProgramStart | None = None  # the last that lists regions
        self.resets = 0
        self.mixed: ProgramStart | None = None  # its regions seem to be of two devices
        self.uptimes = Uptimes()
        self._readers = {kind: getattr(self, f"_{kind}") for kind in _KINDS}
        self._ended = False  # the program said that it restarts, or the ROM spoke

    @property
    def count(self) -> int:
        return self.current.number

    def all_known(self) -> Iterator[ProgramStart]:
        """The one that lists regions, then the current one: later lines count more."""
        if self.listed is not None and self.listed is not self.current:
            yield self.listed
        yield self.current

    def reported(self, name: str) -> str:
        """The word of the last start that has one about this."""
        results = [str(getattr(boot, name)) for boot in self.all_known() if getattr(boot, name)]
        return results[-1] if results else ""

    def take(self, fact: Fact) -> None:
        uptime = fact.uptime
        if uptime is not None and self.uptimes.restarts(uptime) and self.current.facts:
            self._begin(fact)
        reader = self._readers.get(fact.kind)
        if reader is not None:
            reader(fact)
        else:
            self.current.facts += 1
        if self.current.regions and fact.kind not in _LIST:
            self.current.went_on = True

    def _begin(self, fact: Fact) -> None:
        """A new start, unless nothing came since the last one began."""
        before = self.current
        if before.facts or before.regions or before.reset:
            self.current = ProgramStart(
                number=before.number + 1,
                line=fact.line,
                chip=before.chip,
                idf=before.idf,
                framework=before.framework,
                framework_version=before.framework_version,
                app=before.app,
            )
            self.resets += 1
        self._ended = False

    def _reset(self, fact: Fact) -> None:
        if not (self._ended and not self.current.reset and not self.current.regions):
            self._begin(fact)
        self.current.reset = fact.name or "?"
        self._ended = False

    def _restart(self, fact: Fact) -> None:
        """The next line of a start belongs to another one."""
        if fact.name == "":
            self._ended = True

    def _chip(self, fact: Fact) -> None:
        if fact.text == "ROM":
            self._begin(fact)
            self._ended = True
        name = fact.name.lower().replace("-", "")
        if not name.startswith("esp"):
            return
        self.current.chip = _CHIPS_BY_ROM.get(name.split("api")[0], _plain_chip(name))

    def _idf(self, fact: Fact) -> None:
        loader = fact.text == "loader"
        if (self._ended and self.current.facts) or (loader and self.current.regions):
            self._begin(fact)
        if not (loader and self.current.app_idf):
            self.current.idf, self.current.app_idf = fact.name, not loader

    def _framework(self, fact: Fact) -> None:
        self.current.framework, self.current.framework_version = fact.name, fact.text

    def _project(self, fact: Fact) -> None:
        self.current.project = fact.name

    def _cores(self, fact: Fact) -> None:
        self.current.cores = int(fact.text)

    def _cpu_clock(self, fact: Fact) -> None:
        if fact.size is not None and fact.size >= _CLOCK_LEAST:
            self.current.clock_hz = fact.size

    def _boot_begin(self, fact: Fact) -> None:
        if self.current.regions:
            self._begin(fact)

    def _boot_region(self, fact: Fact) -> None:
        if fact.cut:
            self.current.cut_line = fact.line
            return
        if fact.address is None or fact.size is None:
            return
        if self._known(fact):
            self.current.repeated += 1
            return
        if len(self.current.regions) < _REGIONS_MAX:
            self.current.regions.append(_region(fact))
        self.listed = self.current

    def _known(self, fact: Fact) -> bool:
        """A region that is reported again: by a second device, or by a start that the log does not
        show, which begins with the first one."""
        regions = self.current.regions
        same = next((one for one in regions if one.start == fact.address), None)
        if same is None:
            return False
        if same.size == fact.size:
            return True
        if same is regions[0] and len(regions) > 1:
            self._begin(fact)
            return False
        self.mixed = self.current
        return True

    def _boot_end(self, fact: Fact) -> None:
        """The list of regions is over."""

    def _new_heap(self, fact: Fact) -> None:
        """It stands before the line of its region."""

    def _psram_found(self, fact: Fact) -> None:
        self.current.psram_size = fact.size

    def _psram_mapped(self, fact: Fact) -> None:
        self.current.psram_size = self.current.psram_size or fact.size

    def _psram_pool(self, fact: Fact) -> None:
        if fact.size is not None and len(self.current.psram_pools) < _REGIONS_MAX:
            self.current.psram_pools.append(fact.size)

    def _dma_reserve(self, fact: Fact) -> None:
        self.current.dma_reserve = fact.size

    def _range_free(self, fact: Fact) -> None:
        if len(self.current.free_ranges) < _RANGES_MAX:
            self.current.free_ranges.append(_region(fact))

    def _range_reserved(self, fact: Fact) -> None:
        if len(self.current.reserved_ranges) < _RANGES_MAX:
            self.current.reserved_ranges.append(_region(fact))

    def _chip_revision(self, fact: Fact) -> None:
        """It tells nothing of the heap."""

    def _app(self, fact: Fact) -> None:
        self.current.app = fact.name


#: The ROM of the ESP32-C2 speaks of the chip by its former name.
_CHIPS_BY_ROM = {"esp8684": "esp32c2"}


def _plain_chip(name: str) -> str:
    """ "esp32s3" of "esp32s320210327", "esp32" of "esp32d0wd"."""
    for chip in ("esp32c61", "esp32c2", "esp32c3", "esp32c5", "esp32c6", "esp32h2", "esp32p4",
                 "esp32s2", "esp32s3", "esp8266"):  # fmt: skip
        if name.startswith(chip):
            return chip
    return "esp32" if name.startswith("esp32") else name


def _region(fact: Fact) -> ListedRegion:
    return ListedRegion(
        start=fact.address or 0,
        size=fact.size or 0,
        kind=fact.name,
        line=fact.line,
        quote=fact.quote,
        ended=not fact.unended,
    )
