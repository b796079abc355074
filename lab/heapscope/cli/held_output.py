"""Standard output held back until a verb is done: an interrupted one has printed nothing."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

from heapscope.languages import JobText

_HELD_MAX = 1 << 20  # bytes: what is longer is a stream, and goes on as it comes


class HeldOutput(io.RawIOBase):
    """Takes what is printed, and writes it to the stream below when it is released. The stream is
    that of Python and not a descriptor, since a Windows console takes characters and no bytes."""

    def __init__(self, below: Any) -> None:
        self._below = below
        self._held: bytearray | None = bytearray()  # None: nothing is held any more

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return int(self._below.fileno())

    def isatty(self) -> bool:
        return bool(self._below.isatty())

    def write(self, data: Any) -> int:
        if self._held is None:
            return self._write(data)
        self._held += data
        if len(self._held) > _HELD_MAX:
            self.release()
        return len(data)

    def release(self) -> None:
        held, self._held = self._held or bytearray(), None
        with memoryview(held) as left:
            done = 0
            while done < len(held):
                done += self._write(left[done:])

    def drop(self) -> None:
        """Throws away the text that is held."""
        if self._held is not None:
            self._below = _nowhere()

    def _write(self, data: Any) -> int:
        """How many bytes were taken; BrokenPipeError where nobody reads them."""
        try:
            taken = self._below.write(data)
        except OSError as error:
            if sys.platform == "win32" and error.errno == errno.EINVAL:  # its closed pipe
                raise BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE)) from None
            raise
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, "standard output takes no more for now")
        return int(taken)


def hold_output() -> HeldOutput:
    """Puts itself in the place of standard output, where there is one."""
    shown = sys.stdout
    if shown is None:
        return HeldOutput(_nowhere())
    held = HeldOutput(getattr(shown.buffer, "raw", shown.buffer))
    sys.stdout = JobText(io.BufferedWriter(held), encoding=shown.encoding, errors=shown.errors)
    return held


def neutral_errors() -> None:
    """Text on standard error is neutral for the runner of a job, as that on standard output."""
    shown = sys.stderr
    if shown is not None:
        sys.stderr = JobText(
            shown.buffer, encoding=shown.encoding, errors=shown.errors, line_buffering=True
        )


def _nowhere() -> io.FileIO:
    return io.FileIO(os.devnull, "w")


def release_output() -> None:
    """All that was printed is written; BrokenPipeError where nobody reads it."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, HeldOutput):
        raw.release()
