"""The lines of a device's log, whatever terminal wrote it, and when they were printed."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from heapscope.rows.figure import figure
from heapscope.rows.row import Row
from heapscope.trace.names import printable
from heapscope.trace.source import as_utf8

LINE_MAX = 4096  #: bytes of a line that count

#: Also colours that have lost their escape character, or had it written out.
_ESCAPE = re.compile(
    rb"\x1b(?:\[[0-9;?]*[ -/]*[@-~]|[()][0-9A-Za-z])|(?:\?|\[1B\])?\[\d{1,2}(?:;\d{1,3})*m"
)
_LAST_WORD = re.compile(rb"[0-9A-Za-z_]+$")


@dataclass(frozen=True, slots=True)
class LogLine:
    """`number` as an editor counts, from 1. `raw` as it stands in the file; `text` without colours
    and blanks at its end. `ended`: an end of line follows; where none does, the last word may be
    cut in two and is not in `text`."""

    number: int
    raw: bytes
    text: bytes
    ended: bool = True


def log_lines(blocks: Iterable[bytes]) -> Iterator[LogLine]:
    """Lines end with LF, CRLF or CR; long ones are cut to LINE_MAX. UTF-16 is read too."""
    for number, (whole, ended) in enumerate(_divided(blocks), 1):
        *parts, last = whole.split(b"\r")
        yield from (_line(number, part, True) for part in parts if part)
        if last:
            yield _line(number, last, ended)


def _line(number: int, raw: bytes, ended: bool) -> LogLine:
    text = _ESCAPE.sub(b"", raw) if b"[" in raw or b"\x1b" in raw else raw
    if not ended:
        text = _LAST_WORD.sub(b"", text)
    return LogLine(number, raw, text.rstrip(), ended)


def _divided(blocks: Iterable[bytes]) -> Iterator[tuple[bytes, bool]]:
    rest = b""
    for block in as_utf8(blocks):
        *lines, rest = (rest + block).split(b"\n")
        yield from ((line[:LINE_MAX], True) for line in lines)
        rest = rest[:LINE_MAX]
    if rest:
        yield rest, False


#: `I (1234) tag: ` of ESP-IDF, `[  1234][I][` of Arduino: milliseconds since the start.
_TICK = re.compile(rb"(?<![\w(])[IWEDV] ?\((\d{1,10})\) |^\W{0,4}\[ *(\d{1,10})\]\[[IWEDV]\]")
#: A host's stamps in front: `12:34:56`, `[12:34:56.789]`, `2024-05-31T12:34:56`, `2024-05-31 ...`.
_STAMP = re.compile(
    rb"^\W{0,3}((?:\d{4}-\d\d-\d\d[T ])?\d\d:\d\d:\d\d(?:[.,]\d{1,6})?Z?)(?![\d:])[\]>-]* ?"
)
_HEAD = 64  # bytes of a line in which they stand


class LogMoment(Row):
    """The moment at which it was printed."""

    line: int = figure("Line of the log, from 1.", least=1)
    uptime_ms: int | None = figure(
        "The device's last log time before it, since its start; null: none.", "ms", default=None
    )
    stamp: str = figure("The host's time on the line, as printed; empty: none.", default="")

    def place(self) -> str:
        """ "line 812, 12.345 s after the start" """
        parts = [f"line {self.line:,}"]
        if self.stamp:
            parts.append(f"at {self.stamp}")
        if self.uptime_ms is not None:
            parts.append(f"{self.uptime_ms / 1000:,.3f} s after the start")
        return ", ".join(parts)


def without_stamp(text: bytes) -> bytes:
    """Without what the host put in front."""
    found = _STAMP.match(text[:_HEAD])
    return text if found is None else text[found.end() :]


class LogClock:
    """Remembers the last log time of the device. Lines must be shown in order."""

    def __init__(self) -> None:
        self._last = b""

    def see(self, text: bytes) -> None:
        if b"(" in text[:_HEAD] or text[:6].lstrip().startswith(b"["):
            head = text[:_HEAD]
            if _TICK.search(head):
                self._last = head

    def restart(self) -> None:
        """The device begins anew."""
        self._last = b""

    def at(self, line: LogLine) -> LogMoment:
        tick = _TICK.search(self._last)
        stamp = _STAMP.match(line.text[:_HEAD])
        return LogMoment(
            line=line.number,
            uptime_ms=None if tick is None else int(tick[1] or tick[2]),
            stamp="" if stamp is None else printable(stamp[1]),
        )
