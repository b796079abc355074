"""The lines of a device's log, whatever terminal wrote it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

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
