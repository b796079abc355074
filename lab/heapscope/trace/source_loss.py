"""The part of a file that could not be read."""

from __future__ import annotations

from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row


class SourceLoss(Row):
    """The bytes of a file that gave nothing: a damaged or cut compression, or a read error."""

    offset: int = figure("Byte offset of the first damage in the file as it lies on disk.", "B")
    reason: str = figure("The cause.")
    lost: int = figure("Bytes of the file that were of no use.", "B", default=0)

    def sentence(self) -> str:
        tail = f"; {self.lost:,} bytes of the file were of no use" if self.lost else ""
        return f"{self.reason} at byte {self.offset:,} of the file{tail}"
