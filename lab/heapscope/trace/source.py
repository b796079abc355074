"""The bytes of a trace, text or log: from a file or standard input, compressed or not."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import BinaryIO, Self

from heapscope.base.errors import InputError
from heapscope.base.port import is_port
from heapscope.base.printable import printable
from heapscope.trace.packed import HEAD, Walker, walker_of
from heapscope.trace.segment import segment_of
from heapscope.trace.source_loss import SourceLoss
from heapscope.trace.stream import StreamReader, comes_once, kept_stream

BLOCK = 1 << 20  #: bytes read at once, and the most that one piece can be
STDIN = "-"


#: Called with the bytes of the file read so far, and its size where that is known.
Progress = Callable[[int, int | None], None]


class Blocks:
    """Iterate it once for the file's bytes in pieces of at most 1 MiB, compression taken off.
    The bytes that could not be read are in `loss` when the iteration is over; damage never
    raises."""

    def __init__(
        self,
        file: BinaryIO | StreamReader,
        *,
        name: str,
        total: int | None,
        progress: Progress | None = None,
    ) -> None:
        self.name = name
        self.compressed = False
        self.consumed = 0  # bytes of the file read
        self.produced = 0  # bytes given out
        self.total = total
        self.loss: SourceLoss | None = None
        self._file = file
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        head = self._read_head()
        walker = walker_of(head)
        self.compressed = walker is not None
        for piece in self._raw(head) if walker is None else self._unpacked(head, walker):
            self.produced += len(piece)
            yield piece

    def _unpacked(self, head: bytes, walker: Walker) -> Iterator[bytes]:
        for block in self._raw(head):
            yield from walker.push(block)
        yield from walker.finish()
        self.loss = walker.loss if self.loss is None else self.loss

    def _read_head(self) -> bytes:
        """Enough to tell compression by; a pipe may give fewer bytes at first."""
        head = b""
        while len(head) < HEAD and (more := self._read()):
            head += more
        return head

    def _raw(self, block: bytes) -> Iterator[bytes]:
        while block:
            yield block
            block = self._read()

    def _read(self) -> bytes:
        try:
            block = self._file.read1(BLOCK)  # type: ignore[union-attr]
        except OSError as error:
            self.loss = SourceLoss(offset=self.consumed, reason=f"read error: {error.strerror}")
            return b""
        self.consumed += len(block)
        if self._progress is not None:
            self._progress(self.consumed, self.total)
        return bytes(block)


def open_blocks(path: str | Path, *, progress: Progress | None = None) -> Blocks:
    """Opens a file, or standard input for "-". Input that comes only once, from standard input and
    pipes, is kept: it can be opened again. InputError when there is nothing to open."""
    if str(path) == STDIN:
        return _open_standard_input(progress)
    name = printable(str(path), limit=400)
    try:
        file_path, _ = segment_of(path)
        status = file_path.stat()
        if stat.S_ISDIR(status.st_mode):
            raise InputError(f"{name}: is a folder", remedy="name a file in it")
        file = _open(file_path, status, name)
    except FileNotFoundError:
        if is_port(str(path)):
            raise InputError(
                f"{name}: there is no such port, and a file is wanted",
                remedy="save what the port sends to a file first",
            ) from None
        raise InputError(f"{name}: no such file", remedy="check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{name}: cannot be read: {reason}", remedy="check the path and its permissions"
        ) from None
    return Blocks(file, name=name, total=_size(status), progress=progress)


def _open(path: Path, status: os.stat_result, name: str) -> BinaryIO | StreamReader:
    if not comes_once(status):
        return path.open("rb")
    key = (status.st_dev, status.st_ino) if status.st_ino else str(path)  # Windows numbers no ports
    return kept_stream(key, lambda: path.open("rb"), name=name)


def _open_standard_input(progress: Progress | None) -> Blocks:
    stream, name = sys.stdin.buffer, "standard input"
    try:
        total = _size(os.fstat(stream.fileno()))
    except OSError:
        total = None
    file = kept_stream((id(stream),), lambda: stream, name=name)
    return Blocks(file, name=name, total=total, progress=progress)


def _size(status: os.stat_result) -> int | None:
    return status.st_size if stat.S_ISREG(status.st_mode) else None
