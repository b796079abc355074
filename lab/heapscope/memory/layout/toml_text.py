"""The text of a TOML file, and where in it a key stands (tomllib does not tell)."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

from heapscope.trace.whole import read_whole

_SIZE_MAX = 1 << 20  # bytes; a layout has a few hundred
_HEADER = re.compile(r"\s*\[+\s*([A-Za-z0-9_.\"' -]+?)\s*\]+")


@dataclass(frozen=True, kw_only=True)
class TomlText:
    file: str
    text: str

    def line_of(self, section: str, index: int, key: str) -> int | None:
        """Line number, from 1, of `key` in the index-th [[section]] ("" for the top, where a table
        is a key too), or of the section's header when the key is not in it; None when neither is
        found."""
        seen, inside, result = -1, section == "", None
        for number, line in enumerate(self.text.splitlines(), 1):
            header = _HEADER.match(line)
            if header is not None:
                if section == "" and header[1] == key:
                    return number
                seen += header[1] == section
                inside = header[1] == section and seen == index
                result = number if inside else result
            elif inside and _begins_with(line, key):
                return number
        return result


def _begins_with(line: str, key: str) -> bool:
    name, equals, _ = line.partition("=")
    return bool(equals) and name.strip().strip("\"'") == key


def read_toml_text(path: str | Path, *, what: str = "a layout") -> TomlText:
    """`what` the file should be, for the error when it is too large to be that."""
    whole = read_whole(path, limit=_SIZE_MAX, what=what, remedy=f"give the TOML file of {what}")
    return TomlText(file=whole.name, text=whole.text())
