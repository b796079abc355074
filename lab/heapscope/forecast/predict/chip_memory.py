"""The memory of a chip before any firmware takes of it, and what an empty program leaves.

The first is the chip's map under a release (data/chips). The second is measured:
data/memory/empty.csv has programs that do nothing, by chip and release. A chip or release without
one takes the nearest, with the doubt that such a step deserves.
"""

from __future__ import annotations

import functools
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import sqrt

from heapscope.base.errors import InputError
from heapscope.forecast.predict.memory_fit import memory_fit
from heapscope.forecast.predict.part_table import Minor, memory_table, minor_number
from heapscope.memory.layout.chips import load_chip

#: Memory that is apart from what malloc usually gives.
_CODE, _RTC = ("IRAM",), ("RTCRAM", "TCM")
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
    allocator keeps for itself."""

    dram: int
    iram: int
    rtc: int
    largest: int
    tables: int


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
def chip_memory(chip: str, minor: Minor, cores: int | None = None, rtc: bool = True) -> ChipMemory:
    """A release that does not know the chip gets the chip's first. `cores`: in use, None: all of
    them; `rtc`: its fast memory is heap, where the release can give it."""
    loaded = load_chip(chip)
    name = f"{minor[0]}.{minor[1]}"
    try:
        layout = loaded.layout(idf=name, cores=cores, static_dram=0, static_iram=0)
    except InputError:
        name = loaded.versions[0]
        layout = loaded.layout(idf=name, cores=cores, static_dram=0, static_iram=0)
    sizes = [(region.kind, region.size) for region in layout.regions]
    shared = [size for kind, size in sizes if kind not in (*_CODE, *_RTC)]
    of_rtc = [size for kind, size in sizes if kind in _RTC and rtc]
    return ChipMemory(
        dram=sum(shared),
        iram=sum(size for kind, size in sizes if kind in _CODE),
        rtc=sum(of_rtc),
        largest=max(shared, default=0),
        tables=sum(_table(size, minor, loaded.data.rom is not None) for size in (*shared, *of_rtc)),
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
class _Known:
    """`dram`, `iram`: beside what its libraries take."""

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
    from heapscope.forecast.predict.memory_states import library_bytes

    step, other = widths or (memory_fit().step, memory_fit().chip)
    own, of = _known_of(chip, without)
    weights = [1 / _variance(each, chip, minor, step, other) for each in of]
    code = [each for each in own if each.iram is not None]
    rest = sum(w * each.dram for w, each in zip(weights, of, strict=True)) / sum(weights)
    nearest = sorted(zip(weights, of, strict=True), key=lambda pair: -pair[0])[:3]
    return EmptyStatic(
        dram=rest + library_bytes(chip, minor, "dram"),
        iram=_mean(code, [_variance(each, chip, minor, step, other) for each in code])
        + (library_bytes(chip, minor, "iram") if code else 0.0),
        unexplained=rest,
        doubt=sqrt(1 / sum(weights) + (0 if own else other**2)),
        sources=tuple(dict.fromkeys(each.source for _, each in nearest)),
    )


@functools.lru_cache(maxsize=1024)
def _known_of(chip: str, without: frozenset[str]) -> tuple[list[_Known], list[_Known]]:
    """The chip's own empty programs, and those that stand for it."""

    def of_chips(chips: Iterable[str]) -> list[_Known]:
        return [
            each
            for name in chips
            if f"chip {name}" not in without
            for each in _empties(name)
            if publisher(each.source) not in without
        ]

    own = of_chips([chip])
    every = dict.fromkeys(row["chip"] for row in _rows())
    return own, own or of_chips(each for each in every if each != "esp32") or of_chips(every)


def publisher(source: str) -> str:
    """Whose figures a source has: those of one publisher are left out together."""
    return source.split()[0]


def _mean(of: list[_Known], variances: list[float]) -> float:
    total = sum(1 / each for each in variances)
    means = (
        (each.iram or 0) / variance / total for each, variance in zip(of, variances, strict=True)
    )
    return sum(means)


def _variance(known: _Known, chip: str, minor: Minor, step: float, other: float) -> float:
    steps = abs(_place(known.minor) - _place(minor))
    return known.doubt**2 + (step * steps) ** 2 + (0 if known.chip == chip else other**2)


@functools.cache
def _place(minor: Minor) -> int:
    return sum(each < minor for each in _MINORS)


@functools.cache
def _rows() -> tuple[dict[str, str], ...]:
    return (*memory_table("empty"), *memory_table("built"))


def _code(row: Mapping[str, str], memory: ChipMemory, minor: Minor) -> float:
    from heapscope.forecast.predict.memory_states import library_bytes

    taken = memory.iram - float(row["free_iram"])
    return taken - library_bytes(row["chip"], minor, "iram")


@functools.cache
def _empties(chip: str) -> tuple[_Known, ...]:
    from heapscope.forecast.predict.memory_states import (  # sums of parts, which ask for chips
        library_bytes,
        start_use,
    )

    built = []
    for row in _rows():
        if row["chip"] != chip:
            continue
        minor = minor_number(row["sdk"])
        memory = chip_memory(chip, minor)
        free = float(row["free_dram"])
        if row["at"] == "app_main":
            free += start_use(chip, minor) - memory.rtc
        built.append(
            _Known(
                chip=chip,
                minor=minor,
                dram=memory.dram - free - library_bytes(chip, minor, "dram"),
                iram=_code(row, memory, minor) if row["free_iram"] else None,
                doubt=float(row["doubt"]),
                source=row["source"],
            )
        )
    return tuple(built)
