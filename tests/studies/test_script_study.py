"""The script-heap study's recorded engine on the model of its private heap: every answer and every
visited node is the real allocator's."""

from __future__ import annotations

import csv
from contextlib import ExitStack
from pathlib import Path

import numpy as np
import pytest

from heapscope_studies.script_heap.parts import BASE, read_parts
from heapscope_studies.week import TURN, Actor, NativeWeek, WeekHeap

REAL = Path(__file__).parents[1] / "oracle" / "script_nodes.csv"
SIZE = 524_288


@pytest.mark.parametrize("rate", ["0", "2"])
def test_each_job_is_the_real_allocator_s_to_the_digest(rate: str) -> None:
    with REAL.open(encoding="utf-8") as file:
        real = {row["job"]: row for row in csv.DictReader(file) if row["events_a_second"] == rate}
    assert len(real) == 11
    with ExitStack() as stack:
        recorded = read_parts(f"script_study_{rate}", stack)
        turns = np.array([(p.first, p.count, 0, 1) for p in recorded.parts], dtype=TURN)
        actors = [Actor(trace=recorded.steps, watched=0xFFFF_FFFF)]
        heap = WeekHeap(allocator="umm:32", size=SIZE, base=BASE)
        with NativeWeek(actors, [heap]) as week:
            rows = week.play(turns)
    failed = 0
    seen = set()
    for part, row in zip(recorded.parts, rows, strict=True):
        failed += int(row["failures"])
        if part.name not in real:
            continue
        seen.add(part.name)
        told = real[part.name]
        for key in ("mallocs", "reallocs", "frees", "nodes"):
            assert row[key] == int(told[key]), (part.name, key)
        assert failed == int(told["failures"]), part.name
        assert f"{int(row['digest']):016x}" == told["digest"], part.name
    assert seen == set(real)
