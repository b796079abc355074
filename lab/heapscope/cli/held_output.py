"""Standard output held back until a verb is done: an interrupted one has printed nothing."""

from __future__ import annotations

import io
import os
import sys
from typing import Any

__all__ = ["HeldOutput", "hold_output", "release_output"]

_HELD_MAX = 1 << 20  # bytes: what is longer is a stream, and goes on as it comes


class HeldOutput(io.RawIOBase):
    """Takes what is printed, and writes it to the descriptor when it is released."""

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._held: bytearray | None = bytearray()  # None: nothing is held any more

    def writable(self) -> bool:
        return True

    def fileno(self) -> int:
        return self._descriptor

    def isatty(self) -> bool:
        return os.isatty(self._descriptor)

    def write(self, data: Any) -> int:
        if self._held is None:
            return os.write(self._descriptor, data)
        self._held += data
        if len(self._held) > _HELD_MAX:
            self.release()
        return len(data)

    def release(self) -> None:
        held, self._held = self._held or bytearray(), None
        with memoryview(held) as left:
            done = 0
            while done < len(held):
                done += os.write(self._descriptor, left[done:])

    def drop(self) -> None:
        """Throws away the text that is held."""
        if self._held is not None:
            self._descriptor = os.open(os.devnull, os.O_WRONLY)


def hold_output() -> HeldOutput:
    """Puts itself in the place of standard output, where there is one."""
    shown = sys.stdout
    if shown is None:
        return HeldOutput(os.open(os.devnull, os.O_WRONLY))
    held = HeldOutput(shown.fileno())
    sys.stdout = io.TextIOWrapper(
        io.BufferedWriter(held), encoding=shown.encoding, errors=shown.errors
    )
    return held


def release_output() -> None:
    """All that was printed is written; BrokenPipeError where nobody reads it."""
    sys.stdout.flush()
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    if isinstance(raw, HeldOutput):
        raw.release()
