"""`replay --pool N --allocator A --digest` gives what the real 32-bit builds answered."""

from __future__ import annotations

import csv
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from heapscope.memory.layout.families import is_compared
from heapscope.memory.layout.pool import pool_layout
from heapscope.native.library import allocator_names
from heapscope.simulation.replay.run import replay

ROOT = Path(__file__).parents[3]
ORACLE = ROOT / "tests" / "oracle"


def trace_file(name: str) -> Path:
    folders = (ORACLE / "traces", ROOT / "studies" / "workloads" / "captured")
    files = [folder / f"{name}{ending}" for folder in folders for ending in (".hst", ".hst.zst")]
    return next(file for file in files if file.exists())


def answers() -> list[dict[str, str]]:
    with (ORACLE / "oracle.csv").open(encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return [row for row in rows if row["allocator"] in allocator_names()]


#: The heaps of other systems: slow with longer traces.
FIELD = tuple(name for name in allocator_names() if "+" not in name and not is_compared(name))
#: Answers of builds whose code other rows ask as well: with longer traces they are slow.
REPEATED = ("-psram", "-fl", "-host", "idf-4.3.0", "idf-4.4.2", "idf-5.3", "+full")


def cases() -> list[Any]:
    """Each release, table and flavour with the short traces, each placement with all."""
    short = ("adv_holes", "edge", "fuzz_align", "fuzz_realloc_small")
    return [
        pytest.param(
            row,
            id=label(row),
            marks=pytest.mark.slow
            if row["trace"] not in short
            and (row["allocator"] in FIELD or any(word in row["allocator"] for word in REPEATED))
            else (),
        )
        for row in answers()
    ]


def label(row: dict[str, str]) -> str:
    return f"{row['trace']}-{row['allocator']}-{row['pool']}"


@pytest.mark.cells(240)
@pytest.mark.parametrize("row", cases())
def test_replay_equals_the_real_allocator(row: dict[str, str]) -> None:
    layout = pool_layout(int(row["pool_used"]), row["allocator"])
    result = replay(trace_file(row["trace"]), layout)
    summary, region = result.summary, result.regions[0]
    first = summary.first_failure_event
    assert summary.digest_line == (
        f"digest {row['digest']} results {row['results']} failures {row['failures']}"
    )
    assert ("" if first is None else str(first)) == row["first_failure"]
    assert summary.skipped == int(row["skipped"])
    assert summary.live_peak == int(row["peak_live"])
    stated = {column: int(row[column]) for column in at_the_end(row) if row[column]}
    assert {column: getattr(region, at_the_end(row)[column]) for column in stated} == stated


def at_the_end(row: dict[str, str]) -> dict[str, str]:
    """Figures of a region by the oracle's columns. An empty cell: that allocator does not say."""
    columns = {
        "reported_free": "reported_free",
        "reported_minimum": "reported_minimum_free",
        "reported_largest": "largest_reported",
        "walk_free": "free",
        "walk_largest": "largest_free",
    }
    if not row["allocator"].startswith("umm"):  # counts units of 8 bytes
        columns |= {"used_blocks": "used_blocks", "free_blocks": "free_blocks"}
    return columns


def test_every_rival_of_the_lab_has_answers_to_meet() -> None:
    """But for releases that are distinguished by their text alone, tables of TLSF for other sizes,
    which shift blocks by what they are larger, and comprehensive poisoning of releases that place
    alike. The answers of umm:32 are in script_nodes.csv.
    No real build with task tracking was asked (tests/models/test_around.c has its arithmetic); our
    own heap is the real one."""
    with (ORACLE / "oracle.csv").open(encoding="utf-8") as file:
        real = [row["allocator"] for row in csv.DictReader(file)]
    assert len(answers()) == len(real) >= 2630
    rivals = {
        name
        for name in allocator_names()
        if not name.startswith("heapscope") and "+track" not in name
    }
    assert set(real) <= rivals
    table = re.compile(r"-(fl\d+|psram|host)(?=$|\+)")
    results = {table.sub("", name) for name in real}
    unasked = {table.sub("", name) for name in rivals} - results
    assert {name.partition("+")[0] for name in unasked if not name.endswith("+full")} == {
        "idf-3.3",
        "idf-4.4.0",
        "idf-5.2",
        "umm:32",
    }
    assert {"idf-4.2+full", "idf-4.4.2+full", "idf-5.1+full", "idf-5.5+full"} <= results


def test_the_command_prints_the_digest_line_alone() -> None:
    row = next(r for r in answers() if r["trace"] == "edge" and r["allocator"] == "idf-5.5")
    command = [sys.executable, "-m", "heapscope", "replay", str(trace_file("edge"))]
    options = ["--pool", row["pool_used"], "--allocator", row["allocator"], "--digest"]
    out = subprocess.run([*command, *options], capture_output=True, text=True, check=True).stdout
    assert out == f"digest {row['digest']} results {row['results']} failures {row['failures']}\n"
