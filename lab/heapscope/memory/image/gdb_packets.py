"""Packets of gdb's remote protocol: framing, checksums, and waiting that ends.

The source: "Remote Protocol" of gdb's manual. The peer may be slow, broken or a liar: every answer
has a limit of time and of size.
"""

from __future__ import annotations

import re
import socket
import time
from types import TracebackType
from typing import Self

from heapscope.base.errors import InputError
from heapscope.base.printable import printable

PATIENCE = 5.0  #: seconds for one answer
_ANSWER_MAX = 1 << 20
_TRIES = 3
_BLOCK = 1 << 16
_STATE, _STOPPED = b"?", re.compile(rb"[TS][0-9a-fA-F]{2}")
_REPEATED = re.compile(rb"(?s)(.)\*([ -~])")
_ESCAPED = re.compile(rb"(?s)\}(.)")
_REMEDY = "check that the debugger's server runs there, and that nothing else is connected to it"


class GdbPackets:
    """One connection. `end`: the time at which the whole of it has to be over, by time.monotonic();
    None: no such limit yet. InputError of every call: the peer is gone, silent, or breaks the
    protocol."""

    def __init__(self, peer: socket.socket, name: str, *, patience: float = PATIENCE) -> None:
        self.name = name
        self.end: float | None = None
        self._peer = peer
        self._patience = patience
        self._pending = bytearray()
        self._acknowledges = True
        self._owed = b""  # goes with the next question: one turn of the peer less

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._peer.close()

    def ask(self, question: bytes) -> bytes:
        """The answer, unpacked; b"": the peer does not know the question."""
        deadline = time.monotonic() + self._patience
        if self.end is not None:
            deadline = min(deadline, self.end)
        self.send(question)
        for _ in range(_TRIES):
            body, sound = self._packet(question, deadline)
            if sound:
                self._owed = b"+" if self._acknowledges else b""
                return _unpacked(body)
            if not self._acknowledges:
                break
            self._write(b"-")
        raise self._error(f"answers {_shown(question)} with a wrong checksum")

    def send(self, packet: bytes) -> None:
        self._write(b"%b$%b#%02x" % (self._owed, packet, sum(packet) & 0xFF))
        self._owed = b""

    def interrupt(self) -> None:
        """Stops a target that runs."""
        self._write(b"\x03")

    def without_acknowledgement(self) -> None:
        """After the peer agreed to it."""
        self._acknowledges = False

    def _write(self, data: bytes) -> None:
        try:
            self._peer.settimeout(self._patience)
            self._peer.sendall(data)
        except OSError as error:
            raise self._error(
                f"is gone: {error.strerror or 'it takes nothing any more'}"
            ) from error

    def _packet(self, question: bytes, deadline: float) -> tuple[bytes, bool]:
        """The body of the next answer, and whether its checksum is right. Text that the target
        prints, and notes that no request caused, do not count."""
        while True:
            start = self._find(b"$", question, deadline)
            note = self._pending.find(b"%", 0, start)
            if note >= 0:
                start = note
            del self._pending[:start]
            end = self._find(b"#", question, deadline)
            while len(self._pending) < end + 3:
                self._more(question, deadline)
            body = bytes(self._pending[1:end])
            told = bytes(self._pending[end + 1 : end + 3])
            del self._pending[: end + 3]
            if note >= 0:
                continue
            if _is_other(body, question):
                if self._acknowledges:
                    self._write(b"+")
                continue
            return body, told.lower() == b"%02x" % (sum(body) & 0xFF)

    def _find(self, mark: bytes, question: bytes, deadline: float) -> int:
        """Where it comes first; waits for it."""
        searched = 0
        while (found := self._pending.find(mark, searched)) < 0:
            searched = len(self._pending)
            if searched > _ANSWER_MAX:
                raise self._error(f"answers {_shown(question)} with more than {_ANSWER_MAX:,} B")
            self._more(question, deadline)
        return found

    def _more(self, question: bytes, deadline: float) -> None:
        left = deadline - time.monotonic()
        if left <= 0:
            raise self._silent(question)
        try:
            self._peer.settimeout(left)
            block = self._peer.recv(_BLOCK)
        except TimeoutError:
            raise self._silent(question) from None
        except OSError as error:
            raise self._error(f"is gone: {error.strerror}") from error
        if not block:
            raise self._error(f"closed the connection instead of answering {_shown(question)}")
        self._pending += block

    def _silent(self, question: bytes) -> InputError:
        return self._error(f"does not answer {_shown(question)} in time")

    def _error(self, what: str) -> InputError:
        return InputError(f"{self.name}: the debugger's server {what}", remedy=_REMEDY)


def _is_other(body: bytes, question: bytes) -> bool:
    """Text that the target prints; and that it stopped, which some servers tell unasked."""
    stopped = question != _STATE and _STOPPED.match(body) is not None
    return stopped or (body.startswith(b"O") and body != b"OK")


def _shown(question: bytes) -> str:
    return f"'{printable(question, limit=40)}'"


def _unpacked(body: bytes) -> bytes:
    """Without the protocol's escapes and repetitions."""
    if b"*" in body:
        body = _REPEATED.sub(lambda match: match[1] * (match[2][0] - 28), body)
    if b"}" in body:
        body = _ESCAPED.sub(lambda match: bytes((match[1][0] ^ 0x20,)), body)
    return body


def connect(host: str, port: int, name: str, *, patience: float = PATIENCE) -> GdbPackets:
    """InputError: nobody answers there."""
    try:
        peer = socket.create_connection((host or "localhost", port), timeout=patience)
        peer.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
    except OSError as error:
        reason = error.strerror or "no answer in time"
        raise InputError(f"{name}: no debugger's server: {reason}", remedy=_REMEDY) from None
    return GdbPackets(peer, name, patience=patience)
