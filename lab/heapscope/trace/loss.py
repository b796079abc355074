"""What of a file could not be read."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["SourceLoss"]


@dataclass(frozen=True, kw_only=True)
class SourceLoss:
    """Bytes of a file that gave nothing: a damaged or cut compression, or a read error."""

    offset: int  # of the first damage, in the file as it lies on disk
    reason: str
    lost: int = 0  # bytes of the file that were of no use

    def sentence(self) -> str:
        tail = f"; {self.lost:,} bytes of the file were of no use" if self.lost else ""
        return f"{self.reason} at byte {self.offset:,} of the file{tail}"
