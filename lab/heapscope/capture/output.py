"""A file that appears whole or not at all."""

from __future__ import annotations

import secrets
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from heapscope.errors import InputError
from heapscope.interrupt import temporary
from heapscope.trace.names import printable
from heapscope.trace.port import is_port, refused_by_windows
from heapscope.zstd import ZstdCompressor

STDOUT = "-"
_LEVEL = 9  # of zstd: a trace is written once and read often

Write = Callable[[bytes], object]


@contextmanager
def open_output(out: str | Path, *, inputs: tuple[str | Path, ...] = ()) -> Iterator[Write]:
    """Gives a function that takes the bytes. They go to a temporary file beside `out`, which takes
    its place when the block ends without an error; nothing stays behind otherwise. A name that ends
    in .zst is compressed; "-" is standard output. `inputs` must not be the output."""
    if str(out) == STDOUT:
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
        target = _target(Path(out), shown, inputs)
        yield from _to_file(target) if _replaceable(target) else _to_device(target)
    except OSError as error:
        raise InputError(
            f"{shown}: cannot be written: {error.strerror or error}",
            remedy="choose another place with -o, or make room there",
        ) from None


def writes_at_once(out: str | Path) -> bool:
    """Whether open_output() writes to the output itself, so that what was written stays written."""
    return str(out) == STDOUT or not _replaceable(Path(out).resolve())


def _target(out: Path, shown: str, inputs: tuple[str | Path, ...]) -> Path:
    """Links are followed: what they point to is replaced, not they."""
    target = out.resolve()
    if target.is_dir():
        raise InputError(f"{shown}: is a folder", remedy="name a file in it")
    if target.is_file() and any(Path(i).exists() and target.samefile(i) for i in inputs):
        raise InputError(f"{shown}: is the input", remedy="give -o another name")
    if not target.parent.is_dir():
        raise InputError(f"{shown}: there is no such folder", remedy="make it, or check the path")
    return target


def _replaceable(target: Path) -> bool:
    """A device or pipe (/dev/null) is written to, never replaced."""
    return not target.exists() or stat.S_ISREG(target.stat().st_mode)


def _to_stream(stream: BinaryIO) -> Iterator[Write]:
    yield stream.write
    stream.flush()


def _to_device(target: Path) -> Iterator[Write]:
    with target.open("wb") as file:
        yield from _to_stream(file)


def _to_file(target: Path) -> Iterator[Write]:
    part = target.with_name(f".{target.name[:100]}.{secrets.token_hex(4)}.part")
    with temporary(str(part), lambda: part.unlink(missing_ok=True)):
        with part.open("xb") as file:
            yield from _compressed(file) if target.suffix == ".zst" else _to_stream(file)
        part.replace(target)


def _compressed(file: BinaryIO) -> Iterator[Write]:
    packer = ZstdCompressor(level=_LEVEL)
    yield lambda data: file.write(packer.compress(data))
    file.write(packer.flush())
