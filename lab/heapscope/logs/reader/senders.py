"""Whether the figures of a log are those of two devices: lines that are alike but for a name, whose
figures are far apart."""

from __future__ import annotations

import re
from dataclasses import dataclass

_NUMBER = re.compile(r"(?<![\w/])-?\d[\d.,]*")
_TOKEN = re.compile(r"[^\s\"'=:;,|\[\](){}/]+|/")
_MOST = 16  # kinds of lines that are distinguished
_LEAST = 2  # lines of each device
_TURNS = 3  # times that they take turns
_APART = 4  # times as far apart as each goes by itself
_SAME_MS = 2000
_SUFFIX = 2  # characters that names have in common at least
_FAR = 20  # a share of what is free
#: Words of the moments of one device.
_PHASES = frozenset((
    "before", "after", "start", "end", "begin", "done", "pre", "post", "idle", "busy", "during",
    "first", "second", "last", "open", "close", "opened", "closed", "connect", "connected",
    "disconnect", "disconnected", "init", "boot", "setup", "loop", "run", "min", "max", "free",
    "largest", "total", "used", "heap", "internal", "psram", "spiram", "dma",
))  # fmt: skip


@dataclass(kw_only=True)
class _Sender:
    last: int
    time: int | None
    count: int = 1
    widest: int = 0  # from one of its lines to the next
    together: int = 0  # lines at the time of another sender's line
    far: int = 0  # such lines whose figures differ by more than one device's can


class Senders:
    """Takes what was free, with the line that told it."""

    def __init__(self) -> None:
        self._by: dict[str, _Sender] = {}
        self._named: dict[str, None] = {}  # by a column of a table
        self._last = ""
        self._turns = 0

    def take(self, value: int, quote: str, time: int | None, name: str = "") -> None:
        if name:
            self._named.setdefault(name)
        key = _NUMBER.sub("#", quote)
        sender = self._by.get(key)
        if sender is not None:
            sender.widest = max(sender.widest, abs(value - sender.last))
            sender.count += 1
            sender.last, before = value, self._by.get(self._last)
        elif len(self._by) < _MOST:
            sender, before = _Sender(last=value, time=time), self._by.get(self._last)
            self._by[key] = sender
        else:
            return
        if self._last not in ("", key):
            self._turns += 1
            if before is not None and before.time is not None and time is not None:
                together = abs(before.time - time) <= _SAME_MS
                sender.together += together
                sender.far += together and abs(value - before.last) * _FAR > value
        sender.time, self._last = time, key

    def devices(self) -> tuple[str, ...]:
        """The names of the devices; empty: they are those of one."""
        if len(self._named) > 1:
            return tuple(self._named)
        if self._turns < _TURNS:
            return ()
        keys = [key for key, one in self._by.items() if one.count >= _LEAST]
        for index, key in enumerate(keys):
            for other in keys[index + 1 :]:
                names = _names(key, other)
                if names and self._are_two(key, other, names):
                    return names
        return ()

    def _are_two(self, key: str, other: str, names: tuple[str, ...]) -> bool:
        one, two = self._by[key], self._by[other]
        together, far = one.together + two.together, one.far + two.far
        if together >= _TURNS and far * 5 >= together * 4:
            return True
        apart = abs(one.last - two.last) > _APART * max(one.widest, two.widest)
        return apart and (any(char.isdigit() for char in names[0]) or "/" in key or _alike(*names))


def _alike(name: str, other: str) -> bool:
    """ "devA" and "devB"."""
    return len(name) == len(other) > _SUFFIX and name[:-1] == other[:-1]


def _names(key: str, other: str) -> tuple[str, ...]:
    """The words that tell the lines apart, if each has one, and it names no moment."""
    words, others = _TOKEN.findall(key), _TOKEN.findall(other)
    if len(words) != len(others):
        return ()
    apart = [pair for pair in zip(words, others, strict=True) if pair[0] != pair[1]]
    if len(apart) != 1 or {word.lower() for word in apart[0]} & _PHASES:
        return ()
    return apart[0]
