"""A server of gdb's protocol of the tests' own, with the faults that a test asks for."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

#: An answer to a question; None: the usual one; b"silent": none at all.
Fault = Callable[[bytes], bytes | None]
SILENT = b"silent"


@dataclass(kw_only=True)
class GdbServer:
    """`memory`: runs of bytes by their addresses. `raw`: an answer is sent as it is, without a
    frame. `damages`: so many answers have a wrong checksum at first. `asked`: every question,
    `running`: the target goes on."""

    memory: dict[int, bytes]
    features: str = "PacketSize=400;QStartNoAckMode+"
    fault: Fault = lambda question: None
    raw: Fault = lambda question: None
    documents: dict[bytes, bytes] = field(default_factory=dict)
    tells_stop: bool = False
    damages: int = 0
    asked: list[bytes] = field(default_factory=list)
    running: bool = True
    acknowledges: bool = True

    def answer(self, question: bytes) -> bytes:
        told = self.fault(question)
        if told is not None:
            return told
        if question.startswith(b"qSupported"):
            return self.features.encode()
        if question[:1] in (b"m", b"x"):
            data = self._read(question)
            if data is None:
                return b"E14"
            return data.hex().encode() if question[:1] == b"m" else b"b" + _escaped(data)
        if question.startswith(b"qXfer:"):
            _, kind, _, file, place = question.split(b":")
            at, size = (int(word, 16) for word in place.split(b","))
            part = self.documents.get(file, self.documents.get(kind, b""))[at : at + size]
            return (b"m" if part else b"l") + part
        known = {
            b"QStartNoAckMode": b"OK",
            b"?": b"T05thread:01;",
            b"vCont?": b"vCont;c;C;s;S",
            b"qfThreadInfo": b"m1,2",
            b"qsThreadInfo": b"l",
            b"Hg1": b"OK",
            b"Hg2": b"OK",
            b"g": struct.pack("<33I", *range(33)).hex().encode(),
        }
        return known.get(question, b"")

    def _read(self, question: bytes) -> bytes | None:
        start, size = (int(word, 16) for word in question[1:].split(b","))
        for address, data in self.memory.items():
            if address <= start and start + size <= address + len(data):
                return data[start - address :][:size]
        return None


def _escaped(data: bytes) -> bytes:
    return b"".join(b"}" + bytes([one ^ 0x20]) if one in b"#$}*" else bytes([one]) for one in data)


def framed(body: bytes) -> bytes:
    return b"$%b#%02x" % (body, sum(body) & 0xFF)


@contextmanager
def served(server: GdbServer) -> Iterator[str]:
    """The place of the server, as gdb:HOST:PORT; one connection after the other."""
    listener = socket.create_server(("127.0.0.1", 0))
    thread = threading.Thread(target=_serve, args=(server, listener), daemon=True)
    thread.start()
    try:
        yield f"gdb:127.0.0.1:{listener.getsockname()[1]}"
    finally:
        listener.shutdown(socket.SHUT_RDWR)
        listener.close()
        thread.join()


def _serve(server: GdbServer, listener: socket.socket) -> None:
    while True:
        try:
            peer, _ = listener.accept()
        except OSError:
            return
        with peer:
            peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            server.running = False
            server.acknowledges = True
            try:
                _talk(server, peer)
            except OSError:
                continue


def _talk(server: GdbServer, peer: socket.socket) -> None:
    if server.tells_stop:
        peer.sendall(framed(b"T02thread:01;"))
    pending, last = b"", b""
    while block := peer.recv(4096):
        pending += block
        while pending:
            if pending[:1] != b"$":
                if pending[:1] == b"-":
                    peer.sendall(last)
                pending = pending[1:]
                continue
            body, mark, rest = pending[1:].partition(b"#")
            if not mark or len(rest) < 2:
                break
            assert int(rest[:2], 16) == sum(body) & 0xFF
            pending = rest[2:]
            server.asked.append(body)
            if server.acknowledges:
                peer.sendall(b"+")
            if body in (b"c", b"vCont;c"):
                server.running = True
                continue
            as_it_is = server.raw(body)
            answer = server.answer(body) if as_it_is is None else b""
            if answer == SILENT or as_it_is == SILENT:
                continue
            last = framed(answer) if as_it_is is None else as_it_is
            damaged = server.damages > 0 and body[:1] == b"m"
            server.damages -= damaged
            peer.sendall(last[:-2] + b"zz" if damaged else last)
            if body == b"QStartNoAckMode":
                server.acknowledges = False
