"""Calls that are known though the code does not show them: a file of lines of three forms.

    CALLER, CALLER: TARGET, TARGET unless FUNCTION by FUNCTION
    FUNCTION = BYTES
    FUNCTION * TIMES

The first gives where the indirect calls of a caller lead. A target is a function; FUNCTION(N), all
that code hands to this function as its argument N, from 1; FUNCTION(N)*, the functions in the
struct at that address; or [OBJECT]*, those in a variable of this name as the program begins. With
-> in place of *, only the one at the offset that the call reads. The line does not count where a
function after `unless` is in the program. A function after `by` hands on what others hand to it,
or nothing that is not listed. The second form says that a function takes at most so many bytes
with all that it calls, and the third that it is at most so many times within itself. `#` begins a
comment.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from importlib import resources
from typing import NamedTuple

from heapscope.base.errors import InputError
from heapscope.base.printable import printable
from heapscope.trace.whole import read_whole

_FILE_MAX = 4 << 20
_TIMES_MAX = 64
_NAME = r"(?!-)[^\s:=,()\[\]*]+(?:::[^\s:=,()\[\]*]+)*"
_CALLS = re.compile(rf"(?P<callers>{_NAME}(?:\s*,\s*{_NAME})*)\s*:(?!:)\s*(?P<targets>.*)")
_CLAUSES = re.compile(r"\s*\b(unless|by)\s+")
_TARGET = re.compile(
    rf"(?:\[(?P<object>{_NAME})\]|(?P<function>{_NAME})(?:\((?P<argument>[1-8])\))?)(?P<of>\*|->)?"
)
_BYTES = re.compile(r"(?P<function>\S+)\s*=\s*(?P<bytes>\d{1,8})")
_TIMES = re.compile(r"(?P<function>\S+)\s*\*\s*(?P<times>\d{1,2})")
_REMEDY = (
    "write lines such as `netif_output: ethernet_output`, `ets_printf = 96` or `parse_value * 4`"
)


class HandedOver(NamedTuple):
    """`argument`: its number, from 0; `of`: it is the address of a struct, "*": with the functions,
    "->": with one of them at the offset that the call reads."""

    function: str
    argument: int
    of: str


class KnownObject(NamedTuple):
    """`of`: as in HandedOver."""

    name: str
    of: str


@dataclass(frozen=True, kw_only=True)
class CallTargets:
    """Where indirect calls lead, by names. `unless`: functions of a program where that is not all;
    `by`: callers of `handed` that hand over nothing else."""

    functions: tuple[str, ...] = ()
    handed: tuple[HandedOver, ...] = ()
    objects: tuple[KnownObject, ...] = ()
    unless: tuple[str, ...] = ()
    by: tuple[str, ...] = ()

    def joined(self, other: CallTargets) -> CallTargets:
        return CallTargets(
            functions=(*self.functions, *other.functions),
            handed=(*self.handed, *other.handed),
            objects=(*self.objects, *other.objects),
            unless=(*self.unless, *other.unless),
            by=(*self.by, *other.by),
        )


@dataclass(frozen=True, kw_only=True)
class KnownCalls:
    """By names of functions. `calls`: of a caller; `bytes`: with all callees; `times`: within
    itself."""

    file: str = ""
    calls: dict[str, CallTargets] = field(default_factory=dict)
    bytes: dict[str, int] = field(default_factory=dict)
    times: dict[str, int] = field(default_factory=dict)

    @property
    def names(self) -> set[str]:
        """All functions that it has."""
        rows = self.calls.values()
        targets = {
            name for row in rows for name in (*row.functions, *(one[0] for one in row.handed))
        }
        return {*self.calls, *self.bytes, *self.times, *targets}

    def over(self, other: KnownCalls) -> KnownCalls:
        """These, and those of the other whose function is not here."""
        return KnownCalls(
            file=self.file,
            calls={**other.calls, **self.calls},
            bytes={**other.bytes, **self.bytes},
            times={**other.times, **self.times},
        )


def read_known_calls(path: str) -> KnownCalls:
    """InputError names the line that is of no form."""
    file = read_whole(path, limit=_FILE_MAX, what="known calls", remedy=_REMEDY)
    return known_calls(file.name, file.text().splitlines())


@functools.cache
def sdk_calls() -> KnownCalls:
    """Those of ESP-IDF and the libraries that come with it."""
    file = resources.files("heapscope.data") / "stacks/sdk_calls.txt"
    return known_calls("sdk_calls.txt", file.read_text(encoding="ascii").splitlines())


def known_calls(name: str, lines: Iterable[str]) -> KnownCalls:
    """`name`: of the file, for an error."""
    known = KnownCalls(file=name)
    for number, line in enumerate(lines, 1):
        stripped = line.partition("#")[0].strip()
        if stripped and not _take(known, stripped):
            raise InputError(
                f"{name}, line {number}: neither calls nor bytes nor times: "
                f"{printable(stripped, limit=60)}",
                remedy=_REMEDY,
            )
    return known


def _take(known: KnownCalls, line: str) -> bool:
    """False: it is of no form."""
    if match := _BYTES.fullmatch(line):
        known.bytes[match["function"]] = int(match["bytes"])
        return True
    if match := _TIMES.fullmatch(line):
        known.times[match["function"]] = int(match["times"])
        return 1 <= int(match["times"]) <= _TIMES_MAX
    match = _CALLS.fullmatch(line)
    targets = None if match is None else _targets(match["targets"])
    if match is None or targets is None:
        return False
    for caller in _words(match["callers"]):
        known.calls[caller] = known.calls.get(caller, CallTargets()).joined(targets)
    return True


def _targets(text: str) -> CallTargets | None:
    first, *clauses = _CLAUSES.split(text)
    rows = [_TARGET.fullmatch(word) for word in _words(first)]
    named = [row for row in rows if row is not None and _has_meaning(row)]
    if len(named) < len(rows):
        return None
    names: dict[str, tuple[str, ...]] = {"unless": (), "by": ()}
    for clause, words in zip(clauses[::2], clauses[1::2], strict=True):
        names[clause] = (*names[clause], *_words(words))
    return CallTargets(
        functions=tuple(
            row["function"] for row in named if row["function"] and not row["argument"]
        ),
        handed=tuple(
            HandedOver(row["function"], int(row["argument"]) - 1, row["of"] or "")
            for row in named
            if row["argument"]
        ),
        objects=tuple(KnownObject(row["object"], row["of"]) for row in named if row["object"]),
        unless=names["unless"],
        by=names["by"],
    )


def _has_meaning(row: re.Match[str]) -> bool:
    """An object is read, and a function itself is not."""
    return bool(row["of"]) if row["object"] else bool(row["argument"]) or not row["of"]


def _words(text: str) -> Iterator[str]:
    return filter(None, re.split(r"[\s,]+", text))
