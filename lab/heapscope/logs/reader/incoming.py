"""The bytes of a stream as they come: a pipe, a device, a serial port."""

from __future__ import annotations

import os
import queue
import stat
import sys
import threading
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.port import PortName, is_port, parse_port
from heapscope.base.printable import printable
from heapscope.trace.packed import walker_of
from heapscope.trace.serial_port import open_serial

_PIECE = 1 << 16  # bytes at once
_WAITING = 16  # pieces that may wait; more wait in the system
#: Seconds without a byte after which a line without an end is taken for whole.
_QUIET = 0.03

_Read = Callable[[], bytes]


def is_stream(source: str | Path) -> bool:
    """Whether its bytes come over time: not a file, which is there."""
    try:
        status = os.fstat(sys.stdin.fileno()) if str(source) == "-" else Path(source).stat()
    except (OSError, ValueError):
        return is_port(str(source))
    return not (stat.S_ISREG(status.st_mode) or stat.S_ISDIR(status.st_mode))


class Incoming:
    """Iterate it once for pieces; an empty one says that nothing came for a while. Use as a context
    manager. `stop`: asked again and again, True ends it. InputError: it cannot be opened."""

    def __init__(self, source: str | Path, *, stop: Callable[[], bool] | None = None) -> None:
        self.name = "standard input" if str(source) == "-" else printable(str(source), limit=400)
        self._stop = stop or (lambda: False)
        self._pieces: queue.Queue[bytes | None] = queue.Queue(_WAITING)
        self._port: Any = None
        read = self._opened(str(source))
        self._thread = threading.Thread(target=self._fetch, args=(read,), daemon=True)

    def __enter__(self) -> Incoming:
        self._thread.start()
        return self

    def __exit__(self, *error: object) -> None:
        if self._port is not None:
            self._port.close()

    def __iter__(self) -> Iterator[bytes]:
        return _unpacked(self._raw())

    def _raw(self) -> Iterator[bytes]:
        waits = False  # for the end of a line
        while not self._stop():
            try:
                piece = self._pieces.get(timeout=_QUIET)
            except queue.Empty:
                if waits:
                    yield b""
                waits = False
                continue
            if piece is None:
                return
            yield piece
            waits = True

    def _fetch(self, read: _Read) -> None:
        """In a thread: a read that waits cannot be given up."""
        try:
            while piece := read():
                self._pieces.put(piece)
        except (OSError, ValueError):
            pass  # the port is gone, or was closed
        self._pieces.put(None)

    def _opened(self, source: str) -> _Read:
        if source == "-":
            descriptor = sys.stdin.fileno()
            return lambda: os.read(descriptor, _PIECE)
        port = parse_port(source)
        if port.kind in ("tcp", "udp"):
            raise _no_network(self.name, port)
        if port.kind == "serial":
            return self._serial(port)
        try:
            descriptor = os.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0))
        except OSError as error:
            raise InputError(
                f"{self.name}: cannot be read: {error.strerror}",
                remedy="check the path and its permissions",
            ) from None
        return lambda: os.read(descriptor, _PIECE)

    def _serial(self, name: PortName) -> _Read:
        instead = "send it through a pipe: idf.py monitor | heapscope log -"
        shown = printable(name.device, limit=400)
        port = open_serial(name.device, name.baud, shown=shown, instead=instead, wait=None)
        self._port = port

        def read() -> bytes:
            try:
                return bytes(port.read(max(1, min(port.in_waiting, _PIECE))))
            except TypeError:  # pyserial reads from None where close() comes in between
                if port.is_open:
                    raise
                return b""

        return read


def _no_network(shown: str, port: PortName) -> InputError:
    udp = "-u " if port.kind == "udp" else ""
    place = f"{port.host} {port.number}" if port.host else f"-l {port.number}"
    return InputError(
        f"{shown}: log reads a file, a pipe or a serial port, and no {port.kind} port",
        remedy=printable(f"send it through a pipe: nc {udp}{place} | heapscope log -", limit=300),
    )


def _unpacked(pieces: Iterable[bytes]) -> Iterator[bytes]:
    """Compression is taken off; a stream that begins with too few bytes to tell has none."""
    left = iter(pieces)
    head = next(left, b"")
    walker = walker_of(head)
    if walker is None:
        yield head
        yield from left
        return
    yield from walker.push(head)
    for piece in left:
        yield from walker.push(piece)
    yield from walker.finish()
