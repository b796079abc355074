"""A host that floods the firmware with datagrams, beside the network that it has."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Iterator
from types import TracebackType

__all__ = ["Peer"]

_OWN, _ALL = b"\x52\x55\x0a\x00\x02\x4d", b"\xff" * 6  # addresses of Ethernet
_DEVICE = bytes((10, 0, 2, 15))
_PIECE = 1480  # bytes of a datagram in one frame
_PAUSE = 0.002  # seconds between two of its frames
_HOSTS = range(20, 200)
_ECHO, _TCP, _UDP = 1, 6, 17


class Peer:
    """Sends as long as it is open: echo requests that are larger than a frame, segments and
    datagrams to closed ports, each from another host, which the firmware has to ask for."""

    def __init__(self) -> None:
        self._socket = socket.create_server(("127.0.0.1", 0), backlog=1)
        self._thread = threading.Thread(target=self._send, daemon=True)
        self._over = threading.Event()

    @property
    def options(self) -> list[str]:
        """QEMU gives the frames to the device alone, and its own network does not hear them."""
        port = self._socket.getsockname()[1]
        return [
            *("-chardev", f"socket,id=peer,host=127.0.0.1,port={port}"),
            *("-object", "filter-redirector,id=heard,netdev=net,queue=tx,indev=peer"),
        ]

    def _send(self) -> None:
        try:
            line, _ = self._socket.accept()
            with line:
                for frame in _frames():
                    if self._over.wait(_PAUSE):
                        return
                    line.sendall(struct.pack(">I", len(frame)) + frame)
        except OSError:
            return  # QEMU ended

    def __enter__(self) -> Peer:
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._socket.close()
        self._thread.join()


def _frames() -> Iterator[bytes]:
    number = 0
    while True:
        for host in _HOSTS:
            number += 1
            source = bytes((10, 0, 2, host))
            echo = bytes(((number * 7 + i) & 0xFF) for i in range(3000))
            yield from _datagrams(source, _ECHO, number, _summed(b"\x08\0\0\0\0\1\0\1", 2, echo))
            yield from _datagrams(source, _UDP, number, struct.pack(">4H", 7, 7, 8, 0))
            head = struct.pack(">HHIIBBHHH", 7, 80, number, 0, 0x50, 2, 1024, 0, 0)
            false = source + _DEVICE + struct.pack(">BBH", 0, _TCP, len(head))
            yield from _datagrams(source, _TCP, number, _summed(head, 16, b"", false))


def _datagrams(source: bytes, protocol: int, number: int, content: bytes) -> Iterator[bytes]:
    """The frames of a datagram, in pieces."""
    for at in range(0, len(content), _PIECE):
        part = content[at : at + _PIECE]
        more = 0x2000 if at + len(part) < len(content) else 0
        fields = (0x45, 0, 20 + len(part), number & 0xFFFF, more | at // 8, 64, protocol, 0)
        head = _summed(struct.pack(">BBHHHBBH", *fields) + source + _DEVICE, 10, b"")
        yield _ALL + _OWN + b"\x08\0" + (head + part).ljust(46, b"\0")


def _summed(head: bytes, at: int, content: bytes, beside: bytes = b"") -> bytes:
    """With the checksum of the Internet at its place."""
    whole = beside + head + content
    words = struct.unpack(f">{(len(whole) + 1) // 2}H", whole + bytes(len(whole) % 2))
    total = sum(words)
    total = (total & 0xFFFF) + (total >> 16)
    total = ~((total & 0xFFFF) + (total >> 16)) & 0xFFFF
    return head[:at] + struct.pack(">H", total) + head[at + 2 :] + content
