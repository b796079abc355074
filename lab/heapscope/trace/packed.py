"""Compressed bytes, told by their first bytes and taken apart in bounded memory: zstd, gzip, bzip2
and xz. Damage is recorded, never raised."""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterator
from typing import Any, Protocol

from heapscope.trace.source_loss import SourceLoss
from heapscope.trace.zstd import ZstdWalker, is_zstd

HEAD = 10  #: bytes of a file that tell its compression
_PIECE = 1 << 20  # bytes given out at once, at most
_XZ_MEMORY = 128 << 20  # bytes, as zstd is granted


class Walker(Protocol):
    """Push compressed bytes, get decompressed ones, at most 1 MiB each; then finish."""

    loss: SourceLoss | None

    def push(self, data: bytes) -> Iterator[bytes]: ...

    def finish(self) -> Iterator[bytes]: ...


def walker_of(head: bytes) -> Walker | None:
    """None: a file that begins so is not compressed. Its name does not count."""
    if is_zstd(head):
        return ZstdWalker()
    for magic, form, begin in _FORMS:
        if head.startswith(magic):
            return MemberWalker(form, begin)
    return None


class MemberWalker:
    """gzip, bzip2 or xz: members that follow each other. The bytes behind damage are lost."""

    def __init__(self, form: str, begin: Callable[[], Any]) -> None:
        self.loss: SourceLoss | None = None
        self._form, self._begin = form, begin
        self._member: Any = None  # None: between two members
        self._pushed = 0  # bytes of the file

    def push(self, data: bytes) -> Iterator[bytes]:
        self._pushed += len(data)
        if self.loss is not None:
            self._lose(self.loss.reason, len(data))
            return
        while data or self._member is not None:
            if self._member is None:
                data = data.lstrip(b"\0")  # members may be padded
                if not data:
                    return
                self._member = self._begin()
            before = len(data)
            try:
                out, data = _step(self._member, data)
            except Exception as error:  # of three libraries, each with its own class
                if isinstance(error, MemoryError):
                    raise
                self._lose(f"damaged {self._form} data ({error})", before)
                return
            if out:
                yield out
            if self._member.eof:
                self._member = None
            elif not out and not data:
                return

    def finish(self) -> Iterator[bytes]:
        if self._member is not None and self.loss is None:
            self._lose(f"the {self._form} data is cut off", 0)
        yield from ()

    def _lose(self, reason: str, lost: int) -> None:
        first = self.loss
        offset = self._pushed - lost if first is None else first.offset
        before = 0 if first is None else first.lost
        self.loss = SourceLoss(offset=offset, reason=reason, lost=before + lost)


def _step(member: Any, data: bytes) -> tuple[bytes, bytes]:
    """Some of the content, and what is left of `data`."""
    out = member.decompress(data, _PIECE)
    if member.eof:
        return out, member.unused_data
    return out, getattr(member, "unconsumed_tail", b"")


def _gzip() -> Any:
    return zlib.decompressobj(31)


def _bzip2() -> Any:
    import bz2

    return bz2.BZ2Decompressor()


def _xz() -> Any:
    import lzma

    return lzma.LZMADecompressor(format=lzma.FORMAT_XZ, memlimit=_XZ_MEMORY)


_FORMS: tuple[tuple[bytes, str, Callable[[], Any]], ...] = (
    (b"\x1f\x8b\x08", "gzip", _gzip),
    *((b"BZh%d1AY&SY" % level, "bzip2", _bzip2) for level in range(1, 10)),
    (b"\xfd7zXZ\0", "xz", _xz),
)
