"""The script-heap study's recorded engine on the model of its private heap: every answer and every
visited node is the real allocator's."""

from __future__ import annotations

import csv
import dataclasses
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from heapscope_studies.script_heap.claims import claims
from heapscope_studies.script_heap.cost import own_lines, read_jobs, share_missed
from heapscope_studies.script_heap.parts import BASE, Part, read_parts
from heapscope_studies.script_heap.runs import PUBLISHED
from heapscope_studies.script_heap.study import JOBS, Ran, line_published_us, line_us
from heapscope_studies.week import TURN, TURN_ROW, Actor, NativeWeek, WeekHeap

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
        reported = real[part.name]
        for key in ("mallocs", "reallocs", "frees", "nodes"):
            assert row[key] == int(reported[key]), (part.name, key)
        assert failed == int(reported["failures"]), part.name
        assert f"{int(row['digest']):016x}" == reported["digest"], part.name
    assert seen == set(real)


def built(allocator: str, nodes: int) -> Ran:
    """Every job has 1,000 calls of each kind; half of the nodes are those of frees."""
    names = ("minute 1", "collection 1", "json", "json done", "json native", "cbor")
    rows = np.zeros(len(names), dtype=TURN_ROW)
    rows["nodes"], rows["free_nodes"] = nodes, nodes // 2
    for key in ("mallocs", "frees", "reallocs"):
        rows[key] = 1000
    rows["free_blocks"] = 500
    rows["nodes"][4] = 10**12  # of another job than "json"
    return Ran(
        allocator=allocator, parts=tuple(Part(name=n, first=0, count=1) for n in names), rows=rows
    )


def figures() -> dict[str, tuple[float, ...]]:
    both = claims(built("idf-3.3+light+track", 2_000_000), built("umm:32", 300_000))
    return {claim.key: dataclasses.astuple(claim.computed) for claim in both}


def test_a_job_costs_its_instructions_and_its_nodes() -> None:
    ran = built("idf-3.3+light+track", 2_000_000)
    spread = ran.seconds("json")
    line = 78 * 240 / 40  # cycles
    assert spread.uncached - spread.cached == pytest.approx(2_000_000 * line / 240e6)
    assert spread.cached < spread.middle < spread.uncached
    assert ran.share().cached == pytest.approx(
        100 * sum(ran.seconds(job).cached for job in JOBS[:2]) / 60
    )


@pytest.mark.parametrize(
    ("path", "moved"),
    [
        (("study", "engine", "minute"), "private_cpu_pct"),
        (("study", "engine", "collection"), "private_collection_s"),
        (("study", "engine", "json"), "json_s"),
        (("study", "engine", "cbor"), "cbor_to_json"),
        (("chip", "clock_mhz"), "private_collection_s"),
        (("chip", "cache_lines"), "collection_s"),
        (("cycles", "per_instruction", "middle"), "private_collection_s"),
        (("cycles", "ram_mhz", "middle"), "collection_s"),
        (("line_clocks", "read"), "collection_s"),
    ],
)
def test_a_constant_twice_as_large_moves_its_figure(
    path: tuple[str, ...], moved: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = figures()
    *outer, last = path
    table: Mapping[str, Any] = PUBLISHED
    for key in outer:
        table = table[key]
    value = table[last]
    twice = [2 * each for each in value] if isinstance(value, list) else 2 * value
    monkeypatch.setitem(table, last, twice)  # type: ignore[arg-type]
    after = figures()
    assert after[moved] != pytest.approx(before[moved], rel=0.01)


def test_a_line_s_price_is_put_beside_a_published_reading() -> None:
    assert line_us(40) == pytest.approx(1.95)
    assert line_us(PUBLISHED["validation"]["ram_mhz"]) == pytest.approx(0.975)
    assert line_published_us() == pytest.approx(32 / 20)
    assert line_us(80) < line_published_us()


def test_the_engine_s_own_lines_hardly_change_what_the_cache_keeps() -> None:
    """They were counted for the week's jobs. A list as long as the cache is mostly gone."""
    counted = read_jobs()
    collections = [one for name, one in counted.items() if name.startswith("collection ")]
    read, calls = (
        sum(getattr(one, key) for one in collections) for key in ("lines_read", "heap_calls")
    )
    assert own_lines("collection") == pytest.approx(read / calls)
    assert 0.1 < own_lines("json") < 1 < own_lines("collection") < 30
    alone, beside = (share_missed(538, lines) for lines in (0.0, own_lines("collection")))
    assert alone < beside < alone + 0.05
    assert share_missed(PUBLISHED["chip"]["cache_lines"], 0.0) > 0.5
