"""The static use that --elf, --map or --bin tells, and what it makes of a layout."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from heapscope.base.errors import InputError
from heapscope.base.option import flag
from heapscope.memory.layout.boot_log import IMAGE, BootLog
from heapscope.memory.layout.chips import Chip
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.region_rows import RegionRow
from heapscope.memory.options import STATIC_FILES, MemoryOptions
from heapscope.memory.static.heap_start import HeapStart, heap_start
from heapscope.memory.static.picture import static_ram
from heapscope.memory.static.read import read_image, read_static
from heapscope.memory.static.static_ram import StaticRam
from heapscope.memory.static.use import StaticUse

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image


@dataclass(frozen=True, kw_only=True)
class StaticChoice:
    chip: str
    use: StaticUse
    start: HeapStart

    def notes(self, boot: BootLog | None) -> tuple[str, ...]:
        """Where a layout's static use comes from. With a boot log the log decides; whether it is
        of this very firmware shows in where the heap begins."""
        start = self.start
        amounts = f"{start.static_dram:,} bytes of DRAM and {start.static_iram:,} of IRAM"
        text = f"static use from {self.use.file}: {amounts}"
        if self.use.form == IMAGE:
            code = sum(s.size for s in self.use.sections if s.role == "code")
            data = sum(s.size for s in self.use.sections) - code
            text = (
                f"regions from {self.use.file}, beside {data:,} bytes of data and {code:,} of code"
            )
        if boot is not None:
            text = f"regions from {boot.file}; static RAM from {self.use.file}"
        return (text, *self.use.notes, *_differs(self, boot))

    def wrong(self, error: InputError) -> InputError:
        """An error about the amounts that this file gave."""
        return InputError(
            f"{self.use.file}: {error.message}", remedy=f"check that it is firmware of {self.chip}"
        )

    def picture(self, regions: Iterable[RegionRow] = ()) -> StaticRam:
        """The picture of static RAM; `regions`: those of the heap beside it."""
        return static_ram(self.use, self.chip, regions, start=self.start.dram)


@dataclass(frozen=True, kw_only=True)
class ChosenMemory:
    """The layout to replay on, and the static RAM beside it where a file tells."""

    layout: Layout
    static: StaticChoice | None = None


def choose_image(options: MemoryOptions) -> Image | None:
    """The image that --bin names; None where it was not given."""
    file = options.get("bin")
    return None if file is None else read_image(file)


def choose_static(
    options: MemoryOptions, chip: Chip, image: Image | None = None
) -> StaticChoice | None:
    """None where none of --elf, --map and --bin was given. InputError for options beside them that
    say the same. `image`: what --bin names."""
    given = {**options}
    named = [(flag(name), str(given[name])) for name in STATIC_FILES if given.get(name)]
    if not named:
        return None
    if len(named) > 1:
        raise InputError(
            f"{named[0][0]} and {named[1][0]} both say what is static", remedy="give one of them"
        )
    ((stated, path),) = named
    amounts = {
        "--static-dram": options.get("static_dram"),
        "--static-iram": options.get("static_iram"),
    }
    for other, amount in amounts.items():
        if amount is not None:
            raise InputError(
                f"{stated} and {other} both say where the heap starts",
                remedy="leave one of them out",
            )
    if stated == flag("bin"):
        image = image or read_image(path)
        if image.chip != chip.name:
            raise InputError(
                f"{image.file}: an image of {image.chip}, not of {chip.name}",
                remedy="give the image of this chip's firmware, or leave --chip out",
            )
    use = read_static(path, chip.name) if image is None else image.use
    start = heap_start(use, chip.data)
    if start.static_dram == 0 and start.static_iram == 0:
        raise InputError(
            f"{use.file}: nothing in it lies in the data or code RAM of the {chip.title}",
            remedy="give the chip that the firmware is for with --chip",
        )
    return StaticChoice(chip=chip.name, use=use, start=start)


def _differs(choice: StaticChoice, boot: BootLog | None) -> tuple[str, ...]:
    start = choice.start.dram
    if boot is None or start is None or any(r.start - 16 < start <= r.start for r in boot.regions):
        return ()
    return (
        f"{choice.use.file} is not the firmware of {boot.file}: its heap begins at {start:#010x}, "
        "where no region of the log does",
    )
