"""A device's memory at one moment: bytes with their addresses, of which some are unknown."""

from __future__ import annotations

import struct
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy

from heapscope.base.errors import InputError
from heapscope.memory.image.symbols import FirmwareSymbols

ADDRESS_END = 1 << 32
#: Processors by their number in an ELF.
MACHINES = {94: "Xtensa", 243: "RISC-V", 40: "Arm"}
_WORD = struct.Struct("<I")


@dataclass(frozen=True)
class MemorySegment:
    """Bytes from an address on. All that is read here is of 32 bits and little-endian."""

    address: int
    data: bytes = field(repr=False)

    @property
    def end(self) -> int:
        return self.address + len(self.data)

    def words(self) -> tuple[int, Any]:
        """The address of the first whole word, and all whole words as u4."""
        skipped = -self.address % 4
        count = max(0, len(self.data) - skipped) // 4
        words = numpy.frombuffer(self.data, "<u4", count, skipped if count else 0)
        return self.address + skipped, words


@dataclass(frozen=True, kw_only=True)
class Thread:
    """A task as a dump itself tells it. `tcb`: the address of its control block, 0 where it is
    unknown; `registers`: by the name of the processor's manual; `crashed`: it was running when the
    dump was made."""

    tcb: int = 0
    name: str = ""
    stack_pointer: int = 0
    program_counter: int = 0
    registers: Mapping[str, int] = field(default_factory=dict, repr=False)
    crashed: bool = False


@dataclass(frozen=True, kw_only=True)
class MemoryImage:
    """`segments`: by address, none over another. `files`: as the user named them; `what`: the form,
    in words; `machine`: a word of MACHINES; it, `chip` and `sdk`: "" where the bytes do not name
    them; `build`: of the firmware, the digits of its SHA-256 that the dump has; `reason`: why the
    dump was made, as it says; `symbols`: of its build, None where none are given or they are of
    another one; `missing`: sentences about what was not in it; `announced`: ranges of addresses
    that a truncated dump names and has no bytes of; `truncated`: it may name more of them;
    `blocks_alone`: a core dump of ESP-IDF, which has of a heap its used blocks at most."""

    segments: tuple[MemorySegment, ...]
    files: tuple[str, ...]
    what: str
    machine: str = ""
    chip: str = ""
    sdk: str = ""
    build: str = ""
    reason: str = ""
    threads: tuple[Thread, ...] = ()
    symbols: FirmwareSymbols | None = field(default=None, repr=False)
    missing: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    announced: tuple[tuple[int, int], ...] = ()
    truncated: bool = False
    blocks_alone: bool = False
    _starts: tuple[int, ...] = field(init=False, repr=False, default=())

    def __post_init__(self) -> None:
        object.__setattr__(self, "_starts", tuple(one.address for one in self.segments))

    @property
    def size(self) -> int:
        """Bytes that are known."""
        return sum(len(one.data) for one in self.segments)

    def segment_at(self, address: int) -> MemorySegment | None:
        index = bisect_right(self._starts, address) - 1
        if index < 0 or address >= self.segments[index].end:
            return None
        return self.segments[index]

    def bytes_at(self, address: int, size: int) -> bytes | None:
        """None: one of them is unknown."""
        segment = self.segment_at(address)
        if segment is None or address + size > segment.end:
            return None
        at = address - segment.address
        return segment.data[at : at + size]

    def known(self, address: int, size: int) -> bool:
        segment = self.segment_at(address)
        return segment is not None and address + size <= segment.end

    def unknown_in(self, start: int, end: int) -> int:
        """The number of bytes there that are unknown."""
        first = max(0, bisect_right(self._starts, start) - 1)
        last = bisect_left(self._starts, end)
        overlaps = (
            min(end, one.end) - max(start, one.address) for one in self.segments[first:last]
        )
        return end - start - sum(max(0, size) for size in overlaps)

    def word(self, address: int) -> int | None:
        """None: it is unknown. Any address may be given."""
        segment = self.segment_at(address)
        if segment is None or address + 4 > segment.end:
            return None
        result: int = _WORD.unpack_from(segment.data, address - segment.address)[0]
        return result

    def text(self, address: int, most: int) -> str | None:
        """The text of ASCII that ends with a zero byte, or that fills `most` bytes; None: the
        bytes are something else."""
        segment = self.segment_at(address)
        if segment is None:
            return None
        at = address - segment.address
        text = segment.data[at : at + most].partition(b"\0")[0]
        if not text.isascii() or any(byte < 32 or byte == 127 for byte in text):
            return None
        return text.decode("ascii")

    def words(self) -> Iterator[tuple[int, Any]]:
        """Each segment's words, behind the address of the first whole one."""
        for segment in self.segments:
            start, words = segment.words()
            if len(words):
                yield start, words


