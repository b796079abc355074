"""Where a device is heard: a serial port, a connection, a file, a pipe. Each says how its bytes are
read; a port that can come back is opened again."""

from __future__ import annotations

import os
import socket
import stat
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

from heapscope.errors import InputError
from heapscope.printable import printable
from heapscope.trace.port import is_port
from heapscope.trace.serial_port import open_serial

BAUD = 115_200  #: of ESP-IDF's console
LOOPBACK = "127.0.0.1"
PIECE = 1 << 16  #: bytes at once

_WAIT = 0.2  # seconds after which a read without bytes comes back
_INSTEAD = "send it through a pipe: cat DEVICE | heapscope live -"


class GoneError(Exception):
    """The other side is gone; it may come back."""


class Connection(Protocol):
    """An open port. `read` waits a moment; empty: nothing came. GoneError: the other side is gone.
    EOFError: it is over."""

    def read(self) -> bytes: ...
    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Port:
    """`returns`: it is opened again when it is gone. `detail`: of a socket, where it listens."""

    name: str
    open: Callable[[], Connection]
    returns: bool
    detail: str = ""


def find_port(source: str, *, listen_on: str = LOOPBACK) -> Port:
    """The port that a text means: serial:/dev/ttyUSB0@921600, tcp:HOST:PORT, tcp:PORT and udp:PORT
    (which listen on the address `listen_on`), a file, a pipe, "-". InputError: there is none."""
    scheme, colon, rest = source.partition(":")
    scheme = scheme.lower() if colon else ""
    if scheme == "udp":
        return _udp(_number(rest, source), listen_on)
    if scheme == "tcp":
        host, _, number = rest.rpartition(":")
        if host:
            return _tcp(host.strip("[]"), _number(number, source))
        return _tcp_listener(_number(number, source), listen_on)
    if scheme == "serial" or is_port(source):
        return _serial(rest if scheme == "serial" else source)
    return _stream(source)


def _number(text: str, source: str) -> int:
    if text.isascii() and text.isdigit() and int(text) < 1 << 16:
        return int(text)
    raise InputError(
        f"{printable(source)}: '{printable(text)}' is not a port number",
        remedy="write tcp:HOST:PORT, tcp:PORT or udp:PORT with a number from 0 to 65535",
    )


# ---- serial ports -------------------------------------------------------------------------------


class _Serial:
    def __init__(self, device: str, baud: int, shown: str) -> None:
        self._port: Any = open_serial(device, baud, shown=shown, instead=_INSTEAD, wait=_WAIT)

    def read(self) -> bytes:
        try:
            return bytes(self._port.read(1)) + bytes(
                self._port.read(min(self._port.in_waiting, PIECE))
            )
        except (OSError, ValueError, TypeError):  # as pyserial and its systems have it
            raise GoneError from None

    def close(self) -> None:
        self._port.close()


def _serial(text: str) -> Port:
    device, at, baud = text.rpartition("@")
    if not at:
        device, baud = text, str(BAUD)
    if not (baud.isascii() and baud.isdigit() and 0 < int(baud) < 1 << 32):
        raise InputError(
            f"{printable(text)}: '{printable(baud)}' is not a speed",
            remedy="write the bits a second behind @: serial:/dev/ttyUSB0@921600",
        )
    shown = printable(device, limit=200)
    return Port(name=shown, open=lambda: _Serial(device, int(baud), shown), returns=True)


# ---- connections --------------------------------------------------------------------------------


