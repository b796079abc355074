"""Whether a memory image and an ELF are of one build: by the digest in a core dump, or by what both
tell of the same bytes.

Names of another build would be sure and wrong, so they are not used; a sentence says so.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy

from heapscope.base.wording import plural
from heapscope.memory.image.firmware_elf import FirmwareElf
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment
from heapscope.memory.image.symbols import FirmwareSymbols

_TOLD = 8  # words that tell enough
_SAME, _OTHER = 0.6, 0.3  # of the words that a build never changes, or hardly
_DIGITS = 8  # of a digest that tell enough


@dataclass(frozen=True, kw_only=True)
class _Words:
    """Words that both tell, how many of them are the same, and where the first other one is."""

    told: int = 0
    same: int = 0
    other: int | None = None


def with_firmware(image: MemoryImage, firmware: FirmwareElf) -> MemoryImage:
    """The image with the names of its ELF, where they are of one build, and with what is known of
    that among its notes."""
    if image.machine and firmware.machine != image.machine:
        return _refused(
            image, f"{firmware.file} is for {firmware.machine}, and the memory of {image.machine}"
        )
    if len(image.build) >= _DIGITS:
        if firmware.digest.startswith(image.build):
            return _named(image, firmware)
        stated = f"its SHA-256 begins with {firmware.digest[: len(image.build)]}, not {image.build}"
        words = _compared(image, firmware)
        if words.told < _TOLD or words.same < _SAME * words.told:
            return _refused(image, f"{firmware.file} is of another build: {stated}")
        note = f"{firmware.file} was changed after the build ({stated}), but tells the same memory."
        return _named(image, firmware, note)
    words = _compared(image, firmware)
    if words.told < _TOLD:
        note = f"Whether {firmware.file} is of this build is not known: no bytes of both tell it."
        return _named(image, firmware, note)
    if words.same < _OTHER * words.told:
        return _refused(
            image,
            f"{firmware.file} is of another build: {words.told - words.same:,} of "
            f"{plural(words.told, 'word')} that a program hardly changes differ, the first at "
            f"{words.other or 0:#010x}",
        )
    if words.same < _SAME * words.told:
        note = (
            f"{firmware.file} may be of another build: {words.told - words.same:,} of "
            f"{plural(words.told, 'word')} that a program hardly changes differ."
        )
        return _named(image, firmware, note)
    return _named(image, firmware)


def _named(image: MemoryImage, firmware: FirmwareElf, *notes: str) -> MemoryImage:
    return replace(
        image,
        symbols=firmware.symbols,
        machine=image.machine or firmware.machine,
        notes=(*image.notes, *notes),
    )


def with_symbols(image: MemoryImage, symbols: FirmwareSymbols) -> MemoryImage:
    """The image with names that nothing in it can contradict."""
    note = f"Whether {symbols.file} is of this build is not known: names alone do not tell it."
    return replace(image, symbols=symbols, notes=(*image.notes, note))


def _refused(image: MemoryImage, why: str) -> MemoryImage:
    return replace(image, notes=(*image.notes, f"{why}: its names are not used."))


def _compared(image: MemoryImage, firmware: FirmwareElf) -> _Words:
    """Constants, and the pointers to them among the variables, which few programs change."""
    told, same, other = 0, 0, None
    for part, chosen in _chosen(firmware):
        for low, mine, theirs in _shared(image, part):
            at = (low - part.address) // 4
            which = chosen[at : at + len(mine)]
            differ = (mine != theirs) & which
            told += int(which.sum())
            same += int(which.sum() - differ.sum())
            if other is None and differ.any():
                other = low + 4 * int(differ.argmax())
    return _Words(told=told, same=same, other=other)


def _chosen(firmware: FirmwareElf) -> Iterator[tuple[MemorySegment, numpy.ndarray]]:
    """Parts from a whole word on, and which of their words are compared."""
    for part in firmware.constant:
        whole = _whole(part)
        yield whole, _words(whole.data) != 0
    for part in firmware.initial:
        whole = _whole(part)
        words = _words(whole.data)
        points = numpy.zeros(len(words), dtype=bool)
        for target in firmware.constant:
            points |= (words >= target.address) & (words < target.end)
        yield whole, points


def _whole(part: MemorySegment) -> MemorySegment:
    skipped = -part.address % 4
    return MemorySegment(part.address + skipped, part.data[skipped:])


def _shared(
    image: MemoryImage, part: MemorySegment
) -> Iterator[tuple[int, numpy.ndarray, numpy.ndarray]]:
    """Runs of words that are in both."""
    for segment in image.segments:
        low = max(segment.address, part.address) + 3 & ~3
        size = (min(segment.end, part.end) - low) & ~3
        if size > 0:
            mine = segment.data[low - segment.address :][:size]
            theirs = part.data[low - part.address :][:size]
            yield low, _words(mine), _words(theirs)


def _words(data: bytes) -> numpy.ndarray:
    return numpy.frombuffer(data, "<u4", len(data) // 4)
