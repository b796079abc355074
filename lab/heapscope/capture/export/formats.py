"""The formats by name."""

from __future__ import annotations

from dataclasses import dataclass

from heapscope.capture.export.events_document import EventsDocument
from heapscope.capture.export.exporter import Exporter


@dataclass(frozen=True, kw_only=True)
class Format:
    name: str
    binary: bool
    opens: str  # what to do with the file


FORMATS = (
    Format(name="perfetto", binary=True, opens="open it in ui.perfetto.dev"),
    Format(name="speedscope", binary=False, opens="open it in speedscope.app"),
    Format(name="collapsed", binary=False, opens="give it to a flame graph program"),
    Format(name="dhat", binary=False, opens="load it in Valgrind's dh_view.html"),
    Format(name="csv", binary=False, opens="one row for each heap event"),
    Format(
        name="json",
        binary=False,
        opens=f"its schema: heapscope --print schema {EventsDocument.VERB}",
    ),
    Format(name="parquet", binary=True, opens="one row for each heap event"),
)


def exporter(name: str, *, weight: str) -> Exporter:
    """A new writer of a format of FORMATS. InputError: what it needs is not installed."""
    # Imported when wanted: numpy takes its time, and most commands export nothing.
    if name == "perfetto":
        from heapscope.capture.export.perfetto import Perfetto

        return Perfetto()
    if name == "speedscope":
        from heapscope.capture.export.speedscope import Speedscope

        return Speedscope()
    if name == "collapsed":
        from heapscope.capture.export.collapsed import Collapsed

        return Collapsed(weight)
    if name == "dhat":
        from heapscope.capture.export.dhat import Dhat

        return Dhat()
    if name == "csv":
        from heapscope.capture.export.csv_table import CsvTable

        return CsvTable()
    if name == "json":
        from heapscope.capture.export.json_events import JsonEvents

        return JsonEvents()
    from heapscope.capture.export.parquet_table import ParquetTable

    return ParquetTable()
