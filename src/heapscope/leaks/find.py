"""Finds what stayed: a trace and two moments in, holders with their growth out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from heapscope.leaks.interval import Interval
from heapscope.leaks.suppress import Suppression
from heapscope.leaks.trend import Trend, trend
from heapscope.measure.record import Record
from heapscope.native.live import Rows, live_blocks, moments, watch
from heapscope.native.reader import NameTable, NativeReader
from heapscope.trace.call_sites import site_names
from heapscope.trace.feed import read_trace
from heapscope.trace.names import Names, task_names
from heapscope.trace.source import Progress

__all__ = ["HolderRow", "Leaks", "find_leaks"]

#: Moments at which the live blocks are looked at, the two ends included.
MOMENTS = 65
FORMAT = 1

Looks = list[tuple[np.void, Rows]]


@dataclass(frozen=True, kw_only=True)
class HolderRow(Record):
    """Blocks of one task and site that were allocated in the interval and are live at its end.
    Sizes in bytes as asked for, ages in heap events at the end."""

    task: str
    site: str
    bytes: int
    blocks: int
    smallest: int
    largest: int
    youngest: int
    oldest: int
    trend: Trend | None  # of all that task and site hold, over the interval


@dataclass(frozen=True, kw_only=True)
class Leaks(Record):
    """What was live at the start and the end of the interval, and what of it came in between."""

    trace: str
    first_event: int
    last_event: int
    start: str
    end: str
    live_start: int
    live_end: int
    blocks_start: int
    blocks_end: int
    stayed: int
    stayed_blocks: int
    suppressed: int
    suppressed_blocks: int
    trend: Trend | None
    holders: tuple[HolderRow, ...]
    messages: tuple[str, ...]  # what of the trace is missing

    def to_json(self) -> dict[str, Any]:
        return {"heapscope_leaks": FORMAT} | super().to_json()


@dataclass(frozen=True)
class _Group:
    task: str
    site: str
    rows: Rows
    trend: Trend | None


def find_leaks(
    path: str | Path,
    span: Interval,
    *,
    suppressions: Sequence[Suppression] = (),
    progress: Progress | None = None,
) -> Leaks:
    with NativeReader() as reader:
        watch(reader, _looks(span), stop=span.last)
        health = read_trace(path, reader, progress=progress)
        looks = moments(reader)
        live = live_blocks(reader)
        tasks = task_names(reader.names(NameTable.TASK))
        sites = site_names(reader.names(NameTable.SITE))
    stayed = live[live["birth"] >= span.first]
    hidden = np.array([_hidden(row, tasks, sites, suppressions) for row in stayed], dtype=bool)
    groups = _groups(stayed[~hidden], looks, tasks, sites)
    start = looks[0][0]
    return Leaks(
        trace=str(path),
        first_event=span.first,
        last_event=span.last,
        start=span.start,
        end=span.end,
        live_start=int(start["bytes"]),
        blocks_start=int(start["blocks"]),
        live_end=int(live["size"].sum()),
        blocks_end=len(live),
        stayed=sum(int(group.rows["size"].sum()) for group in groups),
        stayed_blocks=sum(len(group.rows) for group in groups),
        suppressed=int(stayed["size"][hidden].sum()),
        suppressed_blocks=int(hidden.sum()),
        trend=trend(_events(looks), np.array([float(look["bytes"]) for look, _ in looks])),
        holders=tuple(_holder(group, span.last) for group in groups),
        messages=health.messages(),
    )


def _looks(span: Interval) -> list[int]:
    """Each event once: a look that is taken twice would make growth look surer than it is."""
    looks = np.linspace(span.first, span.last, MOMENTS)
    return list(dict.fromkeys(int(event) for event in looks))


def _events(looks: Looks) -> NDArray[np.float64]:
    return np.array([float(look["event"]) for look, _ in looks])


def _hidden(row: np.void, tasks: Names, sites: Names, rules: Sequence[Suppression]) -> bool:
    if not rules:
        return False
    task, called = tasks[int(row["task"])], sites.called(int(row["site"]))
    return any(rule.matches(task=task, sites=called, size=int(row["size"])) for rule in rules)


def _groups(stayed: Rows, looks: Looks, tasks: Names, sites: Names) -> list[_Group]:
    """By task and site, most bytes first."""
    held = _held_over_time(looks)
    keys = np.unique(stayed[["task", "site"]])
    groups = []
    for task, site in keys.tolist():
        rows = stayed[(stayed["task"] == task) & (stayed["site"] == site)]
        growth = trend(_events(looks), held.get((task, site), np.zeros(len(looks))))
        groups.append(_Group(tasks[task], sites[site], rows, growth))
    return sorted(groups, key=lambda group: -int(group.rows["size"].sum()))


def _held_over_time(looks: Looks) -> dict[tuple[int, int], NDArray[np.float64]]:
    """Bytes of each task and site at each look."""
    held: dict[tuple[int, int], NDArray[np.float64]] = {}
    for index, (_, holders) in enumerate(looks):
        for size, _blocks, task, site in holders.tolist():
            held.setdefault((task, site), np.zeros(len(looks)))[index] = size
    return held


def _holder(group: _Group, last: int) -> HolderRow:
    sizes, ages = group.rows["size"], np.uint64(last) - group.rows["birth"]
    return HolderRow(
        task=group.task,
        site=group.site,
        bytes=int(sizes.sum()),
        blocks=len(sizes),
        smallest=int(sizes.min()),
        largest=int(sizes.max()),
        youngest=int(ages.min()),
        oldest=int(ages.max()),
        trend=group.trend,
    )
