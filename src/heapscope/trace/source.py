"""The bytes of a trace, text or log: from a file or standard input, compressed or not."""

from __future__ import annotations

import os
import stat
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import BinaryIO, Self

from heapscope.errors import InputError
from heapscope.trace.loss import SourceLoss
from heapscope.trace.names import printable
from heapscope.trace.zstd import ZstdWalker, is_zstd

__all__ = ["BLOCK", "STDIN", "Blocks", "Progress", "open_blocks"]

BLOCK = 1 << 20  #: bytes read at once, and the most that one piece can be
STDIN = "-"

#: Called with the bytes of the file read so far, and its size where that is known.
Progress = Callable[[int, int | None], None]


class Blocks:
    """Iterate it once for the file's bytes in pieces of at most 1 MiB, zstd taken off. What could
    not be read is in `loss` when the iteration is over; damage never raises."""

    def __init__(self, file: BinaryIO, *, name: str, progress: Progress | None = None) -> None:
        self.name = name
        self.compressed = False
        self.consumed = 0  # bytes of the file read
        self.produced = 0  # bytes given out
        self.total = _size(file)
        self.loss: SourceLoss | None = None
        self._file = file
        self._progress = progress

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    def close(self) -> None:
        if self._file is not sys.stdin.buffer:
            self._file.close()

    def __iter__(self) -> Iterator[bytes]:
        head = self._read_head()
        self.compressed = is_zstd(head)
        for piece in self._unpacked(head) if self.compressed else self._raw(head):
            self.produced += len(piece)
            yield piece

    def _unpacked(self, head: bytes) -> Iterator[bytes]:
        walker = ZstdWalker()
        for block in self._raw(head):
            yield from walker.push(block)
        yield from walker.finish()
        self.loss = walker.loss if self.loss is None else self.loss

    def _read_head(self) -> bytes:
        """Enough to tell compression by; a pipe may give fewer bytes at first."""
        head = b""
        while len(head) < 4 and (more := self._read()):
            head += more
        return head

    def _raw(self, block: bytes) -> Iterator[bytes]:
        while block:
            yield block
            block = self._read()

    def _read(self) -> bytes:
        try:
            block = self._file.read1(BLOCK)  # type: ignore[attr-defined]
        except OSError as error:
            self.loss = SourceLoss(offset=self.consumed, reason=f"read error: {error.strerror}")
            return b""
        self.consumed += len(block)
        if self._progress is not None:
            self._progress(self.consumed, self.total)
        return bytes(block)


def open_blocks(path: str | Path, *, progress: Progress | None = None) -> Blocks:
    """Opens a file, or standard input for "-". InputError when there is nothing to open."""
    if str(path) == STDIN:
        return Blocks(sys.stdin.buffer, name="standard input", progress=progress)
    name = printable(str(path), limit=400)
    try:
        if stat.S_ISDIR(Path(path).stat().st_mode):
            raise InputError(f"{name}: is a folder", remedy="name a file in it")
        file = Path(path).open("rb")  # noqa: SIM115 - closed by Blocks
    except FileNotFoundError:
        raise InputError(f"{name}: no such file", remedy="check the path") from None
    except (OSError, ValueError) as error:  # ValueError: a NUL in the path
        reason = getattr(error, "strerror", None) or str(error)
        raise InputError(
            f"{name}: cannot be read: {reason}", remedy="check the path and its permissions"
        ) from None
    return Blocks(file, name=name, progress=progress)


def _size(file: BinaryIO) -> int | None:
    try:
        status = os.fstat(file.fileno())
    except OSError:
        return None
    return status.st_size if stat.S_ISREG(status.st_mode) else None
