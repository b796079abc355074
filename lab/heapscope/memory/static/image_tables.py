"""The two tables of an image that tell where its heap lies: the chip's memory, and what is taken of
it. Neither has a name there, so both are looked for by what their rows must be."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy

from heapscope.base.errors import InputError
from heapscope.config.chip_data import ChipData, chip_files, read_chip
from heapscope.memory.layout.map_regions import Range, without
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.static.window import ChipWindows, read_windows

_EXTERNAL = "SPIRAM"
_APART = ("RTC", "TCM")  # memory that is apart from code and data
_RANGE_MAX = 64 << 20
_TYPES_MAX = 16
_ROWS_LEAST = 2
_CAPS_MAX = 1 << 24  # capabilities end before it
_ROW_WORDS = (5, 4)  # of a region and of a kind; which of them, the release decides
#: One of an ESP32's fixed ranges, which stand apart from those of the linker before ESP-IDF 4.2.
_CACHE = (0x4007_0000, 0x4007_8000)

Words = Any  # an array of 32-bit words


@dataclass(frozen=True, kw_only=True)
class Segment:
    start: int
    data: bytes

    @property
    def end(self) -> int:
        return self.start + len(self.data)

    @property
    def words(self) -> Words:
        return numpy.frombuffer(self.data, "<u4", len(self.data) // 4).astype("i8")


@dataclass(frozen=True, kw_only=True)
class HeapTables:
    """`windows`: the chip's, with the addresses that data have for code in front of what both
    share. `loaded`: where the image is loaded into RAM, but for RTC memory; `taken`: ranges that
    the heap does not get. `regions`: those that the start-up gives to the heap, as it prints them;
    PSRAM, which it adds later, is not among them."""

    windows: ChipWindows
    loaded: tuple[Range, ...]
    taken: tuple[Range, ...]
    regions: tuple[ListedRegion, ...]


def heap_tables(chip: ChipData, segments: Sequence[Segment], *, name: str) -> HeapTables:
    """InputError: the tables are not there, or several are that differ."""
    windows = _windows(chip.name)
    loaded = _loaded(windows, segments)
    if not loaded:
        raise _unknown(name, f"nothing of it is loaded into the RAM of {chip.name}")
    tables = _taken(chip, windows, segments, loaded)
    found = {tuple(_regions(name, chip, segments, taken)): taken for taken in tables}
    if len(found) != 1:
        raise _unknown(name, f"{len(found) or 'no'} tables of the memory in use")
    ((regions, taken),) = found.items()
    return HeapTables(windows=windows, loaded=loaded, taken=taken, regions=regions)


def _windows(chip: str) -> ChipWindows:
    named = read_windows(chip)
    after = {w.code: w.start for w in named.windows if not w.runs_back}
    seen = tuple(
        replace(w, code=after[w.end] - w.size) if w.goes_on and w.end in after else w
        for w in named.windows
    )
    return replace(named, windows=seen)


def _unknown(name: str, why: str) -> InputError:
    return InputError(
        f"{name}: the image does not tell its heap: {why}",
        remedy="give --elf or --map of the same build, or --boot-log of the device",
    )


def _runs(fits: Any, step: int) -> Any:
    """For each place, how many rows of so many words fit from there on."""
    result = numpy.zeros(len(fits), "i4")
    for first in range(min(step, len(fits))):
        own = fits[first::step][::-1]
        counted = numpy.cumsum(own)
        before = numpy.maximum.accumulate(numpy.where(own, 0, counted))
        result[first::step] = (counted - before)[::-1]
    return result


def _in(words: Words, ranges: Iterable[Range]) -> Any:
    """An end may lie behind the last byte."""
    result = numpy.zeros(len(words), bool)
    for low, high in ranges:
        result |= (words >= low) & (words <= high)
    return result


def _external(chip: ChipData) -> set[Range]:
    return {
        (entry.start, entry.end)
        for version in chip.versions
        for entry in version.map
        if entry.kind == _EXTERNAL
    }


# ---- the ranges in use --------------------------------------------------------------------------


def _loaded(windows: ChipWindows, segments: Iterable[Segment]) -> tuple[Range, ...]:
    """Where the image is loaded into RAM, but for RTC memory, as addresses for data."""
    return tuple(
        (start, end)
        for segment in segments
        for kind, start, end in places_of(windows, segment.start, segment.end)
        if kind not in _APART
    )


def places_of(windows: ChipWindows, start: int, end: int) -> Iterator[tuple[str, int, int]]:
    """Where a range lies in RAM: the kind, and addresses for data."""
    found = windows.find(start)
    while found is not None and start < end:
        window, _ = found
        part, place = window.run(start, end)
        yield window.kind, place, place + part
        start += part
        found = windows.find(start) if window.goes_on else None


def _taken(
    chip: ChipData, windows: ChipWindows, segments: Sequence[Segment], loaded: Sequence[Range]
) -> Iterator[tuple[Range, ...]]:
    """Each table whose ranges hold all that the image loads."""
    first = loaded[0][0]
    for table in _tables(chip, windows, segments, (first, first + 4)):
        places = [part[1:] for low, high in table for part in places_of(windows, low, high)]
        if len(table) < _ROWS_LEAST or any(without(each, places) for each in loaded):
            continue
        if chip.name == "esp32" and _CACHE not in table:
            fixed = {each for each in _tables(chip, windows, segments, _CACHE) if _CACHE in each}
            if len(fixed) != 1:
                continue
            table += fixed.pop()
        yield table


def _tables(
    chip: ChipData, windows: ChipWindows, segments: Iterable[Segment], held: Range
) -> Iterator[tuple[Range, ...]]:
    """The runs of ranges of the chip's memory of which one holds `held`."""
    spans = [(window.start, window.end) for window in windows.windows]
    spans += [(w.code, w.code + w.size) for w in windows.windows if w.code is not None]
    outside = _external(chip)
    views = [held, *_as_code(windows, held)]
    for segment in segments:
        words = segment.words
        near = _in(words, [*spans, *outside])
        low, high = words[:-1], words[1:]
        fits = near[:-1] & near[1:] & (low <= high) & (high - low <= _RANGE_MAX)

        def fits_at(at: int, low: Words = low, high: Words = high, fits: Words = fits) -> bool:
            if not 0 <= at < len(fits) or not fits[at]:
                return False
            return _whole(windows, outside, int(low[at]), int(high[at]))

        holds = numpy.zeros(len(fits), bool)
        for start, end in views:
            holds |= fits & (low <= start) & (high >= end)
        for at in numpy.flatnonzero(holds).tolist():
            if fits_at(at):
                first = next(k for k in range(at - 2, -3, -2) if not fits_at(k)) + 2
                last = next(k for k in range(at + 2, len(fits) + 2, 2) if not fits_at(k))
                yield tuple((int(low[k]), int(high[k])) for k in range(first, last, 2))


