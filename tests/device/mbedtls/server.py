"""The other end: OpenSSL as Python has it, on a thread, for as many connections as come."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

__all__ = ["CLOSE", "Server", "client_context", "pattern", "served"]

CLOSE = 0xC105E  #: as `sent`: the server closes
SECONDS = 20


def pattern(count: int) -> bytes:
    return bytes((i * 7 + i // 256) & 255 for i in range(count))


PATTERN = pattern(1 << 17)


@dataclass
class Server:
    """`failures` says of each connection why it ended but by the client's close."""

    port: int
    failures: list[str] = field(default_factory=list)
    connections: int = 0
    largest: int = 0  # bytes received at once, of one record


def context_of(purpose: int, own: str, folder: Path, text: str) -> ssl.SSLContext:
    blocks = text.split("-----BEGIN ")[1:]
    authority, *rest = ["-----BEGIN " + block for block in blocks]
    certificate, key = rest[:2] if own == "server" else rest[2:]
    chain = folder / f"{own}.pem"
    chain.write_text(certificate + key, "ascii")
    context = ssl.SSLContext(purpose)
    context.maximum_version = ssl.TLSVersion.TLSv1_2
    context.set_ciphers("ALL:@SECLEVEL=1")
    context.load_cert_chain(chain)
    context.load_verify_locations(cadata=authority)
    context.verify_mode = ssl.CERT_REQUIRED
    return context


def server_context(folder: Path, credentials: str) -> ssl.SSLContext:
    return context_of(ssl.PROTOCOL_TLS_SERVER, "server", folder, credentials)


def client_context(folder: Path, credentials: str) -> ssl.SSLContext:
    return context_of(ssl.PROTOCOL_TLS_CLIENT, "client", folder, credentials)


def read_all(line: ssl.SSLSocket, count: int, server: Server) -> bytes:
    parts = []
    while count > 0:
        part = line.recv(min(count, 65536))
        if not part:
            raise EOFError
        server.largest = max(server.largest, len(part))
        parts.append(part)
        count -= len(part)
    return b"".join(parts)


def answer(line: ssl.SSLSocket, server: Server) -> None:
    """Until the client closes; ValueError: it sent other bytes than it should have."""
    while True:
        try:
            sent, wanted = struct.unpack("<II", read_all(line, 8, server))
        except EOFError:
            return
        if sent == CLOSE:
            line.unwrap()
            return
        if read_all(line, sent, server) != PATTERN[:sent]:
            raise ValueError("other bytes arrived")
        line.sendall(PATTERN[:wanted])


def serve(listener: socket.socket, context: ssl.SSLContext, server: Server) -> None:
    while True:
        try:
            plain, _ = listener.accept()
        except OSError:  # closed: the end
            return
        server.connections += 1
        plain.settimeout(SECONDS)
        plain.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            with context.wrap_socket(plain, server_side=True) as line:
                answer(line, server)
        except (OSError, EOFError, ValueError) as error:
            server.failures.append(str(error) or type(error).__name__)
        finally:
            plain.close()


@contextmanager
def served(folder: Path, credentials: str) -> Iterator[Server]:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Server(listener.getsockname()[1])
        context = server_context(folder, credentials)
        thread = threading.Thread(target=serve, args=(listener, context, server), daemon=True)
        thread.start()
        try:
            yield server
        finally:
            listener.shutdown(socket.SHUT_RDWR)
            thread.join(SECONDS)
