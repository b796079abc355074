"""Devices on a network: connections, ours to them or theirs to us, and datagrams. Whoever reaches a
port that listens is heard, so no peer may hold it: a silent one gives way to one that sends."""

from __future__ import annotations

import os
import selectors
import socket
from collections import deque
from math import inf
from time import monotonic

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.base.wording import plural
from heapscope.logs.live.chunk_heads import begins_a_recording, has_chunk
from heapscope.logs.live.connection import PIECE, WAIT, Connection, GoneError, Note, Port

LOOPBACK = "127.0.0.1"

_SILENT_MAX = 8  # connections that have sent nothing yet; the oldest is closed for another one
_EACH = 5.0  # seconds between two notes about datagrams that are left out
#: A peer that lost its power says nothing: the system asks it after so many seconds, and so often.
_ALIVE = {"TCP_KEEPIDLE": 5, "TCP_KEEPALIVE": 5, "TCP_KEEPINTVL": 5, "TCP_KEEPCNT": 3}


def _keep_alive(connection: socket.socket) -> None:
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)
    for option, value in _ALIVE.items():
        if hasattr(socket, option):
            connection.setsockopt(socket.IPPROTO_TCP, getattr(socket, option), value)


def _received(connection: socket.socket) -> bytes:
    """GoneError: the other side is gone."""
    try:
        data = connection.recv(PIECE)
    except TimeoutError:
        return b""
    except OSError:
        raise GoneError from None
    if not data:
        raise GoneError
    return data


# ---- our connection to them ---------------------------------------------------------------------


class _Connected:
    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.settimeout(WAIT)
        _keep_alive(connection)

    def read(self) -> bytes:
        return _received(self._socket)

    def close(self) -> None:
        self._socket.close()


def tcp_to(host: str, number: int) -> Port:
    name = printable(f"{host}:{number}", limit=200)

    def connect() -> Connection:
        try:
            return _Connected(socket.create_connection((host, number), timeout=5))
        except OSError as error:
            raise InputError(
                f"{name}: cannot be reached: {printable(str(error.strerror or error), limit=200)}",
                remedy="does the device listen there? To let it connect to here: tcp:PORT",
            ) from None

    return Port(name=name, open=connect, returns=True)


# ---- theirs to us -------------------------------------------------------------------------------