def _as_code(windows: ChipWindows, held: Range) -> Iterator[Range]:
    """The same memory as code sees it."""
    for window in windows.windows:
        if window.code is not None and window.start <= held[0] < window.end:
            shift = window.code - window.start
            yield held[0] + shift, held[1] + shift


def _whole(windows: ChipWindows, outside: Iterable[Range], low: int, high: int) -> bool:
    """A range of one memory, or an empty one."""
    if low == high or any(start <= low and high <= end for start, end in outside):
        return True
    return sum(end - start for _, start, end in places_of(windows, low, high)) == high - low


# ---- the memory ---------------------------------------------------------------------------------


def _regions(
    name: str, chip: ChipData, segments: Sequence[Segment], taken: tuple[Range, ...]
) -> Iterator[ListedRegion]:
    rows = _memory(name, chip, segments)
    names = _kinds(name, segments, {row[2] for row in rows})
    ranges = [(low & ~3, high + 3 & ~3) for low, high in (*taken, *_rom(chip, rows))]
    built: list[tuple[int, int, tuple[int, ...]]] = []
    for start, size, kind, _, *stack in rows:
        for at, end in without((start, start + size), ranges):
            low = at
            if built and built[-1][1] == at and built[-1][2] == (kind, *stack):
                low = built.pop()[0]
            built.append((low, end, (kind, *stack)))
    for number, (low, high, (kind, *_)) in enumerate(built, start=1):
        if names[kind] != _EXTERNAL:
            yield ListedRegion(start=low, size=high - low, kind=names[kind], line=number, quote="")


