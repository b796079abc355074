"""The requests that failed, and what else a log says of memory that was short."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from heapscope.native.log import Fact, NativeFailures

#: The kinds of facts that failures are found in.
FAILURES = frozenset((
    "asked", "failed", "abort_request", "python_error", "wifi_buffer", "wifi_frame", "wifi_rx",
    "task_failed", "corrupt", "not_memory", "tls_error", "error",
))  # fmt: skip
_OTHERS_MAX = 1000
_WHOLE_MAX = 10_000
_STARTS = 1000


_FUNCTION = re.compile(r"\b(lv_\w+): ")
#: Who has a pool of its own, by the begin of its functions' names; and how it grows.
_POOLS = (("lv_", "LVGL's own pool (LV_MEM_SIZE; LV_STDLIB_CLIB takes the system's heap)"),)


def own_pool(who: str) -> str:
    """The pool that it asks instead of the system's heap; empty: none is known."""
    return next((pool for begin, pool in _POOLS if who.startswith(begin)), "")


def _who(row: dict[str, Any]) -> str:
    """Who asked; a function with a pool of its own may stand behind a log's own prefix."""
    behind = _FUNCTION.search(row["quote"])
    return str(row["who"] or (behind[1] if behind else ""))


@dataclass(frozen=True, kw_only=True)
class FailureLines:
    """Requests that failed in the same way. None: not told."""

    who: str
    size: int | None
    caps: int | None
    how: str  # "callback", "abort", "python", "wifi buffer", "tls", "task", "words", ...
    first: int  # line
    last: int
    quote: str
    count: int
    memory: bool  # False: the log shows another cause
    free: int | None  # what the line says was free
    uptime: int | None


@dataclass(frozen=True, kw_only=True)
class LoggedError:
    """An error with a number."""

    code: str | int
    call: str
    line: int
    no_memory: bool
    quote: str


class LoggedErrors:
    """The errors of TLS libraries and of the SDK."""

    def __init__(self) -> None:
        self.first: LoggedError | None = None
        self.rust = False  # a line names an error as esp-hal does

    def take(self, fact: Fact) -> None:
        self.rust |= fact.name == "esp-hal"
        if fact.code is None:
            return
        code: str | int = fact.code
        if fact.kind == "tls_error":
            code = fact.text if fact.text.startswith("-0x") else f"-0x{-fact.code:02X}"
        error = LoggedError(
            code=code, call=fact.name, line=fact.line, no_memory=fact.no_memory, quote=fact.quote
        )
        if self.first is None or (error.no_memory and not self.first.no_memory):
            self.first = error


class LoggedFailures:
    """Takes the facts in order and groups them. A line that only repeats what another said before
    is counted with it."""

    def __init__(self) -> None:
        self.count = 0
        self.by_start: dict[int, int | None] = {}  # starts with a failure, and the last one's ms
        self.others: list[Fact] = []  # lines that look like it and are not
        self.whole: list[Fact] = []  # the first requests that tell size and capabilities
        self._native = NativeFailures()
        self._listed: list[FailureLines] | None = None

    def listed(self) -> list[FailureLines]:
        """Without those that another one explains."""
        if self._listed is None:
            self._listed = [
                FailureLines(**{**row, "memory": bool(row["memory"]), "who": _who(row)})
                for row in self._native.rows()
            ]
        return self._listed

    def take(self, fact: Fact, boot: int = 1) -> None:
        if not self._native.take(fact):
            if fact.kind == "not_memory" and len(self.others) < _OTHERS_MAX:
                self.others.append(fact)
            return
        self.count += 1
        if fact.kind != "not_memory" and (boot in self.by_start or len(self.by_start) < _STARTS):
            self.by_start[boot] = fact.before
        self._listed = None
        if fact.size and fact.caps is not None and len(self.whole) < _WHOLE_MAX:
            self.whole.append(fact)
