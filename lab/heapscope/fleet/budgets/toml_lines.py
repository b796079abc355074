"""Where in a TOML file a table and its keys stand, which tomllib does not tell."""

from __future__ import annotations

import re
from dataclasses import dataclass, field

_HEADER = re.compile(r"\s*(\[\[?)\s*([^\]\[]+?)\s*\]\]?\s*(?:#.*)?$")
_KEY = re.compile(
    r"""\s*((?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*')(?:\s*\.\s*(?:[A-Za-z0-9_-]+|"[^"]*"|'[^']*'))*)\s*="""
)
_PART = re.compile(r"""[A-Za-z0-9_-]+|"[^"]*"|'[^']*'""")


@dataclass
class TomlLines:
    """`places`: the line of each key by its path; an entry of an array of tables has its number,
    from 0, behind the name."""

    places: dict[tuple[str | int, ...], int] = field(default_factory=dict)

    def line(self, *path: str | int) -> int:
        """The line of a path, or of the nearest table around it; 0: neither is found."""
        while path:
            if path in self.places:
                return self.places[path]
            path = path[:-1]
        return 0


def toml_lines(text: str) -> TomlLines:
    result, counts = TomlLines(), dict[tuple[str | int, ...], int]()
    table: tuple[str | int, ...] = ()
    for number, line in enumerate(text.splitlines(), 1):
        header = _HEADER.match(line)
        if header is not None:
            table = _entered(_parts(header[2]), counts, array=header[1] == "[[")
            result.places.setdefault(table, number)
            continue
        key = _KEY.match(line)
        if key is not None:
            path = table + tuple(_parts(key[1]))
            for end in range(len(table) + 1, len(path) + 1):
                result.places.setdefault(path[:end], number)
    return result


def _parts(text: str) -> list[str]:
    return [part.strip("\"'") for part in _PART.findall(text)]


def _entered(
    names: list[str], counts: dict[tuple[str | int, ...], int], *, array: bool
) -> tuple[str | int, ...]:
    """The path of a header; a name that is an array of tables means its last entry."""
    path: tuple[str | int, ...] = ()
    for depth, name in enumerate(names):
        path = (*path, name)
        if array and depth == len(names) - 1:
            counts[path] = counts.get(path, -1) + 1
        if path in counts:
            path = (*path, counts[path])
    return path
