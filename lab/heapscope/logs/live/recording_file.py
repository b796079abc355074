"""The files of recordings: whole chunks, each under its own name when it is over."""

from __future__ import annotations

import os
import secrets
from pathlib import Path
from typing import BinaryIO

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.logs.live.chunk_heads import has_events

_NAMES = 10_000  # of one boot
_HEAD_MAX = 1 << 16  # bytes of chunks without events that wait for some


class RecordingFiles:
    """At most `most` of them, the first ones; `prefix` None: none. A board in a reset loop makes a
    recording each second: one without events makes no file."""

    def __init__(self, prefix: Path | None, most: int) -> None:
        self._prefix = prefix
        self._room = most  # for so many more; -1: reported as unknown
        self._file: RecordingFile | None = None
        self._head = b""  # chunks that wait for events
        self.eventful = False  #: the recording has events

    def begin(self) -> None:
        """Another recording."""
        self.eventful, self._head = False, b""

    def write(self, chunks: bytes) -> bool:
        """Whether this is the first recording that gets no file, since there are enough."""
        self.eventful = self.eventful or has_events(chunks)
        if self._prefix is None:
            return False
        head, self._head = self._head + chunks, b""
        if self._file is None and not self.eventful and len(head) < _HEAD_MAX:
            self._head = head
        elif self._file is not None:
            self._file.write(head)
        elif self._room > 0:
            self._room -= 1
            self._file = RecordingFile(self._prefix)
            self._file.write(head)
        elif self._room == 0:
            self._room = -1
            return True
        return False

    def finish(self, boot: str) -> Path | None:
        """Where the recording is; None: it has no file."""
        file, self._file = self._file, None
        return None if file is None else file.finish(boot)


class RecordingFile:
    """`prefix`: how the names of all files begin. While it grows it is PREFIX-….hst.part, which
    every verb reads as well. InputError: it cannot be written."""

    def __init__(self, prefix: Path) -> None:
        self._prefix = prefix
        self._part = prefix.with_name(f"{prefix.name}-{secrets.token_hex(4)}.hst.part")
        try:
            self._file: BinaryIO = self._part.open("xb")
        except OSError as error:
            raise self._cannot(error) from None

    @property
    def growing(self) -> Path:
        """Where it is until it is finished."""
        return self._part

    def write(self, chunks: bytes) -> None:
        try:
            self._file.write(chunks)
            self._file.flush()
        except OSError as error:
            raise self._cannot(error) from None

    def finish(self, boot: str) -> Path:
        """Gives it its name. No file that is there is replaced."""
        try:
            os.fsync(self._file.fileno())
            self._file.close()
            target = self._free_name(boot)
            self._part.rename(target)
        except OSError as error:
            raise self._cannot(error) from None
        return target

    def _free_name(self, boot: str) -> Path:
        for number in range(1, _NAMES):
            more = "" if number == 1 else f"-{number}"
            target = self._prefix.with_name(f"{self._prefix.name}-{boot}{more}.hst")
            if not target.exists():
                return target
        return self._part.with_suffix("")

    def _cannot(self, error: OSError) -> InputError:
        name = printable(str(self._part), limit=400)
        return InputError(
            f"{name}: cannot be written: {error.strerror or error}",
            remedy="choose another place with -o, or make room there",
        )
