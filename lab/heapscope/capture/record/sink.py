"""Where a trace's bytes go while it is recorded, and what happens when there is no room."""

from __future__ import annotations

import io
import os
import stat
import sys
from pathlib import Path
from typing import BinaryIO

from heapscope.base.errors import InputError
from heapscope.base.output import STDOUT
from heapscope.base.printable import printable
from heapscope.base.zstd import ZstdCompressor

_LEVEL = 3  # of zstd: the program waits where this is slow


class Sink:
    """Takes a trace's bytes. An output that refuses them disturbs nobody: what comes then is
    discarded, and `trouble` says so."""

    def __init__(
        self,
        name: str,
        stream: BinaryIO,
        *,
        compressed: bool,
        replaces: bool = False,
        path: str = "",
    ) -> None:
        self._replaces = replaces
        self.name = name
        self.path = path  # as the system has it; empty: none
        self.size = 0  # bytes of the file
        self.trouble = ""
        self.kept = 0  # bytes of the trace that the output took
        self._stream = stream
        self._zstd = ZstdCompressor(level=_LEVEL) if compressed else None

    def write(self, data: bytes) -> None:
        if self.trouble:
            return
        try:
            self._begin()
            if self._zstd is None:
                self._put(data)
                self._stream.flush()
                self.kept = self.size
            else:
                self._put(self._zstd.compress(data))
                self.kept += len(data)
        except OSError as error:
            if self._zstd is None:
                self.kept = self.size
            self._fail(error)

    def _put(self, data: bytes) -> None:
        """All of it: a disk that becomes full takes a part first."""
        while data:
            taken = self._stream.write(data) or len(data)
            self.size += taken
            data = data[taken:]

    def _begin(self) -> None:
        """The old content of the file stays until the first byte comes."""
        if self._replaces and stat.S_ISREG(os.fstat(self._stream.fileno()).st_mode):
            self._stream.truncate(0)
        self._replaces = False

    def close(self) -> None:
        try:
            if self._zstd is not None and not self.trouble:
                self._put(self._zstd.flush())
            if self.path:
                self._stream.close()
                self._remove_empty()
        except OSError as error:
            self._fail(error)

    @property
    def refused_all(self) -> bool:
        return self.trouble != "" and self.size == 0

    def _remove_empty(self) -> None:
        """A trace has bytes: a file that took none goes."""
        path = Path(self.path)
        if self.refused_all and path.is_file() and not path.stat().st_size:
            path.unlink()

    def _fail(self, error: OSError) -> None:
        if not self.trouble:
            reason = error.strerror or str(error)
            self.trouble = (
                f"{self.name}: {reason}: what came after {self.kept:,} bytes was discarded; "
                f"the program was not disturbed"
            )


def open_first(out: str) -> Sink:
    """The output as the user named it; InputError where it cannot be written."""
    shown = printable(out, limit=400)
    if out == STDOUT:
        stream = getattr(sys.stdout.buffer, "raw", sys.stdout.buffer)  # what it takes is written
        return Sink("standard output", stream, compressed=False)
    if "\0" in out:
        raise InputError(f"{shown}: no path holds a NUL", remedy="give -o another name")
    return open_file(Path(out), shown)


def open_file(path: Path, shown: str) -> Sink:
    try:
        stream = path.open("ab", buffering=0)
    except OSError as error:
        raise InputError(
            f"{shown}: cannot be written: {error.strerror or error}",
            remedy="choose another place with -o, or make room there",
        ) from None
    return Sink(
        shown, stream, compressed=path.suffix == ".zst", replaces=True, path=str(path.absolute())
    )


def refusing_sink(shown: str, trouble: str) -> Sink:
    """For a file that cannot be opened while the program runs: it discards all."""
    sink = Sink(shown, io.BytesIO(), compressed=False)
    sink.trouble = trouble
    return sink
