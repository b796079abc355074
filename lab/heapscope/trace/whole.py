"""Whole files in memory. Whoever needs one reads it here, so that each has a limit and says so: a
pipe may have no end, and some bytes of zstd unpack to gigabytes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from heapscope.base.errors import InputError
from heapscope.trace.sniff import HEAD, check_no_trace
from heapscope.trace.source import Progress, open_blocks

RESULT_MAX = 32 << 20  #: bytes of a result in JSON; the longest of real ones have some MB
TRACE_MAX = 1 << 30  #: bytes of a trace that is kept in memory, to be replayed many times


@dataclass(frozen=True, kw_only=True)
class WholeFile:
    """`name`: as it is shown."""

    name: str
    data: bytes

    def text(self, *, remedy: str = "save it as UTF-8") -> str:
        """Without a mark of order at its beginning. InputError: it is not UTF-8."""
        try:
            return self.data.decode("utf-8-sig")
        except UnicodeDecodeError as error:
            raise InputError(
                f"{self.name}: not UTF-8 at byte {error.start}", remedy=remedy
            ) from None


#: Called with a file's name and its first bytes, once: raises what speaks against reading on.
Look = Callable[[str, bytes], None]


def read_whole(
    path: str | Path,
    *,
    limit: int,
    what: str,
    remedy: str,
    look: Look | None = None,
    progress: Progress | None = None,
) -> WholeFile:
    """A file that should be `what` ("a layout"); .zst is taken off, and "-" is standard input.
    InputError: it cannot be read, is damaged, is a trace, or has more than `limit` bytes."""

    def look_at(name: str, head: bytes) -> None:
        check_no_trace(head, name=name, wanted=what, remedy=remedy)
        if look is not None:
            look(name, head)

    with open_blocks(path, progress=progress) as blocks:
        head = b""
        pieces = []
        for block in _within(blocks, limit, f"{blocks.name}: more than", what, remedy):
            pieces.append(block)
            if len(head) < HEAD:
                head += block[: HEAD - len(head)]
                if len(head) == HEAD:
                    look_at(blocks.name, head)
    if len(head) < HEAD:
        look_at(blocks.name, head)
    if blocks.loss is not None:
        raise InputError(f"{blocks.name}: {blocks.loss.sentence()}", remedy="copy it again")
    return WholeFile(name=blocks.name, data=b"".join(pieces))


def kept_trace(path: str | Path) -> list[bytes]:
    """The bytes of a trace, to be read again and again. InputError: it has too many."""
    with open_blocks(path) as blocks:
        text = f"{blocks.name}: it is kept in memory and has more than"
        remedy = "record a shorter part of the run"
        return list(_within(blocks, TRACE_MAX, text, "", remedy))


def _within(
    blocks: Iterable[bytes], limit: int, text: str, what: str, remedy: str
) -> Iterator[bytes]:
    size = 0
    for block in blocks:
        size += len(block)
        if size > limit:
            unlike = f", too long for {what}" if what else ""
            raise InputError(f"{text} {_shown(limit)}{unlike}", remedy=remedy)
        yield block


def _shown(size: int) -> str:
    return f"{size >> 20:,} MiB" if size >= 1 << 20 else f"{size >> 10:,} KiB"
