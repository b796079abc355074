"""The standard streams of a command. Output is held back until a verb is done: an interrupted one
has printed nothing. Whatever refuses it is an OSError with the stream's name, once."""

from __future__ import annotations

import errno
import io
import os
import sys
from typing import Any

from heapscope.base.languages import JobText

OUTPUT = "standard output"

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
        """Throws away the text that is held, and what comes."""
        self._below = io.FileIO(os.devnull, "w")

    def _write(self, data: Any) -> int:
        """How many bytes were taken. BrokenPipeError where nobody reads them, another OSError where
        they cannot be written; nothing more is, then."""
        try:
            taken = self._below.write(data)
        except OSError as error:
            self.drop()
            raise _refused(error) from None
        if taken is None:
            raise BlockingIOError(errno.EAGAIN, "takes no more for now", OUTPUT)
        return int(taken)


def _refused(error: OSError) -> OSError:
    if sys.platform == "win32" and error.errno == errno.EINVAL:  # its closed pipe
        return BrokenPipeError(errno.EPIPE, os.strerror(errno.EPIPE))
    why = "is closed" if error.errno == errno.EBADF else f"cannot be written: {error.strerror}"
    return OSError(error.errno, why, OUTPUT)  # a BrokenPipeError again, where it is one


def hold_output() -> HeldOutput:
    """Puts itself in the place of standard output. A stream that is missing gets a file that
    refuses everything, by the descriptors that the entry opened. Text on standard error is neutral
    for the runner of a job, as that on standard output."""
    if sys.stdin is None:
        sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115
    if sys.stderr is None:
        sys.stderr = _text(io.FileIO(2, "w", closefd=False), "utf-8", "backslashreplace")
    else:
        shown = sys.stderr
        sys.stderr = JobText(
            shown.buffer, encoding=shown.encoding, errors=shown.errors, line_buffering=True
        )
    shown = sys.stdout
    if shown is None:
        held = HeldOutput(io.FileIO(1, "w", closefd=False))
        sys.stdout = _text(held, "utf-8", "replace")
        return held
    held = HeldOutput(getattr(shown.buffer, "raw", shown.buffer))
    sys.stdout = _text(held, shown.encoding, shown.errors)
    return held


def _text(raw: io.RawIOBase, encoding: str, errors: str | None) -> io.TextIOWrapper:
    return JobText(io.BufferedWriter(raw), encoding=encoding, errors=errors)


def release_output() -> None:
    """All that was printed is written; BrokenPipeError where nobody reads it, another OSError where
    it cannot be written."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, HeldOutput):
        raw.release()


def forget(stream: Any) -> None:
    """Nobody takes what is written to it: nothing more is, not even at the exit."""
    null = os.open(os.devnull, os.O_WRONLY)
    os.dup2(null, stream.fileno())
