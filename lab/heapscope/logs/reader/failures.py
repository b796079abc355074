"""The requests that failed, and what else a log says of memory that was short."""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.native.log import Fact

#: The kinds of facts that failures are found in.
FAILURES = frozenset((
    "asked", "failed", "abort_request", "python_error", "wifi_buffer", "wifi_frame", "wifi_rx",
    "task_failed", "corrupt", "not_memory", "tls_error", "error",
))  # fmt: skip
_GROUPS_MAX = 1000
_WHOLE_MAX = 10_000
#: Words in front of a colon that name nobody.
_LEVELS = {"Warn", "Error", "E", "W", "I", "ERROR", "WARN", "WARNING", "error", "warning"} | {
    "function_name",  # a placeholder that a program printed as it stood
}
_FUNCTION = re.compile(r"\bfunc\w*: (\w{1,60})")  # behind a request that failed
#: A line without a size this close behind a failure says it again.
_AGAIN = 30
#: A core dump repeats the message of the abort behind these words.
_CORE_DUMP = "Panic reason"
#: "Out of memory" so close behind another line without a size says that again.
_SAME_BREATH = 2
#: "Allocating frame buffer (115200 bytes)" this close before a failure tells its size.
_ASKED = 8


@dataclass(kw_only=True)
class FailureLines:
    """Requests that failed in the same way. `size` None: not told."""

    who: str
    size: int | None
    caps: int | None
    how: str  # "callback", "abort", "python", "wifi buffer", "tls", "task", "words", ...
    first: int  # line
    last: int
    quote: str
    count: int = 1
    memory: bool = True  # False: the log shows another cause
    free: int | None = None  # what the line says was free
    uptime: int | None = None


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
        self.groups: dict[tuple[str, int | None, int | None], FailureLines] = {}
        self.count = 0
        self.others: list[Fact] = []  # lines that look like it and are not
        self.whole: list[Fact] = []  # the first requests that tell size and capabilities
        self._asked: Fact | None = None
        self._last: FailureLines | None = None

    def listed(self) -> list[FailureLines]:
        """Without those that another one explains."""
        found = list(self.groups.values())
        if any(one.how == "wifi buffer" for one in found):
            found = [one for one in found if one.how != "wifi frame"]
        if any(not one.memory for one in found):
            found = [one for one in found if one.how != "weak"]
        return found

    def take(self, fact: Fact) -> None:
        kind = fact.kind
        if kind == "asked":
            self._asked = fact
        elif kind == "failed":
            self._failed(fact)
        elif kind == "abort_request":
            self._add(fact, "", fact.size, fact.caps, "abort")
        elif kind == "python_error":
            self._add(fact, "Python", fact.size, None, "python")
        elif kind == "wifi_buffer":
            self._add(fact, f"Wi-Fi buffer of type {fact.code}", fact.size, None, "wifi buffer")
        elif kind == "wifi_frame":
            self._add(fact, f"Wi-Fi frame {fact.name}", None, None, "wifi frame")
        elif kind == "wifi_rx":
            self._add(fact, "Wi-Fi receive buffers", None, None, "wifi rx")
        elif kind == "task_failed":
            self._add(fact, f"task {fact.name}", None, None, "task")
        elif kind == "corrupt" and fact.name == "block_locate_free" and fact.text == "heap_tlsf.c":
            self._add(fact, "assert of block_locate_free", None, None, "assert")
        elif kind == "not_memory":
            self._not_memory(fact)
        elif kind in ("tls_error", "error") and fact.no_memory:
            self._error(fact)

    def _failed(self, fact: Fact) -> None:
        how = "weak" if fact.weak else fact.text or "words"
        size = fact.size
        if size is None:
            if self._asked is not None and fact.line - self._asked.line <= _ASKED:
                size = self._asked.size
            elif self._said_again(fact, sized=fact.text != "no memory"):
                return
        self._asked = None
        named = _FUNCTION.search(fact.quote) if not fact.name else None
        who = fact.name if named is None else named[1]
        self._add(fact, "" if who in _LEVELS else who, size, fact.caps, how)

    def _error(self, fact: Fact) -> None:
        """A number says why a call failed; the request itself may have been told before."""
        if not self._said_again(fact, sized=False):
            who = fact.name or ("TLS" if fact.kind == "tls_error" else "")
            self._add(fact, who, None, None, "tls" if fact.kind == "tls_error" else "error")

    def _not_memory(self, fact: Fact) -> None:
        if fact.text.startswith("FreeRTOS"):  # a task was not created, for another reason
            self._add(fact, f"task {fact.name}", None, None, "task", memory=False)
        elif len(self.others) < _GROUPS_MAX:
            self.others.append(fact)

    def _said_again(self, fact: Fact, *, sized: bool) -> bool:
        last = self._last
        close = _AGAIN if last is None or last.size is not None else _SAME_BREATH
        if fact.kind in ("tls_error", "error"):
            close = _AGAIN
        if last is None or fact.line - last.last > close or (sized and last.size is None):
            return False
        if fact.kind == "tls_error" and last.how == "tls" and fact.code is None:
            return last.who == fact.name  # another part of the library
        return True

    def _add(
        self,
        fact: Fact,
        who: str,
        size: int | None,
        caps: int | None,
        how: str,
        *,
        memory: bool = True,
    ) -> None:
        if how == "abort" and self._aborted(fact):
            return
        self.count += 1
        if size and caps is not None and len(self.whole) < _WHOLE_MAX:
            self.whole.append(fact)
        key = (who, size, caps)
        found = self.groups.get(key)
        if found is not None:
            found.count += 1
            found.last = fact.line
        elif len(self.groups) < _GROUPS_MAX:
            found = FailureLines(
                who=who,
                size=size,
                caps=caps,
                how=how,
                first=fact.line,
                last=fact.line,
                quote=fact.quote,
                memory=memory,
                free=fact.free,
                uptime=fact.before,
            )
            self.groups[key] = found
        self._last = found

    def _aborted(self, fact: Fact) -> bool:
        """The callback told the same request before the program ended, or the abort did before the
        core dump."""
        last = self._last
        if last is None or last.size != fact.size:
            return False
        if _CORE_DUMP in fact.quote:
            return last.how in ("callback", "abort")
        return last.how == "callback" and fact.line - last.last <= _AGAIN
