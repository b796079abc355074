"""The memory of a chip before any firmware takes of it, and what an empty program leaves.

The first is the chip's map under a release (data/chips). The second is measured:
data/memory/empty.csv has programs that do nothing, by chip and release. A chip or release without
one takes the nearest, with the doubt that such a step deserves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import hypot, sqrt
from statistics import median

import numpy as np

from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.part_table import Minor, memory_table, minor_number
from heapscope.memory.layout.chips import load_chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.versions import knows_version

#: Memory that is apart from what malloc usually gives.
CODE, RTC = ("IRAM",), ("RTCRAM", "TCM")
#: Bytes by which a printed program, which does next to nothing, differs from one that does
#: something. Public builds left out fit best from about 6,000 to 9,000.
_DOES_NOTHING = 7500.0
_DEGREES, _ROUNDS = 4.0, 6  # of a t distribution; until the mean stands
#: Releases in their order, to count the steps between two.
_MINORS: tuple[Minor, ...] = (
    *((3, n) for n in range(1, 4)),
    *((4, n) for n in range(5)),
    *((5, n) for n in range(6)),
    *((6, n) for n in range(3)),
)


@dataclass(frozen=True, kw_only=True)
class ChipMemory:
    """Bytes that a firmware without code or data would leave to the heap. `tables`: of them the
    allocator keeps for itself; `iram_tables`: the same of IRAM."""

    dram: int
    iram: int
    rtc: int
    largest: int
    tables: int
    iram_tables: int


@dataclass(frozen=True, kw_only=True)
class EmptyStatic:
    """Bytes that an empty program's code and data take, with half of a band that holds two of
    three: those of the libraries that every program has, by linker maps, and `unexplained` more (of
    DRAM; below 0: less). `sources`: the programs it rests on."""

    dram: float
    iram: float
    unexplained: float
    doubt: float
    sources: tuple[str, ...]


@functools.lru_cache(maxsize=64)
def _bare(chip: str, minor: Minor, cores: int | None) -> Layout:
    """The regions of a chip without any code or data."""
    loaded = load_chip(chip)
    for name in (f"{minor[0]}.{minor[1]}", loaded.versions[0]):
        if knows_version(loaded.data, name):
            break
    return loaded.layout(idf=name, cores=cores, static_dram=0, static_iram=0, startup_use=0)


def heap_base(chip: str, minor: Minor) -> int:
    """The first address that a firmware's data can have, in the memory that code and data share."""
    regions = _bare(chip, minor, None).regions
    return min(region.start for region in regions if region.kind not in (*CODE, *RTC))


def sram1_end(chip: str, minor: Minor) -> int:
    """The upper end of the memory that is data and code, and of SRAM1 in the ESP32; 0: none."""
    regions = _bare(chip, minor, None).regions
    return max((region.end for region in regions if region.kind == "D/IRAM"), default=0)


@functools.lru_cache(maxsize=64)
def chip_memory(chip: str, minor: Minor, cores: int | None = None, rtc: bool = True) -> ChipMemory:
    """A release that does not know the chip gets the chip's first. `cores`: in use, None: all of
    them; `rtc`: its fast memory is heap, where the release can give it."""
    rom, layout = load_chip(chip).data.rom is not None, _bare(chip, minor, cores)
    sizes = [(region.kind, region.size) for region in layout.regions]
    shared = [size for kind, size in sizes if kind not in (*CODE, *RTC)]
    of_rtc = [size for kind, size in sizes if kind in RTC and rtc]
    of_code = [size for kind, size in sizes if kind in CODE]
    return ChipMemory(
        dram=sum(shared),
        iram=sum(of_code),
        rtc=sum(of_rtc),
        largest=max(shared, default=0),
        tables=sum(_table(size, minor, rom) for size in (*shared, *of_rtc)),
        iram_tables=sum(_table(size, minor, rom) for size in of_code),
    )


def _table(size: int, minor: Minor, rom: bool) -> int:
    """The allocator's own bytes at the head of a heap (docs/reference/models.md)."""
    if minor < (4, 3):
        return 36
    if rom:
        return 1756
    if minor < (5, 1):
        return 1624
    second = 3 if size <= 16 << 10 else 4 if size <= 256 << 10 else 5
    first = size.bit_length() - second - 1
    return 56 + 4 * first + (4 * first << second)


@dataclass(frozen=True, kw_only=True)
class Rest:
    """A program that does nothing: its bytes beside what its libraries take. `doubt`: half of a
    band that holds two of three."""

    chip: str
    minor: Minor
    dram: float
    iram: float | None
    doubt: float
    source: str


