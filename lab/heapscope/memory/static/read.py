"""Reads what tells a firmware's static use, whichever form it has."""

from __future__ import annotations

import stat
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.memory.static.map_file import read_map
from heapscope.memory.static.size_json import read_size_json
from heapscope.memory.static.use import StaticUse
from heapscope.memory.static.window import ChipWindows, read_windows
from heapscope.trace.sniff import MAP_HEAD, looks_like
from heapscope.trace.source import open_blocks
from heapscope.trace.things.binary_kinds import IMAGE_MARK

if TYPE_CHECKING:
    from heapscope.memory.static.image_file import Image

_HEAD = 1 << 16
_JSON_MAX = 64 << 20
_MAP_MAX = 512 << 20
_LINE_MAX = 4096  # bytes of a line that count


def read_static(path: str | Path, chip: str | ChipWindows) -> StaticUse:
    """The static use in an ELF, a linker map or the JSON of esp-idf-size. The content tells which
    it is. `chip` is named as for load_chip(), or the memory of another. InputError: the file is of
    another kind, is damaged, or is for another machine."""
    name = printable(str(path), limit=400)
    windows = read_windows(chip) if isinstance(chip, str) else chip
    with _open(Path(path), name) as file:
        size = file.seek(0, 2)
        file.seek(0)
        head = file.read(_HEAD)
        file.seek(0)
        if head.startswith(b"\x7fELF"):
            from heapscope.memory.static.elf_file import read_elf  # slow to import

            return read_elf(file, name=name, size=size, windows=windows)
        if head.lstrip(b"\xef\xbb\xbf \t\r\n")[:1] == b"{":
            _not_larger(name, size, _JSON_MAX)
            return read_size_json(file.read(_JSON_MAX), name=name, chip=windows.chip)
        if MAP_HEAD.search(head):
            _not_larger(name, size, _MAP_MAX)
            return read_map(_lines(file), name=name, windows=windows)
    remedy = "give what the build wrote: build/PROJECT.elf or build/PROJECT.map"
    if head[:1] == bytes([IMAGE_MARK]):
        remedy += "; an image goes with --bin"
    raise _other(path, f"{name}: neither an ELF, a linker map nor JSON of esp-idf-size", remedy)


def read_image(path: str | Path) -> Image:
    """An application image of ESP-IDF, with the regions of its heap. InputError: it is another
    file, or is damaged, or does not tell its heap."""
    from heapscope.memory.static.image_file import IMAGE_MAX, image_of  # slow to import

    name = printable(str(path), limit=400)
    with _open(Path(path), name) as file:
        if file.read(1) == bytes([IMAGE_MARK]):
            _not_larger(name, file.seek(0, 2), IMAGE_MAX)
            file.seek(0)
            return image_of(file.read(IMAGE_MAX), name=name)
    remedy = "give what the build wrote: build/PROJECT.bin"
    raise _other(path, f"{name}: not an image of ESP-IDF", remedy)


def _other(path: str | Path, message: str, remedy: str) -> InputError:
    with open_blocks(path) as blocks:  # a trace may be compressed
        what, use = looks_like(next(iter(blocks), b"")[:_HEAD])
    return InputError(
        f"{message}: it {what}",
        remedy=f"{use}; here {remedy}" if what.endswith("trace already") else remedy,
    )


def _open(path: Path, name: str) -> BinaryIO:
    try:
        if not stat.S_ISREG(path.stat().st_mode):
            raise InputError(f"{name}: is not a file", remedy="name a file; it is read twice")
        return path.open("rb")
    except FileNotFoundError:
        raise InputError(f"{name}: no such file", remedy="check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{name}: cannot be read: {reason}", remedy="check the path and its permissions"
        ) from None


def _not_larger(name: str, size: int, most: int) -> None:
    if size > most:
        raise InputError(
            f"{name}: {size >> 20} MiB, more than {most >> 20} MiB",
            remedy="give the file of one firmware",
        )


def _lines(file: BinaryIO) -> Iterator[bytes]:
    """Whatever is behind a line's first bytes is left out; none is ever in memory whole."""
    fresh = True
    while line := file.readline(_LINE_MAX):
        if fresh:
            yield line
        fresh = line.endswith(b"\n")
