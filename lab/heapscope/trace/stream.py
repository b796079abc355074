"""Standard input and pipes: their bytes come once, and are kept for whoever reads them again."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Callable
from typing import BinaryIO

from heapscope.base.errors import InputError

_IN_MEMORY = 1 << 24  # bytes that are kept before a temporary file takes them


class KeptStream:
    """The bytes of one stream so far, in a temporary file without a name."""

    def __init__(self, stream: BinaryIO, name: str) -> None:
        self._stream = stream
        self._name = name
        self._kept = tempfile.SpooledTemporaryFile(max_size=_IN_MEMORY)  # noqa: SIM115
        self._size = 0
        self._over = False

    def read1(self, offset: int, size: int) -> bytes:
        """At most `size` bytes from `offset` on; b"" where the stream ends."""
        if offset < self._size:
            self._kept.seek(offset)
            return self._kept.read(min(size, self._size - offset))
        if self._over:
            return b""
        block: bytes = self._stream.read1(size)  # type: ignore[attr-defined]
        self._over = not block
        self._keep(block)
        return block

    def close(self) -> None:
        self._kept.close()

    def _keep(self, block: bytes) -> None:
        try:
            self._kept.seek(self._size)
            self._kept.write(block)
        except OSError as error:
            folder = tempfile.gettempdir()
            raise InputError(
                f"{self._name}: its bytes cannot be kept in {folder}: {error.strerror or error}",
                remedy="write the trace to a file and name that, or set TMPDIR to another folder",
            ) from None
        self._size += len(block)


class StreamReader:
    """Reads a kept stream from its beginning, as a file is read."""

    def __init__(self, stream: KeptStream) -> None:
        self._stream = stream
        self._offset = 0

    def read1(self, size: int) -> bytes:
        block = self._stream.read1(self._offset, size)
        self._offset += len(block)
        return block

    def close(self) -> None:
        """The stream itself stays open for the next reader."""


_Key = tuple[int, ...] | str

_kept: dict[_Key, KeptStream] = {}


def comes_once(status: os.stat_result) -> bool:
    """Whether this is a pipe, a socket or a device, whose bytes a second reader would not get."""
    return not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


def kept_stream(key: _Key, opens: Callable[[], BinaryIO], *, name: str) -> StreamReader:
    """A reader of the stream that `key` tells from others; `opens` opens it for the first one."""
    if key not in _kept:
        _kept[key] = KeptStream(opens(), name)
    return StreamReader(_kept[key])


def forget_streams() -> None:
    """Kept bytes are let go: a new command reads new ones."""
    for stream in _kept.values():
        stream.close()
    _kept.clear()