def _bound(kind: socket.SocketKind, number: int, address: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    built = socket.socket(family, kind)
    try:
        if kind is socket.SOCK_STREAM and os.name == "posix":
            built.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        built.bind((address, number))
    except OSError as error:
        built.close()
        raise InputError(
            f"cannot listen on {printable(address)}, port {number}: {error.strerror or error}",
            remedy="choose another port, or an address of this machine with --listen-on",
        ) from None
    built.settimeout(WAIT)
    return built


def _where(built: socket.socket) -> str:
    host, number = built.getsockname()[:2]
    return f"{host}, port {number}"


class _Accepting:
    """Whoever connects. The newest that sends something is heard; older ones are closed."""

    def __init__(self, listening: socket.socket, name: str) -> None:
        self._listening = listening
        self._name = name
        self._selector = selectors.DefaultSelector()
        self._selector.register(listening, selectors.EVENT_READ)
        self._now: socket.socket | None = None
        self._silent: list[socket.socket] = []  # have sent nothing yet, the oldest first
        self._lost = False  # somebody was there, and is gone
        self._next: deque[bytes | Note] = deque()

    def opened(self) -> _Accepting:
        """Itself, for the first one to come. Later InputError: the next one is not there yet."""
        if self._lost:
            if not self._silent:
                self._accept_one(self._ready())
            if not self._silent:
                raise InputError("nobody connects", remedy="connect the device again")
            self._lost = False
        return self

    def read(self) -> bytes | Note:
        if self._next:
            return self._next.popleft()
        ready = self._ready()
        self._accept_one(ready)
        if self._now is not None and self._now in ready:  # to its end, before another one is heard
            return self._from(self._now)
        for one in reversed([one for one in self._silent if one in ready]):
            if data := self._from(one):
                self._hear(one)
                self._next.append(data)
                return self._next.popleft()
        return b""

    def _ready(self) -> list[object]:
        try:
            return [key.fileobj for key, _ in self._selector.select(WAIT)]
        except (OSError, ValueError):
            raise EOFError from None

    def _accept_one(self, ready: list[object]) -> None:
        if self._listening not in ready:
            return
        try:
            connection = self._listening.accept()[0]
        except OSError:  # it went away again
            return
        _keep_alive(connection)
        connection.settimeout(WAIT)
        self._selector.register(connection, selectors.EVENT_READ)
        self._silent.append(connection)
        if len(self._silent) > _SILENT_MAX:
            self._drop(self._silent[0])

    def _from(self, one: socket.socket) -> bytes:
        """GoneError: the one that is heard is gone, or the only one."""
        try:
            return _received(one)
        except GoneError:
            heard = one is self._now
            self._drop(one)
            if heard or (self._now is None and not self._silent):
                self._lost = True
                raise
            return b""

    def _hear(self, one: socket.socket) -> None:
        before = [] if self._now is None else [self._now]
        if before:
            text = f"{self._name} is closed for one that was silent: a newer connection sends"
            self._next += (Note(kind="gone", text=text), Note(kind="back", text=self._back(one)))
        for other in (*before, *self._silent[: self._silent.index(one)]):
            self._drop(other)
        self._silent.remove(one)
        self._now = one

    def _back(self, one: socket.socket) -> str:
        return f"{self._name} is back: {_peer(one)}"

    def _drop(self, one: socket.socket) -> None:
        self._selector.unregister(one)
        one.close()
        if one is self._now:
            self._now = None
        else:
            self._silent.remove(one)

    def close(self) -> None:
        """The one that is heard, which another thread may read. Whoever waits goes on waiting."""
        if self._now is not None:
            self._now.close()


def _peer(connection: socket.socket) -> str:
    try:
        return str(connection.getpeername()[0])
    except OSError:
        return "somebody who is gone"


def tcp_listener(number: int, address: str) -> Port:
    listening = _bound(socket.SOCK_STREAM, number, address)
    listening.listen(_SILENT_MAX)
    where = _where(listening)
    name = f"tcp on {where}"
    return Port(name=name, open=_Accepting(listening, name).opened, returns=True, detail=where)


class _Datagrams:
    """Those of one sender's address: two devices make no recording. It is the first that sends a
    whole chunk; a chunk that begins a recording makes its sender the one."""

    def __init__(self, receiving: socket.socket, name: str) -> None:
        self._socket = receiving
        self._name = name
        self._sender = ""
        self._next: deque[bytes | Note] = deque()
        self._noted = -inf  # when the last note about strays was made, and of how many
        self._reported = 0
        self.strays = 0

    def read(self) -> bytes | Note:
        return self._next.popleft() if self._next else self._received()

    def _received(self) -> bytes | Note:
        try:
            data, (sender, *_) = self._socket.recvfrom(PIECE)
        except TimeoutError:
            return self._stray("")
        except OSError:
            raise GoneError from None
        if self._sender in ("", sender):
            self._sender = self._sender or (sender if has_chunk(data) else "")
            return data
        if not begins_a_recording(data):
            self.strays += 1
            return self._stray(sender)
        text = f"{self._name}: {sender} begins a recording and is heard now, not {self._sender}"
        self._sender = sender
        self._next.append(data)
        return Note(kind="back", text=text)

    def _stray(self, sender: str) -> bytes | Note:
        """A note about those since the last note; one every so often is enough."""
        count = self.strays - self._reported
        if not count or monotonic() - self._noted < _EACH:
            return b""
        self._noted, self._reported = monotonic(), self.strays
        whose = f" (the last one of {sender})" if sender else ""
        text = f"{plural(count, 'datagram')} left out{whose}: {self._sender} is heard"
        return Note(kind="stray", text=text, count=count)

    def close(self) -> None:
        self._socket.close()


def udp_listener(number: int, address: str) -> Port:
    receiving = _bound(socket.SOCK_DGRAM, number, address)
    where = _where(receiving)
    heard = _Datagrams(receiving, f"udp on {where}")
    return Port(
        name=f"udp on {where}",
        open=lambda: heard,
        returns=False,
        detail=where,
        strays=lambda: heard.strays,
    )