def _rom(chip: ChipData, rows: Iterable[Sequence[int]]) -> Iterator[Range]:
    """Data of the ROM, which no table has: they end the memory in which start-up stacks lie, and
    that lies higher on later revisions of an ESP32-P4."""
    stacks = [(row[0], row[0] + row[1]) for row in rows if row[4:] == [1]]
    windows = read_windows(chip.name)
    for part in chip.reserved:
        if any(kind not in _APART for kind, _, _ in places_of(windows, part.start, part.end)):
            inside = any(low <= part.start < high for low, high in stacks)
            moved = 0 if inside or not stacks else stacks[-1][1] - part.end
            yield part.start + moved, part.end + moved


def _memory(name: str, chip: ChipData, segments: Iterable[Segment]) -> list[list[int]]:
    """The rows of the table of memory: start, bytes, number of the kind, address for code; and from
    ESP-IDF 5.1 on, whether start-up stacks lie in it."""
    windows = read_windows(chip.name)
    spans = [(window.start, window.end) for window in windows.windows]
    best: list[list[int]] = []
    for segment in segments:
        words = segment.words
        for step in _ROW_WORDS:
            count = len(words) - step + 1
            if count <= 0:
                continue
            start, size, kind, code, last = (words[k : k + count] for k in (0, 1, 2, 3, step - 1))
            fits = numpy.zeros(count, bool)
            for low, high in (*spans, *_external(chip)):
                fits |= (start >= low) & (start < high) & (size > 0) & (start + size <= high)
            fits &= (start & 3 == 0) & (size & 3 == 0) & (kind < _TYPES_MAX)
            fits &= (code == 0) | _in(code, [(0x4000_0000, 0x6020_0000)])
            fits &= (step == 4) | (last < 2)
            runs = _runs(fits, step)
            if len(best) < (most := int(runs.max())):
                at = int(runs.argmax())
                best = words[at : at + most * step].reshape(most, step).tolist()
    if len(best) < _ROWS_LEAST:
        raise _unknown(name, "no table of the chip's memory")
    return best


def _kinds(name: str, segments: Sequence[Segment], wanted: set[int]) -> dict[int, str]:
    """The names of the kinds of memory, by the table that has them in their order."""
    known = {
        kind for chip in chip_files() for each in read_chip(chip).versions for kind in each.kinds
    }
    texts = {
        segment.start + match.start(): text
        for segment in segments
        for text in known
        for match in re.finditer(re.escape(text.encode()) + b"\0", segment.data)
    }
    addresses = numpy.array(sorted(texts), "i8")
    best, table = 0, (0, numpy.zeros(0, "i8"))
    for segment in segments:
        words = segment.words
        for step in _ROW_WORDS:
            count = len(words) - 3
            if count <= 0:
                continue
            caps = words[1 : count + 1] | words[2 : count + 2] | words[3 : count + 3]
            named = numpy.isin(words[:count], addresses)
            runs = _runs(named & (caps > 0) & (caps < _CAPS_MAX), step)
            if best < (most := int(runs.max())):
                best, table = most, (step, words[int(runs.argmax()) :])
    step, words = table
    names = {
        kind: texts.get(int(words[kind * step]), "") for kind in wanted if kind * step < len(words)
    }
    if set(names) != wanted or not all(names.values()):
        raise _unknown(name, "its kinds of memory are not known here")
    return names
