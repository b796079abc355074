"""Who pulls in the members of archives: the list in front of a linker map."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass

from heapscope.base.printable import printable

_BEGIN = "Archive member included"
_MEMBER = re.compile(r"(\S.*?\([^()]+\))(?:\s+(.+))?")
_REASON = re.compile(r"\s*(?:(\S.*\S)\s+)?\(([^()]+)\)")
_MOST = 100_000


@dataclass(frozen=True, kw_only=True)
class PulledMember:
    """A member of an archive, and the reference that the linker took it for. `by`: component and
    object, both "" where the linker script or an option asks for the symbol."""

    component: str
    member: str
    by: tuple[str, str]
    symbol: str


class ArchiveList:
    """Takes the lines of a map up to its memory map. `split`: component and object of a place."""

    def __init__(self, split: Callable[[str], tuple[str, str]]) -> None:
        self.pulled: list[PulledMember] = []
        self._split, self._inside, self._waiting = split, False, ""

    def line(self, line: str) -> None:
        if line.startswith(_BEGIN):
            self._inside = True
        elif self._inside and line[:1] not in ("", " ", "\t"):
            self._begin(line)
        elif self._waiting and line:
            self._reason(line)

    def _begin(self, line: str) -> None:
        match = _MEMBER.fullmatch(line)
        self._waiting = "" if match is None else match[1]
        self._inside = match is not None  # the list has ended with a heading
        if match is not None and match[2]:
            self._reason(match[2])

    def _reason(self, text: str) -> None:
        match = _REASON.fullmatch(text)
        if match is not None and len(self.pulled) < _MOST:
            component, member = self._split(self._waiting)
            by = self._split(match[1]) if match[1] else ("", "")
            self.pulled.append(
                PulledMember(component=component, member=member, by=by, symbol=printable(match[2]))
            )
        self._waiting = ""
