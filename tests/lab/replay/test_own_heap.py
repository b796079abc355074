"""Our own heap as an allocator of the lab."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from heapscope.memory.layout.pool import pool_layout
from heapscope.simulation.replay.run import replay
from heapscope.simulation.result.comparison import compare

MakeTrace = Callable[[str], Path]

EVENTS = "a 1 1000\na 2 20\nr 1 3000\nm 3 4096 100\nf 2\na 4 5\nf 1\n"


@pytest.mark.parametrize("allocator", ["heapscope", "heapscope-16", "heapscope-wide"])
def test_it_serves_a_trace_and_its_parts_are_the_whole(trace: MakeTrace, allocator: str) -> None:
    result = replay(trace(EVENTS), pool_layout(16384, allocator))
    (row,) = result.regions
    assert (result.summary.failures, row.used_blocks) == (0, 2)
    assert row.control + row.header + row.payload + row.rounding + row.free == row.size
    assert row.payload == 105
    assert (row.reported_free, row.reported_minimum_free) == (row.free, row.minimum_free)


def test_steps_that_are_not_counted_are_not_compared(trace: MakeTrace) -> None:
    file = trace(EVENTS)
    ours, theirs = (replay(file, pool_layout(16384, name)) for name in ("heapscope", "idf-5.5"))
    rows = {row.name: row for row in compare(theirs, ours).rows}
    assert rows["nodes and bins visited"].right is None
    assert rows["nodes and bins visited"].outcome == ""
    assert rows["copied or zeroed"].right == 1000
