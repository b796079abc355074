"""The bytes of a port as they come, across losses of the connection."""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from heapscope.base.errors import InputError
from heapscope.logs.live.connection import Connection, GoneError, Note, Port

_WAITING = 64  # pieces that may wait; more wait in the system
IDLE = 0.25  #: seconds between two looks at nothing new
QUIET = 0.05  #: seconds after which a line without an end is taken for whole

_RETRY = 0.3  # seconds between two tries to open a port again


@dataclass(frozen=True, kw_only=True)
class Arrival:
    """Something that came: bytes, or a note, for example that the other side is gone, or back.
    `quiet`: nothing came for QUIET seconds."""

    data: bytes = b""
    note: Note | None = None
    quiet: bool = False


class Arrivals:
    """Iterate it once, and call shown() when everything that came is shown. This is `due` when
    something comes, at most once in `tick` seconds, and each IDLE seconds while nothing does; then
    it yields at least an Arrival of nothing. Use as a context manager. InputError: the port cannot
    be opened to begin with."""

    def __init__(self, port: Port, *, stop: Callable[[], bool], tick: float) -> None:
        self._port = port
        self._stop = stop
        self._tick = tick
        self._shown = time.monotonic()
        self._fresh = False  # something came that is not shown, or has no end yet
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

    @property
    def due(self) -> bool:
        """It is time to show how it stands."""
        return self._left() <= 0

    def shown(self) -> None:
        self._shown = time.monotonic()

    def _left(self) -> float:
        return self._shown + (self._tick if self._fresh else IDLE) - time.monotonic()

    def __iter__(self) -> Iterator[Arrival]:
        last = time.monotonic()
        while not self._stop():
            try:
                arrival = self._pieces.get(timeout=max(0.0, self._left()))
            except queue.Empty:
                quiet = time.monotonic() - last >= QUIET
                yield Arrival(quiet=quiet)
                self._fresh = not quiet or self._shown < last
                continue
            if arrival is None:
                return
            last, self._fresh = time.monotonic(), True
            yield arrival

    def _fetch(self) -> None:
        """In a thread: a read that waits cannot be given up."""
        while not self._closed.is_set():
            try:
                came = self._connection.read()
                if isinstance(came, Note):
                    self._put(Arrival(note=came))
                elif came:
                    self._put(Arrival(data=came))
            except GoneError:
                self._tell("gone")
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
            except EOFError:
                return False
            self._tell("back")
            return True
        return False

    def _tell(self, kind: str) -> None:
        self._put(Arrival(note=Note(kind=kind, text=f"{self._port.name} is {kind}")))

    def _put(self, arrival: Arrival | None) -> None:
        while not self._closed.is_set():
            try:
                self._pieces.put(arrival, timeout=0.2)
                return
            except queue.Full:
                time.sleep(0)
