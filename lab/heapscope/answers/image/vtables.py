"""The class of a C++ object, by the table of virtual functions that its first word points at.

A table begins with two words, the offset to the top and the type; objects point behind these.
"""

from __future__ import annotations

import re

from heapscope.memory.image.memory_image import MemoryImage

_TABLE = "_ZTV"
_HEAD = 8  # bytes in front of what objects point at
_LENGTH = re.compile(r"\d{1,3}")


def class_at(image: MemoryImage, address: int) -> str:
    """The name of the class of the object there; "": it has no such table, or no symbol tells."""
    word = image.word(address)
    symbol = image.symbols.at(word) if word and image.symbols else None
    if symbol is None or not symbol.name.startswith(_TABLE) or word != symbol.address + _HEAD:
        return ""
    return _plain(symbol.name.removeprefix(_TABLE))


def _plain(mangled: str) -> str:
    """A name without templates as a programmer writes it; else as the compiler does."""
    inner = mangled[1:-1] if mangled[:1] == "N" and mangled[-1:] == "E" else mangled
    names: list[str] = []
    at = 0
    while at < len(inner):
        match = _LENGTH.match(inner, at)
        if match is None:
            return mangled
        start = match.end()
        at = start + int(match[0])
        if at > len(inner) or at == start:
            return mangled
        names.append(inner[start:at])
    return "::".join("(anonymous)" if name.startswith("_GLOBAL_") else name for name in names)