class _Connected:
    """A TCP connection, ours to them or theirs to us."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        connection.settimeout(_WAIT)

    def read(self) -> bytes:
        try:
            data = self._socket.recv(PIECE)
        except TimeoutError:
            return b""
        except OSError:
            raise GoneError from None
        if not data:
            raise GoneError
        return data

    def close(self) -> None:
        self._socket.close()


def _tcp(host: str, number: int) -> Port:
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


def _bound(kind: socket.SocketKind, number: int, address: str) -> socket.socket:
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    made = socket.socket(family, kind)
    try:
        if kind is socket.SOCK_STREAM and os.name == "posix":
            made.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        made.bind((address, number))
    except OSError as error:
        made.close()
        raise InputError(
            f"cannot listen on {printable(address)}, port {number}: {error.strerror or error}",
            remedy="choose another port, or an address of this machine with --listen-on",
        ) from None
    made.settimeout(_WAIT)
    return made


def _where(made: socket.socket) -> str:
    host, number = made.getsockname()[:2]
    return f"{host}, port {number}"


class _Accepting:
    """Whoever connects, one after the other."""

    def __init__(self, listening: socket.socket) -> None:
        self._listening = listening
        self._now: _Connected | None = None
        self._lost = False  # somebody was there, and is gone

    def opened(self) -> _Accepting:
        """Itself, for the first one to come. Later InputError: the next one is not there yet."""
        if self._lost and not self._accepted():
            raise InputError("nobody connects", remedy="connect the device again")
        return self

    def read(self) -> bytes:
        if not self._accepted() or self._now is None:
            return b""
        try:
            return self._now.read()
        except GoneError:
            self.close()
            self._lost = True
            raise

    def _accepted(self) -> bool:
        """Waits a moment for somebody to connect."""
        if self._now is None:
            try:
                self._now = _Connected(self._listening.accept()[0])
            except TimeoutError:
                return False
            except OSError:
                raise EOFError from None
        return True

    def close(self) -> None:
        if self._now is not None:
            self._now.close()
            self._now = None


def _tcp_listener(number: int, address: str) -> Port:
    listening = _bound(socket.SOCK_STREAM, number, address)
    listening.listen(1)
    accepting = _Accepting(listening)
    where = _where(listening)
    return Port(name=f"tcp on {where}", open=accepting.opened, returns=True, detail=where)


class _Datagrams:
    """Those of the first sender's address alone: two devices make no recording."""

    def __init__(self, receiving: socket.socket) -> None:
        self._socket = receiving
        self._sender = ""

    def read(self) -> bytes:
        try:
            data, sender = self._socket.recvfrom(PIECE)
        except TimeoutError:
            return b""
        except OSError:
            raise GoneError from None
        self._sender = self._sender or str(sender[0])
        return data if sender[0] == self._sender else b""

    def close(self) -> None:
        self._socket.close()


def _udp(number: int, address: str) -> Port:
    receiving = _bound(socket.SOCK_DGRAM, number, address)
    where = _where(receiving)
    return Port(
        name=f"udp on {where}", open=lambda: _Datagrams(receiving), returns=False, detail=where
    )


# ---- files and pipes ----------------------------------------------------------------------------


class _Descriptor:
    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor

    def read(self) -> bytes:
        try:
            data = os.read(self._descriptor, PIECE)
        except OSError:
            raise EOFError from None
        if not data:
            raise EOFError
        return data

    def close(self) -> None:
        """A thread may still read it; the process closes it."""


def _stream(source: str) -> Port:
    if source == "-":
        return Port(
            name="standard input",
            open=lambda: _Descriptor(sys.stdin.fileno()),
            returns=False,
        )
    name = printable(source, limit=400)

    def opened() -> Connection:
        try:
            if stat.S_ISDIR(Path(source).stat().st_mode):
                raise InputError(f"{name}: is a folder", remedy="name a file, a pipe or a port")
            return _Descriptor(os.open(source, os.O_RDONLY | getattr(os, "O_BINARY", 0)))
        except (OSError, ValueError) as error:
            raise InputError(
                f"{name}: cannot be read: {getattr(error, 'strerror', None) or error}",
                remedy="check the path; a port is serial:DEVICE@BAUD, tcp:HOST:PORT or udp:PORT",
            ) from None

    return Port(name=name, open=opened, returns=False)
