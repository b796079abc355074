"""Firefox by WebDriver BiDi: its JSON over a WebSocket (RFC 6455), as far as the tests need it."""

from __future__ import annotations

import base64
import itertools
import json
import os
import re
import socket
import struct
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from needs import need_program

__all__ = ["Firefox", "firefox"]

_LISTENS = re.compile(r"WebDriver BiDi listening on ws://([\d.]+):(\d+)")
_START = 60  #: seconds that it may take to begin
_TEXT, _CLOSE, _PING, _PONG = 1, 8, 9, 10


class Firefox:
    """One window of it."""

    def __init__(self, connection: socket.socket) -> None:
        self._socket = connection
        self._ids = itertools.count(1)
        self.version = self.call("session.new", capabilities={})["capabilities"]["browserVersion"]
        self._window = self.call("browsingContext.getTree")["contexts"][0]["context"]

    def call(self, method: str, **params: Any) -> Any:
        number = next(self._ids)
        self._send(_TEXT, json.dumps({"id": number, "method": method, "params": params}).encode())
        while True:
            answer = json.loads(self._message())
            if answer.get("id") == number:
                if answer["type"] != "success":
                    raise RuntimeError(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def open(self, page: Path) -> None:
        where = page.resolve().as_uri()
        self.call("browsingContext.navigate", context=self._window, url=where, wait="complete")

    def evaluate(self, expression: str) -> Any:
        """The text, number or truth that the expression promises."""
        result = self.call(
            "script.evaluate",
            expression=expression,
            target={"context": self._window},
            awaitPromise=True,
        )
        if result["type"] != "success":
            raise RuntimeError(result["exceptionDetails"]["text"])
        return result["result"].get("value")

    # ---- the WebSocket ---------------------------------------------------------------------------

    def _send(self, kind: int, data: bytes) -> None:
        size = len(data)
        if size < 126:
            head = struct.pack("!BB", 0x80 | kind, 0x80 | size)
        elif size < 1 << 16:
            head = struct.pack("!BBH", 0x80 | kind, 0x80 | 126, size)
        else:
            head = struct.pack("!BBQ", 0x80 | kind, 0x80 | 127, size)
        mask = os.urandom(4)
        key = (mask * (size // 4 + 1))[:size]
        masked = int.from_bytes(data, "big") ^ int.from_bytes(key, "big")
        self._socket.sendall(head + mask + masked.to_bytes(size, "big"))

    def _message(self) -> bytes:
        whole = b""
        while True:
            first, second = self._take(2)
            size = second & 0x7F
            if size == 126:
                (size,) = struct.unpack("!H", self._take(2))
            elif size == 127:
                (size,) = struct.unpack("!Q", self._take(8))
            data = self._take(size)
            if first & 0x0F == _PING:
                self._send(_PONG, data)
            elif first & 0x0F == _CLOSE:
                raise RuntimeError("Firefox closed the connection")
            else:
                whole += data
                if first & 0x80:
                    return whole

    def _take(self, count: int) -> bytes:
        parts = bytearray()
        while len(parts) < count:
            more = self._socket.recv(min(count - len(parts), 1 << 20))
            if not more:
                raise RuntimeError("Firefox ended")
            parts += more
        return bytes(parts)


@contextmanager
def firefox() -> Iterator[Firefox]:
    program = need_program("firefox-esr", "firefox", package="firefox-esr")
    with tempfile.TemporaryDirectory() as profile:
        command = [program, "--headless", "--no-remote", "--remote-debugging-port=0"]
        log = Path(profile) / "log.txt"
        with log.open("wb") as out:
            running = subprocess.Popen(
                [*command, "--profile", profile],
                stdout=out,
                stderr=subprocess.STDOUT,
                env={**os.environ, "HOME": profile, "MOZ_CRASHREPORTER_DISABLE": "1"},
            )
        try:
            with socket.create_connection(_address(running, log), timeout=300) as connection:
                _shake_hands(connection)
                yield Firefox(connection)
        finally:
            running.terminate()
            running.wait(30)


def _address(running: subprocess.Popen[bytes], log: Path) -> tuple[str, int]:
    end = time.monotonic() + _START
    while time.monotonic() < end and running.poll() is None:
        if match := _LISTENS.search(log.read_text(encoding="utf-8", errors="replace")):
            return match[1], int(match[2])
        time.sleep(0.1)
    text = log.read_text(encoding="utf-8", errors="replace")
    raise RuntimeError(f"Firefox does not listen:\n{text}")


def _shake_hands(connection: socket.socket) -> None:
    key = base64.b64encode(os.urandom(16)).decode()
    host, port = connection.getpeername()
    connection.sendall(
        f"GET /session HTTP/1.1\r\nHost: {host}:{port}\r\nUpgrade: websocket\r\n"
        f"Connection: Upgrade\r\nSec-WebSocket-Key: {key}\r\n"
        "Sec-WebSocket-Version: 13\r\n\r\n".encode()
    )
    answer = b""
    while b"\r\n\r\n" not in answer:
        answer += connection.recv(1)
    if b" 101 " not in answer.splitlines()[0]:
        raise RuntimeError(f"Firefox refuses: {answer.decode(errors='replace')}")
