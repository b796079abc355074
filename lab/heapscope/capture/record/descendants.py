"""The processes that a recorded command leaves behind. The kernel gives them to this process when
their parents have ended, so that none of them is overlooked because it is quiet."""

from __future__ import annotations

import ctypes
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from heapscope.base.printable import printable

_SET_SUBREAPER, _GET_SUBREAPER = 36, 37  # of prctl
_RECORDS = (b"libheapscope_record", b"/memfd:heapscope")  # the object, and the shared memory


class Descendants:
    """Those that were started with `variable` in their environment, by a parent that has ended."""

    def __init__(self, variable: str) -> None:
        self._mark = f"HEAPSCOPE_RECORD={variable}".encode()
        self._ours: set[int] = set()  # seen, and not yet taken leave of

    def look(self, command: int) -> tuple[list[int], dict[int, str]]:
        """Those that live and can be recorded; and the names of those that cannot be, as nothing of
        the recorder is in them. `command`: the process of the command itself."""
        waits: list[int] = []
        beyond: dict[int, str] = {}
        for pid in _children() - {command}:
            if self._ended(pid):
                continue
            if self._mark not in _read(pid, "environ").split(b"\0"):
                continue  # a child of this process for another purpose
            self._ours.add(pid)
            maps = _read(pid, "maps")
            if any(one in maps for one in _RECORDS):
                waits.append(pid)
            else:
                name = _read(pid, "comm").decode("utf-8", "replace").strip()
                beyond[pid] = f"{printable(name)} ({pid})"
        return waits, beyond

    def _ended(self, pid: int) -> bool:
        """Also takes leave of one of ours that has."""
        try:
            if os.waitid(os.P_PID, pid, os.WEXITED | os.WNOHANG | os.WNOWAIT) is None:
                return False
            if pid in self._ours:
                os.waitpid(pid, os.WNOHANG)
        except ChildProcessError:
            pass
        return True


@contextmanager
def descendants(variable: str) -> Iterator[Descendants]:
    """From before the command's start to the recording's end."""
    library = ctypes.CDLL(None)
    was = ctypes.c_int(0)
    library.prctl(_GET_SUBREAPER, ctypes.byref(was), 0, 0, 0)
    library.prctl(_SET_SUBREAPER, 1, 0, 0, 0)
    try:
        yield Descendants(variable)
    finally:
        library.prctl(_SET_SUBREAPER, was.value, 0, 0, 0)


def _children() -> set[int]:
    """The children of this process; none where the kernel does not list them."""
    results: set[int] = set()
    for path in Path("/proc/self/task").glob("*/children"):
        with suppress(OSError):
            results |= {int(pid) for pid in path.read_text().split()}
    return results


def _read(pid: int, file: str) -> bytes:
    with suppress(OSError):
        return Path(f"/proc/{pid}/{file}").read_bytes()
    return b""
