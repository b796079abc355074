"""Read the heap inside a core dump or a device's memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from heapscope.base.option import Option
from heapscope.base.progress import OnProgress

if TYPE_CHECKING:
    from heapscope.answers.image.result import ImageResult


def image(
    *files: Annotated[
        str, Option("FILE", "Core dump, or memory as FILE@ADDRESS; several of one moment.")
    ],
    chip: Annotated[
        str | None, Option("CHIP", "The chip, where the image does not name it.")
    ] = None,
    idf: Annotated[
        str | None, Option("VERSION", "The release of ESP-IDF, where it is not named.")
    ] = None,
    progress: OnProgress | None = None,
) -> ImageResult:
    """Read the heap out of a device's memory: every block, whose it is, and what is damaged.

    A file is a core dump, or raw memory with the address of its first byte: FILE@0x3fc80000, or
    a name that is the address (0x3fc80000.raw). Several files are parts of one moment.

    Examples:
      heapscope image 0x3fc80000.raw
      heapscope image dram.bin@0x3fc80000 rtc.bin@0x50000000 --chip esp32c3 --idf 5.5
    """
    from heapscope.answers.image.answer import answer_of
    from heapscope.memory.image.read import read_images

    return answer_of(read_images(files), chip=chip or "", idf=idf or "")
