"""Parquet: the table of CSV, typed and compressed, by polars."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.base.errors import InputError
from heapscope.base.extras import command
from heapscope.base.interrupt import scratch_folder
from heapscope.base.output import Write
from heapscope.capture.export.columns import EventColumn, columns, placed
from heapscope.capture.export.exporter import Context, Exporter, Finish
from heapscope.native.export import Keep
from heapscope.native.structs import Rows

_PART_ROWS = 1 << 18
_COPY = 1 << 20


class ParquetTable(Exporter):
    """A parquet file has its index at the end and polars wants all rows at once, so parts of 262144
    rows are written to a temporary folder and then joined in a stream."""

    names_first = True
    keep = Keep.ROWS

    def __init__(self) -> None:
        self._polars = _polars()

    def begin(self, context: Context, write: Write) -> None:
        self._folder = scratch_folder()
        self._columns = columns(context)
        self._names = {
            column.name: self._polars.Series(column.names, dtype=self._polars.String)
            for column in self._columns
            if column.names
        }
        self._waiting: list[Any] = []
        self._count = self._parts = 0

    def rows(self, rows: Rows, write: Write) -> None:
        self._waiting.append(self._frame(rows))
        self._count += len(rows)
        if self._count >= _PART_ROWS:
            self._write_part()

    def end(self, finish: Finish, write: Write) -> None:
        with self._folder as folder:
            if self._waiting or not self._parts:
                self._write_part()
            whole = Path(folder) / "whole"
            parts = [self._part(number) for number in range(self._parts)]
            self._polars.scan_parquet(parts, glob=False).sink_parquet(whole)
            with whole.open("rb") as file:
                while piece := file.read(_COPY):
                    write(piece)

    def _part(self, number: int) -> Path:
        return Path(self._folder.name) / f"{number}.parquet"

    def _write_part(self) -> None:
        frames = self._waiting or [self._frame(np.zeros(0, dtype=_row_dtype()))]
        self._polars.concat(frames).write_parquet(self._part(self._parts))
        self._parts += 1
        self._waiting, self._count = [], 0

    def _frame(self, rows: Rows) -> Any:
        rows = placed(rows, self._columns)
        return self._polars.DataFrame([self._series(column, rows) for column in self._columns])

    def _series(self, column: EventColumn, rows: Rows) -> Any:
        pl = self._polars
        values = np.ascontiguousarray(rows[column.field])
        if column.empty:
            return pl.Series(column.name, [None], dtype=pl.UInt64).new_from_index(0, len(rows))
        series = pl.Series(column.name, values)
        if column.none is not None:
            none = pl.Series(values == column.none)
            series = series.to_frame().select(
                pl.when(~none).then(pl.col(column.name)).alias(column.name)
            )[column.name]
        if column.names:
            series = self._names[column.name].gather(series.cast(pl.UInt32)).alias(column.name)
        return series


def _row_dtype() -> np.dtype[np.void]:
    from heapscope.native.structs import dtype

    return dtype("hs_lab_export_row_t")


def _polars() -> Any:
    """An optional dependency: nothing else needs it."""
    try:
        return importlib.import_module("polars")
    except ImportError:
        raise InputError(
            "Parquet is written with polars, which is not installed",
            remedy=f"{command('parquet')}, or export to csv",
        ) from None
