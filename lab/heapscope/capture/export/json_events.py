"""JSON: a document (heapscope.capture.export.events_document) with an event a line, written as it
goes."""

from __future__ import annotations

import json
from typing import Any

from heapscope.base.output import Write
from heapscope.capture.export.columns import cells, columns, placed
from heapscope.capture.export.events_document import (
    EventsDocument,
    ExportedMark,
    ExportedMemory,
    RegionAt,
)
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.memory.layout.layout import Layout
from heapscope.native.export import Keep
from heapscope.native.row_text import Cell, RowText
from heapscope.native.structs import Rows, dtype


class JsonEvents(Exporter):
    names_first = True
    keep = Keep.ROWS

    def begin(self, context: Context, write: Write) -> None:
        self._first = True
        write(b"{" + _members(_head(context)) + b',\n"events":[')
        self._table = columns(context)
        before = [f'"{column.name}":' for column in self._table]
        before = [",\n{" + before[0], *["," + text for text in before[1:]]]
        built = cells(self._table, quote=quoted, before=before, none="null")
        self._text = RowText(dtype("hs_lab_export_row_t"), [*built, Cell(before=b"}")])

    def rows(self, rows: Rows, write: Write) -> None:
        for piece in self._text.write(placed(rows, self._table)):
            write(piece[1:] if self._first else piece)  # no comma before the first event
            self._first = False

    def end(self, finish: Finish, write: Write) -> None:
        write(b"\n],\n" + _members(_tail(finish)) + b"}\n")


def _members(document: dict[str, Any]) -> bytes:
    return ",\n".join(f"{dump(key)}:{dump(value)}" for key, value in document.items()).encode()


def _head(context: Context) -> dict[str, Any]:
    known = context.known
    return {
        EventsDocument.form(): EventsDocument.VERSION,
        "trace": context.trace,
        "metadata": known.metadata,
        "clock_hz": known.clock_hz,
        "layout": None if context.layout is None else _layout(context.layout, context.regions),
        "marks": [
            ExportedMark(
                event=mark.event, time=mark.time if known.has_clock else None, name=mark.name
            ).to_json()
            for mark in known.marks
        ],
    }


def _layout(layout: Layout, regions: tuple[RegionAt, ...]) -> dict[str, Any]:
    return ExportedMemory(
        name=layout.name, chip=layout.chip, sdk=layout.sdk, regions=regions
    ).to_json()


def _tail(finish: Finish) -> dict[str, Any]:
    return {"totals": finish.totals.to_json(), "messages": list(finish.messages)}


def dump(value: Any) -> str:
    """ASCII on one line; "<" as an escape, so that no name ends a script element of a page
    into which it is pasted."""
    return json.dumps(value, ensure_ascii=True, separators=(",", ":")).replace("<", "\\u003c")


def quoted(name: str) -> str:
    return dump(name)
