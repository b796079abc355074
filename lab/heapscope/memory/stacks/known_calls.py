"""Calls that the user knows: a file of lines CALLER: CALLEE, CALLEE and FUNCTION = BYTES.

The first says which functions the indirect calls of CALLER lead to, and the second that FUNCTION,
with all that it calls, takes at most so many bytes. `#` begins a comment.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.whole import read_whole

_FILE_MAX = 4 << 20
_CALLS = re.compile(r"(?P<caller>[^\s:=,]+(?:::[^\s:=,]+)*)\s*:\s*(?P<callees>.*)")
_BYTES = re.compile(r"(?P<function>\S+)\s*=\s*(?P<bytes>\d{1,8})")
_REMEDY = "write lines such as `netif_output: ethernet_output` or `ets_printf = 96`"


@dataclass(frozen=True, kw_only=True)
class KnownCalls:
    """By names of functions. `calls`: where indirect calls lead; `bytes`: with all callees."""

    file: str = ""
    calls: dict[str, tuple[str, ...]] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """All functions that it has."""
        return {*self.calls, *self.bytes, *(one for row in self.calls.values() for one in row)}


def read_known_calls(path: str) -> KnownCalls:
    """InputError names the line that is of neither form."""
    file = read_whole(path, limit=_FILE_MAX, what="known calls", remedy=_REMEDY)
    calls: dict[str, tuple[str, ...]] = {}
    sizes: dict[str, int] = {}
    for number, line in enumerate(file.text().splitlines(), 1):
        stripped = line.partition("#")[0].strip()
        if not stripped:
            continue
        if match := _BYTES.fullmatch(stripped):
            sizes[match["function"]] = int(match["bytes"])
        elif match := _CALLS.fullmatch(stripped):
            callees = tuple(filter(None, re.split(r"[\s,]+", match["callees"])))
            calls[match["caller"]] = (*calls.get(match["caller"], ()), *callees)
        else:
            raise InputError(
                f"{file.name}, line {number}: neither calls nor bytes: "
                f"{printable(stripped, limit=60)}",
                remedy=_REMEDY,
            )
    return KnownCalls(file=file.name, calls=calls, bytes=sizes)
