"""Requests that failed, as the SDK and the usual hooks print them.

Mem alloc fail. size 0x000006a0 caps 0x00001800             abort on failure, v5.1 and later
heap_caps_malloc was called but failed to allocate 16717 bytes with 0x1800 capabilities.
                                                            the hook of the programming guide
Failed to allocate memory, size: 16717 bytes, caps: 0x0804, func: heap_caps_malloc
                                                            hooks that say the same otherwise
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from heapscope.capture.esp_idf.fits import Answer
from heapscope.capture.esp_idf.lines import LogLine, LogMoment
from heapscope.layout import capabilities
from heapscope.rows.figure import computed, figure
from heapscope.rows.row import Row
from heapscope.trace.names import printable

_ABORT = re.compile(
    rb"Mem alloc fail\. size 0x([0-9a-f]{1,8})(?![0-9a-f]),? +caps 0x([0-9a-f]{1,8})(?![0-9a-f])",
    re.IGNORECASE,
)
_HOOK = re.compile(
    rb"([A-Za-z_]\w{0,60}|<function_name>)[\"']? was called but failed to allocate (\d{1,10}) bytes"
    rb" with (0x[0-9a-f]{1,8}|[0-9a-f]{8}|\d{1,10})(?![0-9a-f]) capabilit",
    re.IGNORECASE,
)
_OTHER = re.compile(
    rb"fail\w{0,3}\b.{0,80}?\bsize\W{1,3}(0x[0-9a-f]{1,8}|\d{1,10})(?![0-9a-f])"
    rb".{0,40}?\bcaps\W{1,3}(0x[0-9a-f]{1,8})(?![0-9a-f])"
    rb"(?:.{0,20}?\bfunc\w*\W{1,3}(\w{1,60}))?",
    re.IGNORECASE,
)
#: Lack of memory without a size; 0x7F00 is MBEDTLS_ERR_SSL_ALLOC_FAILED.
_WORDS = re.compile(
    rb"emory allocation failed|-0x7F00\b|ESP_ERR_NO_MEM\b|malloc (?:buffer )?fail|ut of memory\b"
    rb"|alloc\w* failed\b|failed to allocate",
    re.IGNORECASE,
)
_ECHO = re.compile(rb"Panic reason:")  # a core dump's report repeats the line
_GROUPS_MAX = 1000
_KEPT_MAX = 10_000
_SHOWN = 3  # lines without a size that are kept as text


@dataclass(frozen=True, kw_only=True)
class FailedRequest:
    size: int
    caps: int
    function: str  # as printed; "" where the line does not tell
    moment: LogMoment


class FailedGroup(Row):
    """Failed requests of one size, set of capabilities and function."""

    size: int = figure("Bytes asked for.", "B")
    caps: int = figure("Capability bits.")
    function: str = figure("The function, as printed; empty: not told.")
    count: int = figure("How many.")
    first: LogMoment = figure("The first.")
    last: LogMoment = figure("The last.")
    fits_in_last_summary: Answer | None = figure(
        "Whether it would fit in `summary`; null: there is none.", default=None
    )

    @property
    @computed("The capabilities by name.")
    def capabilities(self) -> str:
        return capabilities.format(self.caps)


def read_failed(line: LogLine, moment: LogMoment) -> FailedRequest | None:
    if _ECHO.search(line.text):
        return None
    if (found := _ABORT.search(line.text)) is not None:
        return _request(int(found[1], 16), int(found[2], 16), b"", moment)
    if (found := _HOOK.search(line.text)) is not None:
        return _request(int(found[2]), _caps(found[3]), found[1], moment)
    if (found := _OTHER.search(line.text)) is not None:
        return _request(int(found[1], 0), int(found[2], 16), found[3] or b"", moment)
    return None


def _caps(text: bytes) -> int:
    """0x1800; some hooks print eight digits without the 0x, some a decimal number."""
    return int(text, 16) if text[:2].lower() == b"0x" or len(text) == 8 else int(text)


def _request(size: int, caps: int, function: bytes, moment: LogMoment) -> FailedRequest | None:
    if size >= 1 << 32 or caps >= 1 << 32:
        return None
    name = printable(function.strip(b"<>"))
    known = "" if name == "function_name" else name
    return FailedRequest(size=size, caps=caps, function=known, moment=moment)


class FailedRequests:
    """Those of one boot, in bounded memory."""

    def __init__(self) -> None:
        self.count = 0
        self.zero_sized = 0  # v4.4 and v5.0 call the hook for malloc(0): not a failure
        self.without_size = 0
        self.texts: list[str] = []  # the first lines without a size
        self.kept: list[FailedRequest] = []  # the first ones
        self._groups: dict[tuple[int, int, str], FailedGroup] = {}

    def feed(self, line: LogLine, moment: LogMoment) -> None:
        request = read_failed(line, moment)
        if request is None:
            self._note_words(line)
        elif request.size == 0:
            self.zero_sized += 1
        else:
            self._add(request)

    def groups(self) -> tuple[FailedGroup, ...]:
        """Most frequent first."""
        return tuple(sorted(self._groups.values(), key=lambda g: (-g.count, -g.size)))

    def _note_words(self, line: LogLine) -> None:
        if _WORDS.search(line.text) and not _ECHO.search(line.text):
            self.without_size += 1
            if len(self.texts) < _SHOWN:
                self.texts.append(f"line {line.number:,}: {printable(line.text.strip())}")

    def _add(self, request: FailedRequest) -> None:
        self.count += 1
        if len(self.kept) < _KEPT_MAX:
            self.kept.append(request)
        key = (request.size, request.caps, request.function)
        old = self._groups.get(key)
        if old is None and len(self._groups) >= _GROUPS_MAX:
            return
        self._groups[key] = FailedGroup(
            size=request.size,
            caps=request.caps,
            function=request.function,
            count=1 if old is None else old.count + 1,
            first=request.moment if old is None else old.first,
            last=request.moment,
        )
