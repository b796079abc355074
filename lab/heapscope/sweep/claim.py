"""One client at a time writes to an output. The system takes the claim away when its process ends,
however it ends."""

from __future__ import annotations

import os
import socket
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from heapscope.errors import InputError
from heapscope.trace.names import printable

NAME = ".claim"
_LOCKED = 1 << 20  # the byte that Windows locks, behind what can be read of the file


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """InputError names who else has it."""
    path = folder / NAME
    try:
        file = path.open("r+b" if path.exists() else "w+b")
    except OSError as error:
        raise InputError(
            f"{printable(str(path), limit=400)}: cannot be written: {error.strerror}",
            remedy="give -o another folder",
        ) from None
    with file:
        if not _lock(file):
            who = file.read(200).decode("utf-8", "replace").strip()
            raise InputError(
                f"{printable(str(folder), limit=400)}: another client writes there: "
                f"{printable(who) or 'unknown'}",
                remedy="wait for its end, stop it, or give -o another folder; `heapscope sweep "
                "show` reads what is there",
            )
        file.truncate()
        file.write(f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        file.flush()
        yield


def _lock(file: BinaryIO) -> bool:
    if sys.platform == "win32":
        import msvcrt

        file.seek(_LOCKED)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        finally:
            file.seek(0)
        return True
    import fcntl

    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        return False
    return True
