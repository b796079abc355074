"""Untrusted text, made safe to show: control and escape bytes are kept from a terminal.

`printable()` knows nothing of markup: a caller that prints through rich wraps the result in
rich.text.Text, never in a markup string.
"""

from __future__ import annotations

import unicodedata

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
