"""Devices from a table with a row for each sample, by SQL: CSV, JSON lines or Parquet."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from heapscope.answers.series.judge import LEAST, judge_series
from heapscope.answers.series.samples import HeapSeries
from heapscope.base.errors import InputError
from heapscope.base.extras import need as need_extra
from heapscope.base.printable import printable
from heapscope.base.request import Request
from heapscope.base.wording import plural
from heapscope.fleet.devices.columns import FleetColumns, fleet_columns
from heapscope.fleet.devices.device import FleetDevice
from heapscope.trace.source import open_blocks

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_HEAD = 1 << 16  # bytes that have the heading and some rows
_SMALL = 1 << 20  # bytes of a table whose devices are counted before it is taken for a fleet
_DEVICES = 3  # from so many on a small table is one
_READ = ("device", "host", "node", "mac", "id")  # columns by which a log is divided, too
_KINDS = {".csv": "csv", ".tsv": "csv", ".parquet": "parquet", ".jsonl": "json", ".ndjson": "json"}
_PACKED = (".gz", ".zst")
_LOOKED_AT = 1000  # rows that show how times are written
_TIMES = ("DOUBLE", "TIMESTAMP")
_NO_TIME = "CAST(NULL AS DOUBLE)"
_JUDGED = 200  # devices whose series are judged, those that fell most
_SAMPLES = 400  # of such a series
_EPOCH_MS = 100_000_000_000  # a time since 1970 in ms is not less, and one in seconds is


@dataclass(frozen=True, kw_only=True)
class FleetTable:
    """Files with a row for each sample, in one form. `kind`: csv, json or parquet."""

    files: tuple[Path, ...]
    kind: str
    columns: FleetColumns


def kind_of_table(file: Path) -> str:
    suffixes = [one.lower() for one in file.suffixes]
    if suffixes and suffixes[-1] in _PACKED:
        suffixes.pop()
    return _KINDS.get(suffixes[-1] if suffixes else "", "")


def fleet_table(files: Sequence[Path]) -> FleetTable | None:
    """None: not all are tables with one and the same heading, which has a device and its heap, or
    it is a small one of so few devices that their lines are read as those of a log."""
    kinds = {kind_of_table(file) for file in files}
    if len(kinds) != 1 or "" in kinds:
        return None
    kind = kinds.pop()
    heads = [_headings(file, kind) for file in files]
    columns = fleet_columns(heads[0]) if heads[0] else None
    if columns is None or any(head != heads[0] for head in heads):
        return None
    if len(files) == 1 and not columns.build and _few(files[0], kind, columns):
        return None
    return FleetTable(files=tuple(files), kind=kind, columns=columns)


def _headings(file: Path, kind: str) -> list[str]:
    if kind == "csv":
        rows = list(csv.reader(StringIO(_text(file, _HEAD)), delimiter=_separator(file)))
        return [heading.strip().strip('"') for heading in rows[0]] if len(rows) > 1 else []
    if kind == "json" and not _text(file, _HEAD).lstrip().startswith("{"):
        return []
    need_extra("sweep", "a fleet's table")
    import duckdb

    try:
        with duckdb.connect() as connection:
            query = f"DESCRIBE SELECT * FROM {_reader(kind)}"
            rows = connection.execute(query, [[str(file)]]).fetchall()
    except duckdb.Error:
        return []
    return [str(row[0]) for row in rows]


def _text(file: Path, most: int) -> str:
    text = b""
    with open_blocks(file) as blocks:
        for piece in blocks:
            text += piece
            if len(text) >= most:
                break
    return text[:most].decode("utf-8-sig", "replace")


def _separator(file: Path) -> str:
    line = _text(file, _HEAD).partition("\n")[0]
    return max(",;\t|", key=line.count)


def _few(file: Path, kind: str, columns: FleetColumns) -> bool:
    if file.stat().st_size > _SMALL or kind == "parquet":
        return False
    text = _text(file, _SMALL)
    rows: Iterable[Any] = csv.DictReader(StringIO(text), delimiter=_separator(file))
    if kind == "json":
        rows = map(_object, text.splitlines())
    least = _DEVICES if kind == "csv" and columns.device in _READ else 2
    return len({str(row[columns.device]) for row in rows if columns.device in row}) < least


def _object(line: str) -> dict[str, Any]:
    """A line of JSON; empty: it cannot be read as one."""
    try:
        held = json.loads(line)
    except (ValueError, RecursionError):
        return {}
    return held if isinstance(held, dict) else {}


def _reader(kind: str) -> str:
    if kind == "parquet":
        return "read_parquet(?, union_by_name=true)"
    if kind == "json":
        return "read_json_auto(?, format='newline_delimited', ignore_errors=true)"
    return "read_csv(?, header=true, all_varchar=true, null_padding=true, ignore_errors=true)"


def _name_of(word: str) -> str:
    return '"' + word.replace('"', '""') + '"'


def tabled_devices(
    table: FleetTable, needs: Sequence[Request]
) -> tuple[list[FleetDevice], int, str]:
    """The devices, the rows, and a remark on rows that were left out. InputError: the extra is
    missing, or the table cannot be read."""
    need_extra("sweep", "a fleet's table")
    import duckdb

    name = printable(str(table.files[0]), limit=400)
    try:
        with duckdb.connect() as connection:
            connection.execute("SET preserve_insertion_order=false")
            has_time = _load(connection, table)
            rows = connection.execute(_totals(table, needs)).fetchall()
            if not rows:
                raise InputError(f"{name}: no row has a device and a size", remedy="check it")
            count = sum(row[3] for row in rows)
            left_out = connection.execute("SELECT count(*) FROM samples WHERE level IS NULL")
            missing = int((left_out.fetchone() or (0,))[0])
            devices = [_device(row, table, needs, has_time=has_time) for row in rows]
            judged = dict(_series(connection, table, rows, has_time=has_time))
    except duckdb.Error as error:
        first = str(error).splitlines()[0]
        raise InputError(
            f"{name}: cannot be read: {printable(first, limit=200)}",
            remedy="give a table with a heading and a row for each sample",
        ) from None
    for at, series in judged.items():
        devices[at] = devices[at].with_verdict(judge_series(series))
    remark = f"{plural(missing, 'row')} without a size are left out." if missing else ""
    return devices, count, remark


def _load(connection: DuckDBPyConnection, table: FleetTable) -> bool:
    """Makes the table `samples`; whether it has times."""
    columns = table.columns
    reader = _reader(table.kind)
    files = [[str(file) for file in table.files]]
    time = _time(connection, table)
    words = [
        f"coalesce(CAST({_name_of(word)} AS VARCHAR), '')" if word else "''"
        for word in (columns.device, columns.build, columns.chip)
    ]
    sizes = [
        f"TRY_CAST({_name_of(word)} AS FLOAT) * {unit}" if word else "CAST(NULL AS FLOAT)"
        for word, unit in zip((columns.free, columns.largest), columns.units, strict=True)
    ]
    connection.execute(
        f"CREATE TEMP TABLE samples AS SELECT *, coalesce(largest, free) AS level FROM (SELECT "
        f"{words[0]} AS device, {words[1]} AS build, {words[2]} AS chip, {time} AS t, "
        f"{sizes[0]} AS free, {sizes[1]} AS largest FROM {reader})",
        files,
    )
    return time != _NO_TIME


def _time(connection: DuckDBPyConnection, table: FleetTable) -> str:
    """SQL: seconds, by how its first values are written."""
    if not table.columns.time:
        return _NO_TIME
    name = _name_of(table.columns.time)
    number, date = f"TRY_CAST({name} AS DOUBLE)", f"TRY_CAST({name} AS TIMESTAMP)"
    if table.kind == "parquet":
        kind = f"SELECT typeof({name}) FROM {_reader(table.kind)} LIMIT 1"
        first = connection.execute(kind, [[str(file) for file in table.files]]).fetchone()
        numbers = dates = 0 if first is None else 1
        dates = 2 * numbers if first and str(first[0]).startswith(("TIME", "DATE")) else 0
    else:
        number, date = (f"TRY_CAST(CAST({name} AS VARCHAR) AS {kind})" for kind in _TIMES)
        numbers, dates = connection.execute(
            f"SELECT count({number}), count({date}) FROM "
            f"(SELECT * FROM {_reader(table.kind)} LIMIT {_LOOKED_AT})",
            [[str(file) for file in table.files]],
        ).fetchone() or (0, 0)
    if dates > numbers:
        return f"epoch({date})"
    if not numbers:
        return _NO_TIME
    if table.columns.step:
        return f"{number} * {table.columns.step}"
    return f"CASE WHEN {number} > {_EPOCH_MS} THEN {number} / 1000 ELSE {number} END"


def _totals(table: FleetTable, needs: Sequence[Request]) -> str:
    short = "".join(
        f", min(t) FILTER (level < {need.size}), count(*) FILTER (level < {need.size})"
        for need in needs
    )
    return (
        "SELECT device, build, chip, count(level), min(t), max(t), median(free), median(largest), "
        "coalesce(arg_max(level, t), last(level)), coalesce(arg_min(level, t), first(level))"
        f"{short} FROM samples WHERE device <> '' AND level IS NOT NULL GROUP BY ALL "
        "ORDER BY device, build, chip"
    )


def _device(
    row: Sequence[Any], table: FleetTable, needs: Sequence[Request], *, has_time: bool
) -> FleetDevice:
    name, build, chip, samples, begin, end, free, largest, last, _, *short = row
    timed = has_time and begin is not None
    failures = []
    for moment, count in zip(short[::2], short[1::2], strict=True):
        at = float(moment - begin) if timed and moment is not None else None
        failures.append((float(samples) if not timed else at) if count else None)
    return FleetDevice(
        name=printable(str(name)),
        build=printable(str(build)),
        chip=printable(str(chip)),
        samples=int(samples),
        seconds=float(end - begin) if timed else float(samples),
        has_time=timed,
        free=None if free is None else float(free),
        largest=None if largest is None else float(largest),
        last=float(last),
        failures=tuple(failures),
        fits=tuple(last >= need.size for need in needs),
    )


def _series(
    connection: DuckDBPyConnection,
    table: FleetTable,
    rows: Sequence[Sequence[Any]],
    *,
    has_time: bool,
) -> Iterator[tuple[int, HeapSeries]]:
    """The series of those devices that fell most, thinned, by their position in the rows."""
    if not has_time:
        return
    fallen = sorted(range(len(rows)), key=lambda at: rows[at][8] / max(rows[at][9], 1.0))
    chosen = [at for at in fallen[:_JUDGED] if rows[at][3] >= LEAST and rows[at][5] > rows[at][4]]
    places = {tuple(rows[at][:3]): at for at in chosen}
    connection.execute(
        "CREATE TEMP TABLE chosen (device VARCHAR, build VARCHAR, chip VARCHAR, begin DOUBLE, "
        "step DOUBLE)"
    )
    if not chosen:
        return
    connection.executemany(
        "INSERT INTO chosen VALUES (?, ?, ?, ?, ?)",
        [
            [*rows[at][:3], rows[at][4], max((rows[at][5] - rows[at][4]) / _SAMPLES, 1e-6)]
            for at in chosen
        ],
    )
    samples = connection.execute(
        "SELECT device, build, chip, min(t) AS moment, arg_min(free, t), arg_min(largest, t) "
        "FROM samples JOIN chosen USING (device, build, chip) WHERE level IS NOT NULL "
        "AND t IS NOT NULL GROUP BY device, build, chip, floor((t - begin) / step) "
        "ORDER BY device, build, chip, moment"
    ).fetchnumpy()
    names = list(samples)
    keys = [samples[name] for name in names[:3]]
    moments, free, largest = (
        np.ma.filled(np.ma.asarray(samples[name], dtype=np.float64), np.nan) for name in names[3:]
    )
    starts = [0, *(1 + np.flatnonzero(np.any([key[1:] != key[:-1] for key in keys], axis=0)))]
    for begin, end in zip(starts, [*starts[1:], len(moments)], strict=True):
        if end - begin < LEAST:
            continue
        one = slice(begin, end)
        has_free = bool(np.isfinite(free[one]).all())
        has_both = has_free and bool(np.isfinite(largest[one]).all())
        if has_free or np.isfinite(largest[one]).all():
            whole = HeapSeries(
                seconds=moments[one] - moments[begin],
                free=free[one] if has_free else largest[one],
                largest=largest[one] if has_both else None,
            )
            yield places[tuple(str(key[begin]) for key in keys)], whole
