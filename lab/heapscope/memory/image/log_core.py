"""Core dumps that a device printed: ESP-IDF's in base64 between two marks, Zephyr's in hexadecimal.

A console puts other lines between, and programs that save it put times in front of each line.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from heapscope.base.errors import InputError
from heapscope.base.wording import size as sized

_START, _END = b"CORE DUMP START", b"CORE DUMP END"
_ZEPHYR = re.compile(rb"#CD:(?P<data>BEGIN#|END#|ERROR[^\r\n]*|[0-9a-fA-F]*)")
_BASE64 = re.compile(rb"(?P<prefix>.*?)(?P<data>[A-Za-z0-9+/]{2,64}={0,2})\s*")
_BARE = re.compile(rb"(?:[A-Za-z0-9+/]{4}){0,99}[A-Za-z0-9+/]{2}[A-Za-z0-9+/=]{2}")
_COLOUR = re.compile(rb"\x1b\[[\d;]*m")
_NUMBERS = re.compile(rb"\d+")
_LINE = 64  # characters of a full line
_LINE_MAX = 400
_TRIED = 64  # lines by which a file is known as base64 without marks
_REMEDY = "let the device print it again (it is still there where it is kept in flash)"


@dataclass(frozen=True, kw_only=True)
class Printed:
    """A core dump out of a log. `whole`: its end was printed; `count`: how many the log has, of
    which this is the last one with an end, or else the last."""

    data: bytes
    whole: bool
    count: int


def has_core(log: bytes) -> bool:
    return _START in log or b"#CD:BEGIN#" in log


def plain_base64(data: bytes) -> bytes | None:
    """A file of lines of base64 and of nothing else, as the SDK's monitor saves it; None: it is
    another file."""
    lines = data.split()
    if not lines or not all(_BARE.fullmatch(line) for line in lines[:_TRIED]):
        return None
    try:
        return b"".join(base64.b64decode(line, validate=True) for line in lines)
    except binascii.Error:
        return None


def read_printed(log: bytes, *, name: str) -> Printed:
    """The log must have one. InputError: nothing of a core dump is between its marks."""
    dumps = [*_esp(log), *_zephyr(log)]
    found = [one for one in dumps if one[0]]
    if not found:
        raise InputError(
            f"{name}: the mark of a core dump, and no line of one follows", remedy=_REMEDY
        )
    data, whole = next((one for one in reversed(found) if one[1]), found[-1])
    return Printed(data=data, whole=whole, count=len(found))


def check_length(printed: Printed, wanted: int, *, name: str) -> None:
    """InputError: lines are lost between the marks, or others are between them, and what follows
    would be at other addresses than its own. `wanted`: by the dump's own header."""
    if printed.whole and len(printed.data) != wanted:
        other = wanted - len(printed.data)
        what = f"{sized(other)} are lost" if other > 0 else f"{sized(-other)} too many are"
        raise InputError(
            f"{name}: {what} between the marks of the core dump, so that what is behind them has "
            "no sure address",
            remedy=_REMEDY,
        )


def _esp(log: bytes) -> Iterator[tuple[bytes, bool]]:
    begin = log.find(_START)
    while begin >= 0:
        after = log.find(_START, begin + 1)
        limit = len(log) if after < 0 else after
        end = log.find(_END, begin, limit)
        lines = log[begin : limit if end < 0 else end].splitlines()[1:]
        yield _decoded(lines), end >= 0
        begin = after


def _decoded(lines: list[bytes]) -> bytes:
    """The lines that have the same in front of their base64 as most of the full ones; the others
    are of somebody else."""
    plain = (_COLOUR.sub(b"", line) for line in lines if len(line) <= _LINE_MAX)
    matches = [_BASE64.fullmatch(line) for line in plain]
    fronts = Counter(
        _NUMBERS.sub(b"0", match["prefix"])
        for match in matches
        if match is not None and len(match["data"]) == _LINE
    )
    front = fronts.most_common(1)[0][0] if fronts else b""
    parts = []
    for match in matches:
        if match is not None and _NUMBERS.sub(b"0", match["prefix"]) == front:
            try:
                parts.append(base64.b64decode(match["data"], validate=True))
            except binascii.Error:
                continue
    return b"".join(parts)


def _zephyr(log: bytes) -> Iterator[tuple[bytes, bool]]:
    parts: list[bytes] | None = None
    for match in _ZEPHYR.finditer(log):
        word = match["data"]
        if word == b"BEGIN#":
            if parts is not None:
                yield b"".join(parts), False
            parts = []
        elif parts is not None and word == b"END#":
            yield b"".join(parts), True
            parts = None
        elif parts is not None and len(word) % 2 == 0 and not word.startswith(b"ERROR"):
            parts.append(bytes.fromhex(word.decode("ascii")))
    if parts is not None:
        yield b"".join(parts), False
