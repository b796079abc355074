"""Reads files of a device's memory, whichever form each has."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.image.elf_core import is_elf, read_elf_core
from heapscope.memory.image.memory_image import (
    ADDRESS_END,
    MemoryImage,
    Segment,
    joined,
    together,
)
from heapscope.trace.source import open_blocks

IMAGE_MAX = 256 << 20  #: bytes of one file; a chip has at most 32 MB of PSRAM
_AT = re.compile(r"(?P<file>.+)@(?P<address>0[xX][0-9a-fA-F]+|[0-9]+)")
_NAMED = re.compile(r"(?:0[xX])?(?P<address>[0-9a-fA-F]{8})(?:[-_.].*)?")


def read_images(names: Sequence[str]) -> MemoryImage:
    """The files of one moment, each FILE or FILE@ADDRESS. InputError: one cannot be read, is of
    another kind, is damaged, or has no address, or they contradict each other."""
    image = together(_read(name) for name in names)
    if not any(any(segment.data) for segment in image.segments):
        raise InputError(
            f"{image.files[0]}: {image.size:,} B, nothing but zero bytes: there is no heap in it",
            remedy="check how the memory was read",
        )
    return image


def _read(name: str) -> MemoryImage:
    path, address = _placed(name)
    shown = printable(path, limit=400)
    data = _bytes(path, shown)
    if is_elf(data):
        return read_elf_core(data, name=shown)
    if address is None:
        raise InputError(
            f"{shown}: raw memory whose address is not known",
            remedy="name it with its address: FILE@0x3fc80000",
        )
    return MemoryImage(
        segments=joined((Segment(address, data),), name=shown),
        files=(name,),
        what="raw memory",
    )


def _placed(name: str) -> tuple[str, int | None]:
    """The file, and the address that its name or `@` tells."""
    match = _AT.fullmatch(name)
    if match is not None and not Path(name).exists():
        address = int(match["address"], 0)
        if address >= ADDRESS_END:
            raise InputError(
                f"{printable(name, limit=400)}: {match['address']} is no address of 32 bits",
                remedy="give the address of the file's first byte: FILE@0x3fc80000",
            )
        return match["file"], address
    named = _NAMED.fullmatch(Path(name).name)
    return name, None if named is None else int(named["address"], 16)


def _bytes(path: str, shown: str) -> bytes:
    parts = []
    with open_blocks(path) as blocks:
        for block in blocks:
            parts.append(block)
            if blocks.produced > IMAGE_MAX:
                raise InputError(
                    f"{shown}: more than {IMAGE_MAX >> 20} MiB",
                    remedy="give the memory of one chip",
                )
        if blocks.loss is not None:
            raise InputError(f"{shown}: {blocks.loss.sentence()}", remedy="copy it again")
    return b"".join(parts)
