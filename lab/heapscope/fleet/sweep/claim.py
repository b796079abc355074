"""One client at a time writes to an output. The system takes the claim away when its process ends,
however it ends."""

from __future__ import annotations

import errno
import os
import socket
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.base.file_lock import lock
from heapscope.base.printable import printable

NAME = ".claim"


@contextmanager
def claimed(folder: Path) -> Iterator[None]:
    """Raises InputError naming the other owner."""
    path = folder / NAME
    try:
        file = path.open("r+b" if path.exists() else "w+b")
    except OSError as error:
        raise unwritable(path, error) from None
    with file:
        try:
            lock(file)
        except OSError:
            who = file.read(200).decode("utf-8", "replace").strip()
            raise InputError(
                f"{printable(str(folder), limit=400)}: another client writes there: "
                f"{printable(who) or 'unknown'}",
                remedy="wait for its end, stop it, or give -o another folder; `heapscope sweep "
                "show` reads what is there",
            ) from None
        try:
            file.truncate()
            os.write(file.fileno(), f"process {os.getpid()} on {socket.gethostname()}\n".encode())
        except OSError as error:
            raise unwritable(path, error) from None
        yield


def unwritable(path: Path, error: OSError) -> InputError:
    """A file or a folder of the output cannot be written, for the system's reason."""
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    return InputError(
        f"{printable(str(path), limit=400)}: cannot be written: "
        f"{error.strerror or type(error).__name__}",
        remedy="make room there and run the same command again: what is kept there stays"
        if full
        else "give -o a folder that can be written; what is kept there stays",
    )
