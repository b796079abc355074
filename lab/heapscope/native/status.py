"""Status codes of the native library (device/include/heapscope/status.h) as errors."""

from __future__ import annotations

import enum

from heapscope.base.errors import HeapscopeError
from heapscope.base.shortage import ENOUGH


class Status(enum.IntEnum):
    """hs_status_t."""

    OK = 0
    ARGUMENT = 1
    MEMORY = 2
    FORMAT = 3
    VERSION = 4
    CORRUPT = 5
    SINK = 6


_MEANING = {
    Status.ARGUMENT: "a value is outside its range",
    Status.MEMORY: "memory does not suffice",
    Status.FORMAT: "the bytes are not a trace",
    Status.VERSION: "the trace is of a newer version",
    Status.CORRUPT: "a heap failed its integrity check; this is a fault of Heapscope",
    Status.SINK: "the output refused the bytes",
}


class StatusError(HeapscopeError):
    """A native call failed. `where` is the index of the offending region, where one is known."""

    def __init__(self, what: str, *, status: int, where: int | None = None) -> None:
        place = "" if where is None else f", region {where}"
        super().__init__(
            f"{what}{place}: {_meaning(status)}", remedy=ENOUGH if status == Status.MEMORY else ""
        )
        self.status = status
        self.where = where


def _meaning(status: int) -> str:
    try:
        return _MEANING[Status(status)]
    except (KeyError, ValueError):
        return f"status {status}"


def check(status: int, what: str) -> None:
    """Raises StatusError unless `status` is OK."""
    if status != Status.OK:
        raise StatusError(what, status=status)
