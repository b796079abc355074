"""The heap by an ELF of ESP-IDF: its constants are those of the image that is made of it, with the
tables of memory and the description of the firmware."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path

from elftools.elf.elffile import ELFFile

from heapscope.base.elf import reading
from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.layout.chip_guess import guess_chip
from heapscope.memory.static.image_file import IMAGE_MAX, Image, image_of_segments
from heapscope.memory.static.image_tables import Segment
from heapscope.trace.things.binary_kinds import described_sdk
from heapscope.trace.things.kind import KnownAs

_ALLOC, _SECTIONS_MAX = 0x2, 1024


def image_in_elf(path: Path, chips: Iterable[str]) -> Image | None:
    """`chips`: those that the ELF may be for. None: it names no release, no table of it tells the
    heap, or several chips have such memory."""
    name = printable(str(path), limit=400)
    try:
        entry, segments = _loaded(path, name)
    except InputError:
        return None  # whoever reads its names reports it
    sdk = next(filter(None, (described_sdk(each.data) for each in segments)), "")
    if not sdk:
        return None
    images = [image for chip in chips if (image := _image(segments, entry, chip, sdk, name))]
    if len(images) > 1:
        images = [image for image in images if _is_likeliest(image)]
    return images[0] if len(images) == 1 else None


def is_described(path: Path) -> bool:
    """Whether a firmware's description is in the ELF, as ESP-IDF puts it there from 3.3 on."""
    try:
        _, segments = _loaded(path, printable(str(path), limit=400))
    except InputError:
        return False
    return any(described_sdk(each.data) is not None for each in segments)


def _image(
    segments: tuple[Segment, ...], entry: int, chip: str, sdk: str, name: str
) -> Image | None:
    kind = KnownAs(kind="firmware", what="a firmware's ELF", chip=chip, sdk=sdk)
    try:
        return image_of_segments(segments, entry, kind, name=name)
    except InputError:
        return None


def _is_likeliest(image: Image) -> bool:
    """A chip with less memory may fit into one with more, whose releases print other regions."""
    chip = guess_chip((region.start, region.size) for region in image.regions)
    return chip is not None and chip.name == image.chip


def _loaded(path: Path, name: str) -> tuple[int, tuple[Segment, ...]]:
    with path.open("rb") as file, reading(name, "its headers are damaged", remedy="build it anew"):
        elf = ELFFile(file)
        if elf.elfclass != 32 or not elf.little_endian or elf.num_sections() > _SECTIONS_MAX:
            return 0, ()
        return elf["e_entry"], tuple(_segments(elf))


def _segments(elf: ELFFile) -> Iterator[Segment]:
    left = IMAGE_MAX
    for number in range(elf.num_sections()):
        header = elf._get_section_header(number)
        size = header["sh_size"]
        loaded = header["sh_type"] == "SHT_PROGBITS" and header["sh_flags"] & _ALLOC
        if loaded and 0 < size <= left:
            elf.stream.seek(header["sh_offset"])
            left -= size
            yield Segment(start=header["sh_addr"], data=elf.stream.read(size))
