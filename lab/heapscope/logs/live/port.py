"""Where a device is heard: a serial port, a connection, a file, a pipe. Each says how its bytes are
read; a port that can come back is opened again."""

from __future__ import annotations

import os
import stat
import sys
from pathlib import Path
from typing import Any

from heapscope.base.errors import InputError
from heapscope.base.port import parse_port
from heapscope.base.printable import printable
from heapscope.logs.live.connection import PIECE, WAIT, Connection, GoneError, Port
from heapscope.logs.live.network import LOOPBACK, tcp_listener, tcp_to, udp_listener
from heapscope.trace.serial_port import open_serial

_INSTEAD = "send it through a pipe: cat DEVICE | heapscope live -"


def find_port(source: str, *, listen_on: str = LOOPBACK) -> Port:
    """The port that a text means, as parse_port() reads it; tcp:PORT and udp:PORT listen on the
    address `listen_on`. Raises InputError if it cannot be opened."""
    name = parse_port(source)
    if name.kind == "udp":
        return udp_listener(name.number, listen_on)
    if name.kind == "tcp":
        return tcp_to(name.host, name.number) if name.host else tcp_listener(name.number, listen_on)
    if name.kind == "serial":
        return _serial(name.device, name.baud)
    return _stream(source)


# ---- serial ports -------------------------------------------------------------------------------


class _Serial:
    def __init__(self, device: str, baud: int, shown: str) -> None:
        self._port: Any = open_serial(device, baud, shown=shown, instead=_INSTEAD, wait=WAIT)

    def read(self) -> bytes:
        try:
            return bytes(self._port.read(1)) + bytes(
                self._port.read(min(self._port.in_waiting, PIECE))
            )
        except (OSError, ValueError, TypeError):  # as pyserial and its systems have it
            raise GoneError from None

    def close(self) -> None:
        self._port.close()


def _serial(device: str, baud: int) -> Port:
    shown = printable(device, limit=200)
    return Port(name=shown, open=lambda: _Serial(device, baud, shown), returns=True)


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
