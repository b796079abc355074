"""The lines that an import leaves out, each with its number and its reason."""

from __future__ import annotations

from heapscope.base.output import Write
from heapscope.base.printable import printable
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.native.importer import NativeImport

SHOWN = 100  #: lines that a result holds

_HEAD = b"line\treason\ttext\n"


class BadLine(Row):
    """A line that is neither event nor comment."""

    number: int = figure("Its number, from 1.", heading="line")
    reason: str = figure("Why it was left out.", heading="reason", default="")
    text: str = figure("Its beginning, control characters escaped.", heading="text")


class ReasonRow(Row):
    """Lines that were left out for one reason."""

    reason: str = figure("The reason.", heading="reason")
    lines: int = figure("How many lines.", heading="lines")


class LeftOutLines:
    """The first such lines, for the result; all of them, for a file of tab-separated values."""

    def __init__(self, write: Write | None) -> None:
        self.shown: list[BadLine] = []
        self._write = write
        if write is not None:
            write(_HEAD)

    @property
    def first(self) -> BadLine | None:
        return self.shown[0] if self.shown else None

    def take(self, lines: NativeImport) -> None:
        """Takes the lines that the importer kept since the last time."""
        for one in lines.left_out():
            row = BadLine(number=one.number, reason=one.reason, text=printable(one.text))
            if len(self.shown) < SHOWN:
                self.shown.append(row)
            if self._write is not None:
                self._write(f"{row.number}\t{row.reason}\t{row.text}\n".encode())
