"""A lock on an open file, which the system takes away when its process ends, however it ends."""

from __future__ import annotations

import errno
import os
import sys
from typing import BinaryIO

_BYTE = 1 << 20  # the one that Windows locks, behind what can be read of the file


def lock(file: BinaryIO) -> None:
    """BlockingIOError: another process has it. Another OSError: the file's system has no locks."""
    if sys.platform == "win32":
        import msvcrt

        file.seek(_BYTE)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            raise BlockingIOError from None
        finally:
            file.seek(0)
        return
    try:
        import fcntl
    except ImportError:  # a Python without POSIX, as in a browser
        raise OSError(errno.ENOLCK, os.strerror(errno.ENOLCK)) from None
    fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
