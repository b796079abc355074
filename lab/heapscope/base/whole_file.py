"""A file that appears whole or not at all, also where the machine stops: it is written beside its
place, flushed to the disk and renamed. The next run that writes there removes the part that a
killed one left."""

from __future__ import annotations

import errno
import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO

from heapscope.base.file_lock import lock
from heapscope.base.interrupt import temporary

_NAME = 60  # characters of the target's name: four bytes each, and the rest, are a name's 255
_NO_FLUSH = (errno.EINVAL, errno.ENOSYS, errno.ENOTSUP)  # of systems of files that have none


@contextmanager
def whole_file(target: Path) -> Iterator[BinaryIO]:
    """The file takes the place of `target` when the block ends without an error; nothing stays
    behind otherwise. OSError: it cannot be written."""
    _remove_left(target)
    while True:
        part = target.with_name(f"{_beginning(target)}{secrets.token_hex(4)}.part")
        with temporary(str(part), lambda path=part: path.unlink(missing_ok=True)):  # type: ignore[misc]
            with part.open("xb") as file:
                if not _kept(file):
                    continue
                yield file
                file.flush()
                _flush(file.fileno())
                if sys.platform != "win32":  # while it is locked; Windows renames no open file
                    part.replace(target)
            if sys.platform == "win32":
                part.replace(target)
        _flush_folder(target.parent)
        return


def write_whole(target: Path, data: bytes) -> None:
    with whole_file(target) as file:
        file.write(data)


def _beginning(target: Path) -> str:
    return f".{target.name[:_NAME]}."


def _kept(file: BinaryIO) -> bool:
    """Whether it is locked while it has its name: another run takes one without a lock for a killed
    one's. Windows removes no file that is open."""
    if sys.platform == "win32":
        return True
    try:
        lock(file)
    except BlockingIOError:
        return False
    except OSError:  # no locks there: nobody removes it either
        return True
    return os.fstat(file.fileno()).st_nlink > 0


def _remove_left(target: Path) -> None:
    """The files beside the target that no living run writes."""
    ours = re.compile(re.escape(_beginning(target)) + "[0-9a-f]{8}[.]part")
    try:
        names = [name for name in os.listdir(target.parent) if ours.fullmatch(name)]  # noqa: PTH208
    except OSError:  # may be written and not read
        return
    for name in names:
        try:
            _remove(target.with_name(name))
        except OSError:  # is being written, or is another user's
            continue


def _remove(left: Path) -> None:
    if not stat.S_ISREG(left.lstat().st_mode):
        return
    if sys.platform == "win32":
        left.unlink()
        return
    with left.open("r+b") as file:
        lock(file)
        left.unlink()


def _flush(descriptor: int) -> None:
    try:
        os.fsync(descriptor)
    except OSError as error:
        if error.errno not in _NO_FLUSH:
            raise


def _flush_folder(folder: Path) -> None:
    """The new name, too. The file is whole whether or not that succeeds."""
    if sys.platform == "win32":
        return
    try:
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError:
        return
    try:
        os.fsync(descriptor)
    except OSError:
        return
    finally:
        os.close(descriptor)
