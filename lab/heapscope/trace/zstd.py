"""Zstandard in bounded memory: the frames are walked block by block (RFC 8878), so that every piece
given to the decompressor yields at most one block, an error loses that block alone, and its offset
is known. Damage is recorded, never raised; reading goes on at the next frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from heapscope.base.zstd import DecompressionParameter, ZstdDecompressor, ZstdError
from heapscope.trace.source_loss import SourceLoss

_MAGIC = b"\x28\xb5\x2f\xfd"
_SKIPPABLE = b"\x2a\x4d\x18"  # after a first byte 0x50 to 0x5F
_BLOCK_MAX = 128 * 1024  # of a block's content; larger is not zstd
#: 128 MiB, as `zstd -d` grants by default.
_OPTIONS: dict[int, int] = {DecompressionParameter.window_log_max: 27}
_RLE, _RESERVED = 1, 3
_NO_MEMORY = "not enough memory"  # of the host, as zstd says it
_CUT = "the zstd data is cut off"


def is_zstd(head: bytes) -> bool:
    """Whether these first bytes begin a zstd file. The name of a file does not count."""
    return head[:4] == _MAGIC or _is_skippable(head[:4])


def _is_skippable(magic: bytes) -> bool:
    return len(magic) == 4 and magic[0] & 0xF0 == 0x50 and magic[1:] == _SKIPPABLE


def _header_size(descriptor: int) -> int:
    """Bytes of a frame header, magic included."""
    single = descriptor >> 5 & 1
    content = (1 if single else 0, 2, 4, 8)[descriptor >> 6]
    dictionary = (0, 1, 2, 4)[descriptor & 3]
    return 5 + (1 - single) + dictionary + content


class ZstdWalker:
    """Push compressed bytes, get decompressed ones, at most one block (128 KiB) each."""

    def __init__(self) -> None:
        self.loss: SourceLoss | None = None
        self._frame: Any = None  # the frame being decompressed; None: between frames
        self._checksum = False
        self._last = False  # the frame's last block was read
        self._held = bytearray()  # bytes of the file not used yet
        self._offset = 0  # of held[0] in the file
        self._skip = 0  # bytes of a skippable frame still to come
        self._lost_at: int | None = None  # looking for the next frame since here
        self._refused = 0  # bytes of held that are known not to begin one

    def push(self, data: bytes) -> Iterator[bytes]:
        self._held += data
        while (size := self._next_piece()) and size <= len(self._held):
            piece = self._take(size)
            try:
                out = self._use(piece)
            except ZstdError as error:
                if _NO_MEMORY in str(error):  # the file may be sound
                    raise MemoryError from error
                self._give_back(piece)
                self._damaged(f"damaged zstd data ({error})")
                continue
            if out:
                yield out

    def finish(self) -> Iterator[bytes]:
        """The file is over: frames within a block that was never completed are read still, and what
        is unfinished is recorded as lost."""
        while self._lost_at is None and self._frame is not None and _MAGIC in self._held:
            self._damaged(_CUT)
            yield from self.push(b"")
        end = self._offset + len(self._held)
        if self._lost_at is not None:
            self._count_lost(end - self._lost_at)
        elif self._frame is not None or self._held or self._skip:
            self._record(end, _CUT, len(self._held))

    def _next_piece(self) -> int:
        """How many bytes the next step wants; 0: more must be known first."""
        if self._lost_at is not None and not self._find_frame():
            return 0
        if self._skip:
            return min(self._skip, len(self._held))
        if self._frame is None:
            return self._frame_piece()
        if self._last:
            return 4 if self._checksum else 0
        return self._block_piece()

    def _frame_piece(self) -> int:
        if len(self._held) < 5:
            return 0
        magic = bytes(self._held[:4])
        if _is_skippable(magic):
            return 8
        if magic != _MAGIC:
            self._damaged("not zstd data")
            return self._next_piece()
        return _header_size(self._held[4])

    def _block_piece(self) -> int:
        if len(self._held) < 3:
            return 0
        header = int.from_bytes(self._held[:3], "little")
        kind, size = header >> 1 & 3, header >> 3
        if size > _BLOCK_MAX or kind == _RESERVED:
            self._damaged("damaged zstd data (no block begins here)")
            return self._next_piece()
        return 3 + (1 if kind == _RLE else size)

    def _use(self, piece: bytes) -> bytes:
        if self._skip:
            self._skip -= len(piece)
            return b""
        if self._frame is None:
            return self._begin(piece)
        out: bytes = self._frame.decompress(piece)
        if self._last:  # that was the checksum
            self._frame = None
        else:
            self._last = bool(piece[0] & 1)
            if self._last and not self._checksum:
                self._frame = None
        return out

    def _begin(self, piece: bytes) -> bytes:
        if _is_skippable(piece[:4]):
            self._skip = int.from_bytes(piece[4:8], "little")
            return b""
        self._frame = ZstdDecompressor(options=_OPTIONS)
        self._checksum = bool(piece[4] & 4)
        self._last = False
        out: bytes = self._frame.decompress(piece)
        return out

    def _take(self, size: int) -> bytes:
        piece = bytes(self._held[:size])
        del self._held[:size]
        self._offset += size
        return piece

    def _give_back(self, piece: bytes) -> None:
        """A piece that failed may hold the beginning of a frame: after a write that broke off,
        the next one begins where a block was to end."""
        self._held[:0] = piece
        self._offset -= len(piece)
        self._refused = 1

    def _damaged(self, reason: str) -> None:
        """Gives the frame up, from here on."""
        self._record(self._offset, reason, 0)
        self._lost_at = self._offset
        self._frame = None
        self._skip = 0

    def _find_frame(self) -> bool:
        """Drops bytes up to the next frame."""
        assert self._lost_at is not None
        at = self._held.find(_MAGIC, self._refused)
        self._take(at if at >= 0 else max(self._refused, len(self._held) - 3))
        self._refused = 0
        if at < 0:
            return False
        self._count_lost(self._offset - self._lost_at)
        self._lost_at = None
        return True

    def _record(self, offset: int, reason: str, lost: int) -> None:
        if self.loss is None:
            self.loss = SourceLoss(offset=offset, reason=reason, lost=lost)
        else:
            self._count_lost(lost)

    def _count_lost(self, count: int) -> None:
        assert self.loss is not None
        first = self.loss
        self.loss = SourceLoss(offset=first.offset, reason=first.reason, lost=first.lost + count)
