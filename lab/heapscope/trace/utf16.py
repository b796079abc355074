"""Text of a Windows shell's redirection (UTF-16) as UTF-8; all else as it is."""

from __future__ import annotations

import codecs
from collections.abc import Iterable, Iterator

__all__ = ["as_utf8"]

_MARKS = {codecs.BOM_UTF16_LE: "utf-16-le", codecs.BOM_UTF16_BE: "utf-16-be"}


def as_utf8(blocks: Iterable[bytes]) -> Iterator[bytes]:
    """Told by the mark at the beginning, which is left out. What is no UTF-16 becomes U+FFFD, so
    that lines stay whole; a block grows to at most 3/2 of its size."""
    left = iter(blocks)
    head = next(left, b"")
    while len(head) < 2 and (more := next(left, b"")):
        head += more
    name = _MARKS.get(head[:2])
    if name is None:
        yield head
        yield from left
        return
    decoder = codecs.getincrementaldecoder(name)("replace")
    yield decoder.decode(head[2:]).encode("utf-8", "replace")
    for block in left:
        yield decoder.decode(block).encode("utf-8", "replace")
