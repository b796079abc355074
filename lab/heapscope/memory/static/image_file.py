"""Static use, and the heap's own regions, out of an application image of ESP-IDF.

An image has in its constants the two tables that the start-up makes the heap of: the chip's memory,
and the ranges that are taken of it, which symbols of the linker end.
"""

from __future__ import annotations

import hashlib
import struct
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import reduce
from operator import xor

import numpy

from heapscope.base.errors import InputError
from heapscope.config.chip_data import chip_files, read_chip
from heapscope.memory.layout.boot_log import IMAGE, BootLog
from heapscope.memory.layout.program_starts import ListedRegion
from heapscope.memory.static.image_tables import HeapTables, Segment, heap_tables, places_of
from heapscope.memory.static.use import UNNAMED, Section, SectionPiece, StaticUse
from heapscope.trace.things.binary_kinds import BOOT_LOADER, image_kind

IMAGE_MAX = 64 << 20  #: bytes; a chip's flash has no more
_HEADER, _SEGMENT, _HASH = 24, 8, 32
_SEED = 0xEF  # of the checksum
#: Texts that the libraries of a radio or of a network have in every release, whatever is logged.
_TEXTS = {
    "wifi": (b"wifi driver task",),
    "ble": (b"BTDM_INIT", b"BLE_INIT"),
    "net": (b"tcpip_thread",),
}
_REMEDY = "give the image that the build wrote, build/PROJECT.bin, whole"


@dataclass(frozen=True, kw_only=True)
class Image:
    """`regions`: those that the start-up gives to the heap, as it prints them, without
    PSRAM, which it adds later. `what`: the image, in words. `links`: the radios and networks that
    it has."""

    file: str
    what: str
    chip: str
    idf: str
    regions: tuple[ListedRegion, ...]
    links: frozenset[str]
    use: StaticUse = field(repr=False)

    @property
    def boot(self) -> BootLog:
        """The heap as a log of the device's start would tell it."""
        return BootLog(
            file=self.file, regions=self.regions, sdk=self.idf, chip=self.chip, what=IMAGE
        )


def image_of(data: bytes, *, name: str) -> Image:
    """`data`: the whole file, whose first byte is an image's. InputError: it is damaged, or not an
    application's, or does not tell its heap."""
    kind = image_kind(data[: 1 << 16])
    if kind is None or kind.chip not in chip_files():
        raise _damaged(name, "its header is not that of a chip that is known here")
    if not kind.sdk:
        why = "which has no heap" if kind.what == BOOT_LOADER else "which names no release"
        raise InputError(f"{name}: {kind.what}, {why}", remedy=_REMEDY)
    tables = heap_tables(read_chip(kind.chip), tuple(_segments(data, name)), name=name)
    (entry,) = struct.unpack_from("<I", data, 4)
    return Image(
        file=name,
        what=kind.what,
        chip=kind.chip,
        idf=kind.sdk,
        regions=tables.regions,
        links=frozenset(link for link, texts in _TEXTS.items() if any(t in data for t in texts)),
        use=_use(name, tables, entry),
    )


def _damaged(name: str, why: str) -> InputError:
    return InputError(f"{name}: damaged image: {why}", remedy=_REMEDY)


def _segments(data: bytes, name: str) -> Iterator[Segment]:
    at, sums = _HEADER, _SEED
    for number in range(data[1]):
        if at + _SEGMENT > len(data):
            raise _damaged(name, f"cut off before segment {number + 1} of {data[1]}")
        start, size = struct.unpack_from("<II", data, at)
        at += _SEGMENT
        if size > len(data) - at or start + size > 1 << 32:
            raise _damaged(
                name,
                f"segment {number + 1} is {size} bytes at offset {at}, the file has {len(data)}",
            )
        segment = Segment(start=start, data=data[at : at + size])
        sums ^= reduce(xor, numpy.bitwise_xor.reduce(segment.words).item().to_bytes(4, "little"))
        sums = reduce(xor, segment.data[size & ~3 :], sums)
        at += size
        yield segment
    at |= 15  # the checksum is the last of 16 bytes
    if at >= len(data) or data[at] != sums:
        raise _damaged(name, "its checksum is not that of its segments")
    stated = data[at + 1 : at + 1 + _HASH]
    if data[23] == 1 and stated != hashlib.sha256(data[: at + 1]).digest():
        raise _damaged(name, "its SHA-256 is not that of its bytes")


def _use(name: str, tables: HeapTables, entry: int) -> StaticUse:
    """Code is what lies in the range of the entry point, data and bss in the others that anything
    is loaded into; which is whose no image tells."""
    windows, parts, symbols = tables.windows, dict[tuple[str, int, int], str](), dict[str, int]()
    at = [place for _, place, _ in places_of(windows, entry, entry + 1)]
    if not at:
        raise _damaged(name, f"it is entered at {entry:#010x}, where no code can be")
    ranges = {high: tuple(places_of(windows, low, high)) for low, high in sorted(tables.taken)}
    every = {place for places in ranges.values() for place in places}
    for high, places in ranges.items():
        for place in places:
            kind, low, top = place
            ends = [min(end, top) for start, end in tables.loaded if start < top and low < end]
            if any(o != place and o[1] <= low and top <= o[2] for o in every) or not ends:
                continue
            if any(base <= at[0] < end for _, base, end in places):
                parts[place], symbols["_iram_end"] = "code", high
            else:
                parts[kind, low, max(ends)], parts[kind, max(ends), top] = "data", "bss"
                symbols["_heap_start"] = max(high, symbols.get("_heap_start", 0))
    sections = tuple(
        Section(name=role, kind=kind, role=role, size=end - start, start=start)
        for (kind, start, end), role in sorted(parts.items())
        if end > start
    )
    pieces = tuple(
        SectionPiece(section=number, size=section.size, symbol=UNNAMED)
        for number, section in enumerate(sections)
    )
    return StaticUse(file=name, form="image", sections=sections, pieces=pieces, symbols=symbols)
