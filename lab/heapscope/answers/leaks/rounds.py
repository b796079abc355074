"""The blocks of each round of a program that are still held at the end."""

from __future__ import annotations

import itertools
from collections.abc import Iterator

import numpy as np

from heapscope.answers.leaks.interval import Interval
from heapscope.base.rows.figure import figure
from heapscope.base.rows.row import Row
from heapscope.native.structs import Rows
from heapscope.trace.names import Names


class RoundRow(Row):
    """From one mark of the rounds to the next."""

    number: int = figure("Its number, from 1.", heading="round", least=1)
    event: int = figure("Heap event at which it begins.", heading="begins at")
    bytes: int = figure("Bytes of it that are held at the end.", "B", "bytes", rest="sum")
    blocks: int = figure("Their blocks.", heading="blocks", rest="sum")
    task: str = figure("Task that holds most of them; empty: nothing is held.", heading="most by")
    site: str = figure("Call site that holds most of them.", heading="site")
    site_bytes: int = figure("Bytes that it holds.", "B", "its bytes", rest="sum")


def rounds_of(stayed: Rows, span: Interval, tasks: Names, sites: Names) -> Iterator[RoundRow]:
    """`stayed`: hs_lab_live_row_t, oldest first."""
    starts = span.round_starts
    limits = np.searchsorted(stayed["birth"], np.array([*starts, span.last], dtype=np.uint64))
    for number, (first, last) in enumerate(itertools.pairwise(limits)):
        rows = stayed[first:last]
        held: dict[tuple[int, int], int] = {}
        for row in rows:
            key = int(row["task"]), int(row["site"])
            held[key] = held.get(key, 0) + int(row["size"])
        key, most = max(held.items(), key=lambda item: item[1], default=((0, 0), 0))
        yield RoundRow(
            number=number + 1,
            event=starts[number],
            bytes=sum(held.values()),
            blocks=len(rows),
            task=tasks[key[0]] if held else "",
            site=sites[key[1]] if held else "",
            site_bytes=most,
        )
