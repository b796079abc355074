"""CSV: one row for each heap event (RFC 4180, with LF)."""

from __future__ import annotations

from heapscope.base.languages import csv_field
from heapscope.base.output import Write
from heapscope.capture.export.columns import cells, columns, placed
from heapscope.capture.export.exporter import Context, Exporter
from heapscope.native.export import Keep
from heapscope.native.row_text import Cell, RowText
from heapscope.native.structs import Rows, dtype


class CsvTable(Exporter):
    names_first = True
    keep = Keep.ROWS

    def begin(self, context: Context, write: Write) -> None:
        self._table = columns(context)
        write((",".join(column.name for column in self._table) + "\n").encode())
        before = ["", *[","] * (len(self._table) - 1)]
        built = cells(self._table, quote=csv_field, before=before, none="")
        self._text = RowText(dtype("hs_lab_export_row_t"), [*built, Cell(before=b"\n")])

    def rows(self, rows: Rows, write: Write) -> None:
        for piece in self._text.write(placed(rows, self._table)):
            write(piece)
