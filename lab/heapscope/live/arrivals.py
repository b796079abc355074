"""The bytes of a port as they come, across losses of the connection."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heapscope.errors import InputError
from heapscope.live.port import Connection, GoneError, Port

_WAITING = 64  # pieces that may wait; more wait in the system
QUIET = 0.05  #: seconds after which a line without an end is taken for whole

_RETRY = 0.3  # seconds between two tries to open a port again


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Something that came: bytes, or `gone` (the other side is gone), or `back` (it is there
    again). `quiet`: nothing came for QUIET seconds."""

    data: bytes = b""
    gone: bool = False
    back: bool = False
    quiet: bool = False


class Arrivals:
    """Iterate it once; at `due`, `tick` seconds after the last call of shown(), it yields at least
    an Arrival of nothing. Use as a context manager. InputError: the port cannot be opened to begin
    with."""

    def __init__(self, port: Port, *, stop: Callable[[], bool], tick: float) -> None:
        self._port = port
        self._stop = stop
        self._tick = tick
        self.due = time.monotonic() + tick
        self._closed = threading.Event()
        self._pieces: queue.Queue[Arrival | None] = queue.Queue(_WAITING)
        self._connection: Connection = port.open()
        self._thread = threading.Thread(target=self._fetch, daemon=True)

    def __enter__(self) -> Arrivals:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._closed.set()
        self._connection.close()

    def shown(self) -> None:
        """Everything that came is shown."""
        self.due = time.monotonic() + self._tick

    def __iter__(self) -> Iterator[Arrival]:
        last = time.monotonic()
        while not self._stop():
            try:
                arrival = self._pieces.get(timeout=max(0.0, self.due - time.monotonic()))
            except queue.Empty:
                yield Arrival(quiet=time.monotonic() - last >= QUIET)
                continue
            if arrival is None:
                return
            last = time.monotonic()
            yield arrival

    def _fetch(self) -> None:
        """In a thread: a read that waits cannot be given up."""
        while not self._closed.is_set():
            try:
                if data := self._connection.read():
                    self._put(Arrival(data=data))
            except GoneError:
                self._put(Arrival(gone=True))
                if not self._port.returns or not self._reopened():
                    break
            except EOFError:
                break
        self._put(None)

    def _reopened(self) -> bool:
        self._connection.close()
        while not self._closed.wait(_RETRY):
            try:
                self._connection = self._port.open()
            except InputError:
                continue
            self._put(Arrival(back=True))
            return True
        return False

    def _put(self, arrival: Arrival | None) -> None:
        while not self._closed.is_set():
            try:
                self._pieces.put(arrival, timeout=0.2)
                return
            except queue.Full:
                time.sleep(0)
