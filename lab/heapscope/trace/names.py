"""Names out of a trace, made safe to show. They are untrusted: whoever made the trace chose them.

`printable()` keeps control and escape bytes from a terminal. It knows nothing of markup: a caller
that prints through rich wraps the result in rich.text.Text, never in a markup string.
"""

from __future__ import annotations

import functools
import unicodedata
from collections import Counter
from dataclasses import dataclass

__all__ = ["Names", "heap_names", "mark_names", "printable", "task_names"]

# Control, format (bidirectional overrides, zero width), surrogates, private use, unassigned, line
# and paragraph separators.
_UNSAFE = frozenset({"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"})
_MORE = "…"


def printable(raw: bytes | str, *, limit: int = 80) -> str:
    """The text with everything that is not plainly visible as an escape (\\x1b, \\u202e), cut with
    an ellipsis to at most `limit` characters."""
    # Every character shows as one or more, so no more of the input than this can matter.
    text = _decoded(raw[: 4 * limit + 4]) if isinstance(raw, bytes) else raw[: limit + 1]
    pieces: list[str] = []
    room = limit
    for character in text:
        piece = _visible(character)
        if len(piece) > room:
            return _cut(pieces, limit)
        pieces.append(piece)
        room -= len(piece)
    return "".join(pieces)


def _decoded(raw: bytes) -> str:
    """UTF-8 where it is valid; the bytes that are not become surrogates, which are escaped."""
    return raw.decode("utf-8", "surrogateescape")


def _visible(character: str) -> str:
    if unicodedata.category(character) not in _UNSAFE:
        return character
    code = ord(character)
    if 0xDC80 <= code <= 0xDCFF:  # a byte that was not UTF-8
        return f"\\x{code - 0xDC00:02x}"
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _cut(pieces: list[str], limit: int) -> str:
    """Whole pieces only, so that no escape is cut in two."""
    size = sum(map(len, pieces))
    while pieces and size > limit - 1:
        size -= len(pieces.pop())
    return ("".join(pieces) + _MORE)[:limit]


@dataclass(frozen=True, kw_only=True)
class Names:
    """Display names of a table of a trace, by index."""

    noun: str  # for an index without a name: "task 5"
    known: tuple[bytes | None, ...]
    default: str = ""  # of index 0 when nobody named it
    apart: bool = False  # names that show alike carry their index: "wifi (task 5)"
    limit: int = 80  # characters of a name, longer ones are cut

    def __getitem__(self, index: int) -> str:
        name = self._own(index)
        if self.apart and index in self._alike:
            return f"{name} ({self.noun} {index})"
        return name

    def called(self, index: int) -> set[str]:
        """What a pattern may match: the name as it is shown, and as the trace has it."""
        raw = self.known[index] if index < len(self.known) else None
        return {self[index]} | ({printable(raw)} if raw else set())

    def _own(self, index: int) -> str:
        raw = self.known[index] if 0 <= index < len(self.known) else None
        name = printable(raw, limit=self.limit) if raw else ""
        if name.strip():
            return name
        return self.default if index == 0 and self.default else f"{self.noun} {index}"

    @functools.cached_property
    def _alike(self) -> frozenset[int]:
        """Indices whose names others have too; a given name is not marked for the default's sake,
        which is often that of no event."""
        names = [self._own(index) for index in range(len(self.known))]
        given = Counter(name for raw, name in zip(self.known, names, strict=True) if raw)
        alike = {
            index
            for index, (raw, name) in enumerate(zip(self.known, names, strict=True))
            if given[name] > bool(raw)
        }
        return frozenset(alike)


def task_names(known: tuple[bytes | None, ...], *, whole: bool = True) -> Names:
    """What ran before any task was named counts as "main"; where a part of the trace is lost, and
    maybe the name with it, it does not."""
    return Names(noun="task", known=known, default="main" if whole else "", apart=True)


def heap_names(known: tuple[bytes | None, ...]) -> Names:
    """The recorded program's own heaps."""
    return Names(noun="heap", known=known, default="system")


def mark_names(known: tuple[bytes | None, ...]) -> Names:
    return Names(noun="mark", known=known)
