"""The inputs and outputs of a command line, checked before anything is computed: two outputs never
share a place, no output takes the place of an input, and standard input is read by one argument."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from heapscope.base.errors import HeapscopeError
from heapscope.base.printable import printable

#: Options that print another form of the result in place of the tables.
_PRINTS = ("github", "digest")

#: Parameters that name configurations as heapscope.forecast.ladder reads them.
_SIDES = ("things",)

#: Parameters whose text names a plan or a folder.
_PLANS = ("words",)

_STANDARD = "-"  # standard input, or standard output


@dataclass(frozen=True, kw_only=True)
class Place:
    """A file that the command line names. `name`: the option or argument that names it."""

    name: str
    path: Path

    @property
    def standard(self) -> bool:
        return str(self.path) == _STANDARD


def check_places(given: Mapping[str, Any], names: Mapping[str, str], writes: Sequence[str]) -> None:
    """HeapscopeError where two of the files are one. `given`: parameters and their values, `names`:
    how the user knows the parameters, `writes`: those that name a file to be written."""
    outputs = list(_places({name: given[name] for name in writes if name in given}, names, writes))
    others = {name: value for name, value in given.items() if name not in writes}
    inputs = list(_places(others, names, ()))
    _check_standard_input(inputs)
    _check_outputs(outputs, alone=next((f"--{flag}" for flag in _PRINTS if given.get(flag)), ""))
    for output in outputs:
        for other in inputs:
            if _same(output, other):
                raise HeapscopeError(
                    f"{_shown(output)}: is the input ({other.name})",
                    remedy=f"give {output.name} another place",
                )


def _places(
    given: Mapping[str, Any], names: Mapping[str, str], writes: Sequence[str]
) -> Iterator[Place]:
    from heapscope.memory.options import DECLARED  # the help needs none of it

    for parameter, value in given.items():
        is_file = parameter in (*writes, *_PLANS) or (
            parameter in DECLARED and DECLARED[parameter].file
        )
        for one in value if isinstance(value, (list, tuple)) else [value]:
            if parameter in _SIDES and isinstance(one, str):
                from heapscope.forecast.ladder.side import paths_of

                for path in paths_of(one):
                    yield Place(name=names.get(parameter, parameter), path=path)
            elif isinstance(one, Path) or (is_file and isinstance(one, str)):
                yield Place(name=names.get(parameter, parameter), path=Path(one))


def _check_standard_input(inputs: list[Place]) -> None:
    readers = [place.name for place in inputs if place.standard]
    if readers and (why := _unreadable_input()):
        raise HeapscopeError(
            f"standard input cannot be read: {why}", remedy=f"give {readers[0]} a file"
        )
    if len(readers) > 1:
        raise HeapscopeError(
            f"standard input is named {len(readers)} times: {', '.join(readers)}",
            remedy="give files to all but one",
        )


def _unreadable_input() -> str:
    """Why not, where it is closed; a reader would take that for an empty one."""
    try:
        os.read(sys.stdin.fileno(), 0)
    except io.UnsupportedOperation:  # an object of the caller's, without a descriptor
        return ""
    except OSError as error:
        return str(error.strerror)
    return ""


def _check_outputs(outputs: list[Place], *, alone: str) -> None:
    printed = [place.name for place in outputs if place.standard] + ([alone] if alone else [])
    if len(printed) > 1:
        raise HeapscopeError(
            f"{' and '.join(printed)} both want standard output",
            remedy="give files to all but one",
        )
    for number, one in enumerate(outputs):
        for other in outputs[number + 1 :]:
            if _same(one, other):
                raise HeapscopeError(
                    f"{_shown(other)}: {one.name} and {other.name} would write one file",
                    remedy="give each of them a place of its own",
                )


def _same(one: Place, other: Place) -> bool:
    """Whether both paths lead to one file, by links too. A device takes what several write."""
    if one.standard or other.standard or "\0" in f"{one.path}{other.path}":
        return False
    try:
        if one.path.exists() and other.path.exists():
            return one.path.samefile(other.path) and one.path.is_file()
        return one.path.resolve() == other.path.resolve()
    except (OSError, RuntimeError):  # a loop of links: whoever opens it says so
        return False


def _shown(place: Place) -> str:
    return printable(str(place.path), limit=400)
