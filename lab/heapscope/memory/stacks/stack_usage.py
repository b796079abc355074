"""Frames as GCC and clang write them with -fstack-usage: files of the ending .su."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import NamedTuple

from heapscope.trace.whole import read_whole

_FOLDERS_MAX = 5_000  # that are looked through
_FILE_MAX = 16 << 20
_LINE = re.compile(r"(?P<place>.+)\t(?P<bytes>\d{1,9})\t(?P<kind>[a-z,]+)")
_REMEDY = "delete it, and build again with -fstack-usage"


class StackUsage(NamedTuple):
    """`bounded`: no more than these bytes are ever taken."""

    bytes: int
    bounded: bool


def read_usages(folder: Path) -> dict[str, StackUsage]:
    """The figures of all files below the folder by the function's name; a name with several is
    left out."""
    usages: dict[str, StackUsage] = {}
    several: set[str] = set()
    for path in _files(folder):
        text = read_whole(path, limit=_FILE_MAX, what="frames of a compiler", remedy=_REMEDY)
        for name, usage in _lines(text.data.decode("utf-8", "replace")):
            if usages.setdefault(name, usage) != usage:
                several.add(name)
    return {name: usage for name, usage in usages.items() if name not in several}


def _files(folder: Path) -> Iterator[Path]:
    for here, folders, names in islice(os.walk(folder), _FOLDERS_MAX):
        folders[:] = sorted(name for name in folders if not name.startswith("."))
        yield from (Path(here, name) for name in sorted(names) if name.endswith(".su"))


def _lines(text: str) -> Iterator[tuple[str, StackUsage]]:
    """FILE:LINE:COLUMN:FUNCTION; in C++ the function has its arguments, and cannot be compared."""
    for line in text.splitlines():
        if match := _LINE.fullmatch(line):
            name = match["place"].rpartition(":")[2]
            yield name, StackUsage(int(match["bytes"]), match["kind"] != "dynamic")