def joined(segments: Iterable[MemorySegment], *, name: str) -> tuple[MemorySegment, ...]:
    """By address; neighbours become one. InputError: two of them tell other bytes of one address,
    or one goes beyond 32 bits."""
    result: list[MemorySegment] = []
    for segment in sorted(segments, key=lambda one: (one.address, len(one.data))):
        if segment.end > ADDRESS_END:
            raise InputError(
                f"{name}: {len(segment.data):,} B at {segment.address:#x} end after the last "
                "address of 32 bits",
                remedy="check the address that was given for it",
            )
        if not segment.data:
            continue
        if result and segment.address <= result[-1].end:
            result[-1] = _over(result[-1], segment, name)
        else:
            result.append(segment)
    return tuple(result)


def layered(segments: Iterable[MemorySegment]) -> tuple[tuple[MemorySegment, ...], int]:
    """By address, where one dump tells some bytes more than once, as it was made while memory still
    changed: the first one counts. And the number of bytes that others tell otherwise."""
    starts: list[int] = []
    kept: list[MemorySegment] = []
    other = 0
    for segment in segments:
        if segment.end > ADDRESS_END:
            continue
        at = max(0, bisect_right(starts, segment.address) - 1)
        last = bisect_left(starts, segment.end)
        pieces, begin = [], segment.address
        for one in kept[at:last]:
            if one.end <= begin:
                continue
            if one.address > begin:
                pieces.append(MemorySegment(begin, _cut(segment, begin, one.address)))
            low, high = max(begin, one.address), min(segment.end, one.end)
            if low < high:
                other += _differ(_cut(segment, low, high), _cut(one, low, high))
                begin = high
        if begin < segment.end:
            pieces.append(MemorySegment(begin, _cut(segment, begin, segment.end)))
        for piece in pieces:
            index = bisect_left(starts, piece.address)
            starts.insert(index, piece.address)
            kept.insert(index, piece)
    return joined(kept, name=""), other


def _cut(segment: MemorySegment, start: int, end: int) -> bytes:
    return segment.data[start - segment.address : end - segment.address]


def _differ(one: bytes, other: bytes) -> int:
    if one == other:
        return 0
    return int(numpy.count_nonzero(numpy.frombuffer(one, "u1") != numpy.frombuffer(other, "u1")))


def _over(low: MemorySegment, high: MemorySegment, name: str) -> MemorySegment:
    at = high.address - low.address
    shared = low.data[at : at + len(high.data)]
    if shared != high.data[: len(shared)]:
        raise InputError(
            f"{name}: two parts of the image tell other bytes of {high.address:#010x}",
            remedy="give parts of one moment, each with its own address",
        )
    return MemorySegment(low.address, low.data + high.data[len(shared) :])


def together(images: Iterable[MemoryImage]) -> MemoryImage:
    """Several files of one moment as one image. InputError: they contradict each other."""
    parts = tuple(images)
    first = parts[0]
    if len(parts) == 1:
        return first
    files = tuple(file for part in parts for file in part.files)
    told = max(parts, key=lambda part: len(part.threads))
    return replace(
        told,
        segments=joined((one for part in parts for one in part.segments), name=files[0]),
        files=files,
        what=first.what if len({part.what for part in parts}) == 1 else "memory in several files",
        machine=next((part.machine for part in parts if part.machine), ""),
        chip=next((part.chip for part in parts if part.chip), ""),
        sdk=next((part.sdk for part in parts if part.sdk), ""),
        build=next((part.build for part in parts if part.build), ""),
        reason=next((part.reason for part in parts if part.reason), ""),
        missing=tuple(line for part in parts for line in part.missing),
        notes=tuple(line for part in parts for line in part.notes),
        announced=tuple(one for part in parts for one in part.announced),
        truncated=any(part.truncated for part in parts),
        blocks_alone=any(part.blocks_alone for part in parts),
    )
