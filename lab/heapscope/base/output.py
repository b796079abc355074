"""The output of a verb: a file that appears whole or not at all, a device, or standard output."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from heapscope.base.errors import InputError
from heapscope.base.port import is_port, refused_by_windows
from heapscope.base.printable import printable
from heapscope.base.whole_file import whole_file
from heapscope.base.zstd import ZstdCompressor

STDOUT = "-"
_LEVEL = 9  # of zstd: a trace is written once and read often

Write = Callable[[bytes], object]


@contextmanager
def open_output(out: str | Path, *, inputs: tuple[str | Path, ...] = ()) -> Iterator[Write]:
    """Gives a function that takes the bytes. They appear at `out` when the block ends without an
    error; nothing stays behind otherwise. A name that ends in .zst is compressed; "-" is standard
    output, and so is the file that it goes to. `inputs` must not be the output."""
    if _is_standard_output(out):
        yield from _to_stream(sys.stdout.buffer)
        return
    shown = printable(str(out), limit=400)
    if "\0" in str(out):
        raise InputError(f"{shown}: no path holds a NUL", remedy="give -o another name")
    if is_port(str(out)) and not Path(out).exists():
        raise InputError(f"{shown}: is a port, and no file", remedy="give -o the name of a file")
    if refusal := refused_by_windows(str(out)):
        raise InputError(f"{shown}: {refusal}", remedy="give -o another name")
    try:
        if _replaceable(Path(out)):
            yield from _to_file(_target(Path(out), shown, inputs))
        else:
            yield from _to_device(Path(out), shown)
    except OSError as error:
        raise InputError(
            f"{shown}: cannot be written: {error.strerror or error}",
            remedy="choose another place with -o, or make room there",
        ) from None


def writes_at_once(out: str | Path) -> bool:
    """Whether open_output() writes to the output itself, so that what was written stays written."""
    return _is_standard_output(out) or not _replaceable(Path(out))


def _is_standard_output(out: str | Path) -> bool:
    """By its own name, or another one, such as /dev/stdout."""
    if str(out) == STDOUT:
        return True
    try:
        return os.path.samestat(os.stat(out), os.fstat(sys.stdout.fileno()))  # noqa: PTH116
    except (OSError, ValueError):  # no such file, or an output without a descriptor
        return False


def _replaceable(out: Path) -> bool:
    """A device or pipe (/dev/null) is written to, never replaced. OSError: a loop of links, or
    nobody may look."""
    try:
        return stat.S_ISREG(out.stat().st_mode)
    except (FileNotFoundError, NotADirectoryError):
        return True


def _target(out: Path, shown: str, inputs: tuple[str | Path, ...]) -> Path:
    """Links are followed: what they point to is replaced, not they."""
    target = out.resolve()
    if target.is_file() and any(Path(i).exists() and target.samefile(i) for i in inputs):
        raise InputError(f"{shown}: is the input", remedy="give -o another name")
    if not target.parent.is_dir():
        raise InputError(f"{shown}: there is no such folder", remedy="make it, or check the path")
    return target


def _to_stream(stream: BinaryIO) -> Iterator[Write]:
    yield stream.write
    stream.flush()


def _to_device(out: Path, shown: str) -> Iterator[Write]:
    if out.is_dir():
        raise InputError(f"{shown}: is a folder", remedy="name a file in it")
    with out.open("wb") as file:
        yield from _to_stream(file)


def _to_file(target: Path) -> Iterator[Write]:
    with whole_file(target) as file:
        yield from _compressed(file) if target.suffix == ".zst" else _to_stream(file)


def _compressed(file: BinaryIO) -> Iterator[Write]:
    packer = ZstdCompressor(level=_LEVEL)
    yield lambda data: file.write(packer.compress(data))
    file.write(packer.flush())