@functools.lru_cache(maxsize=256)
def empty_static(
    chip: str,
    minor: Minor,
    without: frozenset[str] = frozenset(),
    widths: tuple[float, float] | None = None,
) -> EmptyStatic:
    """`without`: sources that are left aside, and chips as "chip esp32", for tests of what was not
    seen. `widths`: in place of those that were learned, by release and by chip."""
    from heapscope.forecast.predict.default_use import library_bytes

    step, other = widths or (memory_fit().step, memory_fit().chip)
    own, others = _known_of(chip, without)
    typical = _robust([(each.dram, each.doubt**2 + other**2) for each in others])[0]
    known = [(each.dram, each.doubt**2 + (step * _steps(each, minor)) ** 2) for each in own]
    rest, variance = _robust([*known, (typical, other**2)])
    code = [(each.iram, each.doubt**2 + (step * _steps(each, minor)) ** 2) for each in own]
    irams = [(iram, width) for iram, width in code if iram is not None]
    nearest = sorted(own or others, key=lambda each: (_steps(each, minor), each.doubt))[:3]
    return EmptyStatic(
        dram=rest + library_bytes(chip, minor, "dram"),
        iram=_robust(irams)[0] + library_bytes(chip, minor, "iram") if irams else 0.0,
        unexplained=rest,
        doubt=sqrt(variance),
        sources=tuple(dict.fromkeys(each.source for each in nearest)),
    )


def _robust(of: Sequence[tuple[float, float]]) -> tuple[float, float]:
    """The mean of values with their variances, and its own variance. A value that is far off counts
    less, as the errors' t distribution has it."""
    values, variances = (np.array(column) for column in zip(*of, strict=True))
    mean = median(map(float, values))
    for _ in range(_ROUNDS):
        weights = (_DEGREES + 1) / (_DEGREES + (values - mean) ** 2 / variances) / variances
        mean = float(weights @ values / weights.sum())
    return mean, float(1 / weights.sum())


@functools.lru_cache(maxsize=1024)
def _known_of(chip: str, without: frozenset[str]) -> tuple[list[Rest], list[Rest]]:
    """The chip's own empty programs, and those of others."""

    def of_chips(chips: Iterable[str]) -> list[Rest]:
        return [
            each
            for name in chips
            if f"chip {name}" not in without
            for each in _rests().get(name, ())
            if publisher(each.source) not in without
        ]

    return of_chips([chip]), of_chips(each for each in _rests() if each != chip)


def publisher(source: str) -> str:
    """Whose figures a source has: those of one publisher are left out together."""
    return source.split()[0]


def _steps(known: Rest, minor: Minor) -> int:
    """Releases between it and another."""
    return abs(_place(known.minor) - _place(minor))


@functools.cache
def _place(minor: Minor) -> int:
    return sum(each < minor for each in _MINORS)


@functools.cache
def _rests() -> Mapping[str, tuple[Rest, ...]]:
    """The rows of data/memory/rests.csv by chip: to sum up the parts of each program takes
    seconds."""
    built: dict[str, tuple[Rest, ...]] = {}
    for row in memory_table("rests"):
        rest = Rest(
            chip=row["chip"],
            minor=minor_number(row["sdk"]),
            dram=float(row["dram"]),
            iram=float(row["iram"]) if row["iram"] else None,
            doubt=float(row["doubt"]),
            source=row["source"],
        )
        built[rest.chip] = (*built.get(rest.chip, ()), rest)
    return built


def measured_rests() -> Iterator[Rest]:
    """The rest of each program of data/memory/empty.csv and built.csv, for rests.csv."""
    from heapscope.forecast.predict.default_use import (  # sums of parts, which ask for chips
        library_bytes,
        start_use,
    )

    printed = ((row, _DOES_NOTHING) for row in memory_table("empty"))
    for row, more in (*printed, *((row, 0.0) for row in memory_table("built"))):
        chip, minor = row["chip"], minor_number(row["sdk"])
        memory = chip_memory(chip, minor)
        free, code = float(row["free_dram"]), None
        if row["at"] == "app_main":
            free += start_use(chip, minor) - memory.rtc
        if row["free_iram"]:
            code = memory.iram - float(row["free_iram"]) - library_bytes(chip, minor, "iram")
        yield Rest(
            chip=chip,
            minor=minor,
            dram=memory.dram - free - library_bytes(chip, minor, "dram"),
            iram=code,
            doubt=round(hypot(more, float(row["doubt"]))),
            source=row["source"],
        )
