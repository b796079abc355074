"""Replays a trace twice for what a report draws: first to find the moments, then to draw them."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from heapscope.base.errors import InputError
from heapscope.base.request import Request
from heapscope.base.wording import plural
from heapscope.memory.layout.layout import Layout
from heapscope.memory.layout.placement import Placement
from heapscope.native import survey as native
from heapscope.native.reader import NativeReader
from heapscope.native.structs import NEVER, Rows
from heapscope.simulation.replay.clock import clocked
from heapscope.simulation.replay.labels import Labels
from heapscope.simulation.replay.run import ReplayProgress, replay
from heapscope.simulation.result.result import ReplayResult
from heapscope.simulation.result.survey import (
    SUMS,
    Closest,
    Holding,
    KindClosest,
    Moment,
    Picture,
    Strip,
    Survey,
    SurveySpan,
    gathered,
)
from heapscope.trace.all_names import AllNames

#: The map's size at most; one is half of it at least, as columns merge in pairs.
COLUMNS = 1200
ROWS = 256
#: A region has this many rows at least.
ROWS_LEAST = 6
#: Call sites at most: those that held most at some moment, and a row for all others.
SITES = 1000


def survey(
    path: str | Path,
    layout: Layout,
    *,
    needs: Sequence[Request] = (),
    placement: Placement | None = None,
    names: AllNames | None = None,
    columns: int = COLUMNS,
    progress: ReplayProgress | None = None,
) -> tuple[ReplayResult, Survey]:
    """The result of a replay without its timeline, and what a report draws beside it. Reads the
    file twice; memory is a function of live blocks. InputError as of replay."""
    first = _Scan(columns)
    again = functools.partial(
        replay, path, layout, buckets=0, placement=placement, names=names, progress=progress
    )
    result = again(needs=needs, observer=first)
    if result.loss is not None and result.loss.event == 0:
        raise InputError(
            f"{result.trace.path}: {result.loss.sentences()[0]} There is nothing to draw",
            remedy="see the bounds that are left: heapscope replay, heapscope replay",
        )
    second = _Draw(result, first)
    again(observer=second, times=False)
    match = second.survey(first)
    hz = None if result.clock is None else result.clock.hz
    near = tuple(column.closest for column in match.columns if column.closest is not None)
    return clocked(result, path, hz, match.sites, match.classes, match.closest, near), match


class _Scan:
    """Keeps the columns of the time axis."""

    def __init__(self, columns: int) -> None:
        self._count = columns

    def begin(self, reader: NativeReader) -> None:
        native.begin_survey(reader, self._count)

    def end(self, reader: NativeReader) -> None:
        self.columns = native.columns(reader)
        self.closest = native.closest(reader)


class _Draw:
    """Draws the heap at the moment of each column at which most was live."""

    def __init__(self, result: ReplayResult, scan: _Scan) -> None:
        self._result = result
        self._events = scan.columns["most_live_event"].astype(np.uint64)
        self._rows = strip_rows(result)

    def begin(self, reader: NativeReader) -> None:
        peak = self._result.summary.live_peak_event
        never = NEVER if peak is None else peak
        native.begin_drawing(reader, self._events, self._rows, never)

    def end(self, reader: NativeReader) -> None:
        self._cells = native.cells(reader)
        self._blocks = native.blocks(reader)
        self._moments = native.moments(reader)
        self._tasks, self._payload = native.payload(reader)
        self._sites = native.sites(reader)
        self._classes = native.size_classes(reader)
        self._labels = Labels(reader)

    def survey(self, scan: _Scan) -> Survey:
        labels = self._labels
        kinds = zip((row.kind for row in self._result.kinds), scan.closest, strict=True)
        return Survey(
            columns=tuple(_column(row, labels, self._result) for row in scan.columns),
            moments=tuple(_moment(row) for row in self._moments),
            payload=self._payload,
            closest=tuple(
                KindClosest(kind=kind, closest=_closest(row, labels, self._result))
                for kind, row in kinds
            ),
            sites=_sites(self._sites, labels),
            classes=tuple(_class(row) for row in sorted(self._classes, key=_index)),
            picture=self._picture(labels),
        )

    def _picture(self, labels: Labels) -> Picture:
        cells = self._cells
        return Picture(
            strips=tuple(self._strips()),
            tasks=tuple(labels.task(task) for task in self._tasks),
            owner=cells.owner,
            used=cells.used,
            size=cells.size,
            age=cells.age,
            block=cells.block.astype(np.uint16),
            blocks=_blocks(self._blocks, labels),
        )

    def _strips(self) -> list[Strip]:
        strips, row = [], 0
        for region, rows in zip(self._result.regions, self._rows, strict=True):
            if rows:
                strips.append(
                    Strip(
                        start=region.start,
                        size=region.size,
                        kind=region.kind,
                        first_row=row,
                        rows=rows,
                    )
                )
            row += rows
        return sorted(strips, key=lambda strip: -strip.start)


def strip_rows(result: ReplayResult) -> list[int]:
    """How many rows each region gets: by the square root of its size, so that a region of a few KB
    is seen beside one of megabytes."""
    weights = [region.size**0.5 if region.has_heap else 0.0 for region in result.regions]
    whole = sum(weights)
    room = ROWS - ROWS_LEAST * sum(weight > 0 for weight in weights)
    rows = [ROWS_LEAST + int(room * weight / whole) if weight else 0 for weight in weights]
    sizes = [region.size for region in result.regions]
    return [min(count, size) for count, size in zip(rows, sizes, strict=True)]


def _index(row: np.void) -> int:
    return int(row["index"])


def _ints(row: np.void, *names: str) -> dict[str, Any]:
    return {name: int(row[name]) for name in names}


def _closest(row: np.void, labels: Labels, result: ReplayResult) -> Closest | None:
    if int(row["event"]) == NEVER:
        return None
    return Closest(
        **_ints(row, "event", "time", "size", "largest"),
        task=labels.task(int(row["task"])),
        site=labels.site(int(row["site"])),
        capabilities=labels.capabilities(int(row["caps"])),
        region=result.regions[int(row["region"])].name,
    )


def _column(row: np.void, labels: Labels, result: ReplayResult) -> SurveySpan:
    names = [name for name in row.dtype.names or () if name != "closest"]
    return SurveySpan(**_ints(row, *names), closest=_closest(row["closest"], labels, result))


def _moment(row: np.void) -> Moment:
    return Moment(**_ints(row, *(row.dtype.names or ())))


def _holding(row: np.void, name: str, least: int, most: int) -> Holding:
    peak = int(row["payload_peak_event"])
    names = [name for name in row.dtype.names or () if name not in ("index", "padding")]
    values = _ints(row, *names) | {"payload_peak_event": None if peak == NEVER else peak}
    return Holding(name=name, least=least, most=most, **values)


def _site(row: np.void, labels: Labels) -> Holding:
    others = int(row["others"])
    name = plural(others, "other site") if others else labels.site(_index(row)) or "unknown site"
    return _holding(row, name, 0, 0)


def _sites(rows: Rows, labels: Labels) -> tuple[Holding, ...]:
    """A row is made only of those that have most; there may be very many."""
    own, rest = rows[rows["others"] == 0], rows[rows["others"] != 0]
    order = np.argsort(-own["payload_peak"].astype(np.int64), kind="stable")
    kept, left = own[order[: SITES - 1]], own[order[SITES - 1 :]]
    if len(left) > 1:
        sums = {name: int(left[name].sum()) for name in SUMS}
        summed = Holding(
            name=plural(len(left), "other site"),
            others=len(left),
            least=0,
            most=0,
            payload_peak_event=None,
            **sums,
        )
        return gathered([*(_site(row, labels) for row in [*kept, *rest]), summed], SITES)
    return gathered((_site(row, labels) for row in rows), SITES)


def _class(row: np.void) -> Holding:
    """Class k has the sizes above half of 1 << k, the first one all that are smaller too."""
    most = 1 << _index(row)
    least = 1 if most == 16 else most // 2 + 1
    return _holding(row, f"{least:,} to {most:,} B", least, most)


def _blocks(rows: Rows, labels: Labels) -> dict[str, list[Any]]:
    numbers = ("address", "size", "held", "born", "born_time")
    table: dict[str, list[Any]] = {name: rows[name].tolist() for name in numbers}
    for name in ("died", "died_time"):
        table[name] = [None if value == NEVER else value for value in rows[name].tolist()]
    table["task"] = [labels.task(index) for index in rows["task"].tolist()]
    table["site"] = [labels.site(index) for index in rows["site"].tolist()]
    return table
