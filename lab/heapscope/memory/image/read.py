"""Reads files of a device's memory, whichever form each has."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from heapscope.base.errors import InputError
from heapscope.base.placed_file import placed
from heapscope.base.printable import printable
from heapscope.base.wording import size as sized
from heapscope.memory.image import log_core
from heapscope.memory.image.doubts import address_of, check_raw
from heapscope.memory.image.elf_core import is_elf, read_elf_core
from heapscope.memory.image.esp_core import is_esp_core, read_esp_core, told_length
from heapscope.memory.image.flash import (
    ERASED,
    SECTOR,
    check_written,
    dump_partition,
    is_flash,
)
from heapscope.memory.image.gdb_target import is_target, read_target
from heapscope.memory.image.hex_text import is_hex_text, read_hex_text
from heapscope.memory.image.memory_image import MemoryImage, MemorySegment, joined, together
from heapscope.memory.image.zephyr_core import is_zephyr_core, read_zephyr_core
from heapscope.trace.sniff import HEAD, is_text
from heapscope.trace.whole import read_whole

IMAGE_MAX = 256 << 20  #: bytes of one file; a chip has at most 32 MB of PSRAM


def read_images(names: Sequence[str], *, chip: str = "") -> MemoryImage:
    """The files of one moment, each FILE or FILE@ADDRESS, or a target gdb:HOST:PORT, of whose
    `chip` the memory is read. InputError: one cannot be read, is of another kind, is damaged, or
    has no address, or they contradict each other."""
    image = together(
        read_target(name, chip=chip) if is_target(name) else _read(name) for name in names
    )
    if not any(any(segment.data) for segment in image.segments):
        raise InputError(
            f"{image.files[0]}: {sized(image.size)}, nothing but zero bytes: no heap is in it",
            remedy="check how the memory was read",
        )
    return image


def _read(name: str) -> MemoryImage:
    path, address = placed(name)
    shown = printable(path, limit=400)
    remedy = "give the memory of one chip"
    data = read_whole(path, limit=IMAGE_MAX, what="a device's memory", remedy=remedy).data
    core = _core(data, shown)
    if core is not None:
        return replace(core, files=(name,))
    if is_hex_text(data):
        segments = read_hex_text(data, name=shown)
        return _raw(segments, name, "memory as text with addresses")
    check_written(data, name=shown)
    if address is None:
        return _without_address(data, name, shown)
    check_raw(data, address, name=shown)
    return _raw((MemorySegment(address, data),), name, "raw memory")


def _raw(segments: Sequence[MemorySegment], name: str, what: str) -> MemoryImage:
    return MemoryImage(
        segments=joined(segments, name=printable(name, limit=400)), files=(name,), what=what
    )


def _core(data: bytes, shown: str) -> MemoryImage | None:
    """A core dump of any form; None: another file."""
    if is_elf(data):
        return read_elf_core(data, name=shown)
    if is_esp_core(data):
        return read_esp_core(data, name=shown)
    if is_zephyr_core(data):
        return read_zephyr_core(data, name=shown)
    return None


def _without_address(data: bytes, name: str, shown: str) -> MemoryImage:
    """A log, base64, or a whole flash. InputError: it is raw memory, or nothing that is known."""
    if log_core.has_core(data):
        return _printed(log_core.read_printed(data, name=shown), shown)
    if (text := log_core.plain_base64(data)) is not None:
        core = _core(text, shown)
        if core is not None:
            return core
    if is_flash(data):
        part = dump_partition(data, name=shown)
        check_written(part, name=shown)
        core = _core(part, shown)
        if core is not None:
            return core
    if data.startswith(ERASED):
        return _in_erased(data, shown)
    if is_text(data[:HEAD]):
        raise InputError(
            f"{shown}: a text without a core dump in it",
            remedy="give the log from CORE DUMP START to CORE DUMP END, or the dump itself",
        )
    own = address_of(data)
    if own is not None:
        raise InputError(
            f"{shown}: raw memory whose address is not given",
            remedy=f"by the lists in it, name it {shown}@{own:#010x}",
        )
    raise InputError(
        f"{shown}: raw memory whose address is not known",
        remedy="name it with its address: FILE@0x3fc80000",
    )


def _in_erased(data: bytes, shown: str) -> MemoryImage:
    """A part of a flash whose begin is erased. InputError: it has no core dump."""
    for at in range(0, len(data), SECTOR):
        if is_esp_core(data[at : at + SECTOR]):
            return read_esp_core(data[at:], name=shown)
    raise InputError(
        f"{shown}: flash that begins erased, and has no core dump",
        remedy="read the partition of core dumps: its address is in the table of partitions",
    )


def _printed(printed: log_core.Printed, shown: str) -> MemoryImage:
    core = _core(printed.data, shown)
    if core is None:
        raise InputError(
            f"{shown}: an unknown kind of core dump is between its marks",
            remedy="let the device print it again (it is still there where it is kept in flash)",
        )
    if is_esp_core(printed.data):
        log_core.check_length(printed, told_length(printed.data), name=shown)
    notes = core.notes
    if printed.count > 1:
        notes = (*notes, f"The log has {printed.count} core dumps; this is the last one.")
    missing = core.missing
    if not printed.whole:
        missing = (*missing, "The log ends before the core dump does.")
    return replace(core, what=f"{core.what}, in a log", notes=notes, missing=missing)
