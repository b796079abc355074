"""Read the heap inside a core dump or a device's memory."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from heapscope.base.option import Option
from heapscope.base.progress import OnProgress
from heapscope.cli.verbs.options import Chip, Elf, Idf

if TYPE_CHECKING:
    from heapscope.answers.image.result import ImageResult
    from heapscope.logs.heaps.state_file import HeldHeaps


def image(
    *files: Annotated[
        str, Option("FILE", "Core dump, or memory as FILE@ADDRESS; several of one moment.")
    ],
    elf: Elf = None,
    symbols: Annotated[
        Path | None, Option("FILE", "Names without an ELF: what nm -S prints of it.")
    ] = None,
    chip: Chip = None,
    idf: Idf = None,
    progress: OnProgress | None = None,
) -> ImageResult:
    """Read the heap out of a device's memory: every block, whose it is, and what is damaged.

    A file is a core dump (of ESP-IDF in every form, out of flash or in a log; of gdb; of Zephyr),
    or raw memory with the address of its first byte: FILE@0x3fc80000, or a name that is the
    address (0x3fc80000.raw). Several files are parts of one moment. gdb:HOST:PORT reads a running
    device through its debugger's server: it is halted meanwhile, and nothing is written. A
    recording of a chip, or its black box, tells the blocks that are in use at its end. --elf
    names blocks, and is held against the image; --chip and --idf say what the image does not.

    Examples:
      heapscope image coredump.bin --elf build/app.elf
      heapscope image crash.log
      heapscope image 0x3fc80000.raw
      heapscope image dram.bin@0x3fc80000 rtc.bin@0x50000000 --chip esp32c3 --idf 5.5
      heapscope image gdb:localhost:3333 --chip esp32c3
    """
    return image_with_heaps(
        *files, elf=elf, symbols=symbols, chip=chip, idf=idf, progress=progress
    )[0]


def image_with_heaps(
    *files: str,
    elf: str | Path | None = None,
    symbols: Path | None = None,
    chip: str | None = None,
    idf: str | None = None,
    progress: OnProgress | None = None,
) -> tuple[ImageResult, HeldHeaps]:
    """The answer, and the heaps as a state that a trace can start on."""
    from heapscope.answers.image.answer import answer_with_heaps
    from heapscope.answers.image.recorded import answer_of_recording, is_recording
    from heapscope.logs.heaps.held_heaps import held_by
    from heapscope.logs.heaps.state_file import HeldHeaps
    from heapscope.memory.image.dwarf_types import read_types
    from heapscope.memory.image.firmware_elf import read_firmware
    from heapscope.memory.image.read import read_images
    from heapscope.memory.image.same_build import with_firmware, with_symbols
    from heapscope.memory.image.stack_variables import with_stacks
    from heapscope.memory.image.symbols import read_nm
    from heapscope.memory.layout.chips import load_chip

    chip = "" if chip is None else load_chip(chip).name
    if len(files) == 1 and is_recording(files[0]):
        result = answer_of_recording(
            files[0], chip=chip, idf=idf or "", symbols=elf is not None or symbols is not None
        )
        return result, HeldHeaps(heaps=(), where=files[0])
    firmware = None if elf is None else read_firmware(str(elf))
    names = None if symbols is None else read_nm(str(symbols))
    memory = read_images(files, chip=chip)
    if firmware is not None:
        memory = with_firmware(memory, firmware)
    if names is not None and memory.symbols is None:
        memory = with_symbols(memory, names)
    named = firmware is not None and memory.symbols is firmware.symbols
    types = read_types(str(elf)) if named else None
    result, heaps = answer_with_heaps(
        memory,
        chip=chip,
        idf=idf or "",
        types=types,
        with_stacks=partial(with_stacks, str(elf)) if named else None,
    )
    return result, held_by(memory, heaps, result)
