"""CSV: one row for each heap event (RFC 4180, with LF)."""

from __future__ import annotations

from heapscope.capture.output import Write
from heapscope.export.columns import cells, columns, placed
from heapscope.export.exporter import Context, Exporter
from heapscope.native.export import Keep
from heapscope.native.row_text import Cell, RowText
from heapscope.native.structs import Rows, dtype

#: A spreadsheet takes a text that begins with one of these for a formula.
_FORMULA = ("=", "+", "-", "@")
_SPECIAL = frozenset(',"\r\n')


def quoted(name: str) -> str:
    """A name as a field; an apostrophe before what a spreadsheet would compute."""
    if name.startswith(_FORMULA):
        name = f"'{name}"
    if _SPECIAL.isdisjoint(name) and name == name.strip():
        return name
    return '"' + name.replace('"', '""') + '"'


class CsvTable(Exporter):
    names_first = True
    keep = Keep.ROWS

    def begin(self, context: Context, write: Write) -> None:
        self._table = columns(context)
        write((",".join(column.name for column in self._table) + "\n").encode())
        before = ["", *[","] * (len(self._table) - 1)]
        made = cells(self._table, quote=quoted, before=before, none="")
        self._text = RowText(dtype("hs_lab_export_row_t"), [*made, Cell(before=b"\n")])

    def rows(self, rows: Rows, write: Write) -> None:
        for piece in self._text.write(placed(rows, self._table)):
            write(piece)
