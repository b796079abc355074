"""An open port: its bytes, and what it tells of itself."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

PIECE = 1 << 16  #: bytes at once
WAIT = 0.2  #: seconds after which a read without bytes comes back


class GoneError(Exception):
    """The other side is gone; it may come back."""


@dataclass(frozen=True, kw_only=True)
class Note:
    """Something that happened at the port. `kind`, `text`, `count`: as of a LiveEvent."""

    kind: str
    text: str
    count: int = 1


class Connection(Protocol):
    """An open port. `read` waits a moment; empty: nothing came. GoneError: the other side is gone.
    EOFError: it is over."""

    def read(self) -> bytes | Note: ...
    def close(self) -> None: ...


@dataclass(frozen=True, kw_only=True)
class Port:
    """`returns`: it is opened again when it is gone. `detail`: of a socket, where it listens.
    `strays`: how many datagrams were left out so far."""

    name: str
    open: Callable[[], Connection]
    returns: bool
    detail: str = ""
    strays: Callable[[], int] = lambda: 0
