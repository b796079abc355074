"""More call sites and tasks than any view has rows: every export has the sums of a recount."""

from __future__ import annotations

import csv
import importlib
import io
import json
from collections.abc import Callable
from itertools import accumulate
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from typer.testing import CliRunner

from heapscope.cli.app import app

from ..export.test_export_perfetto import Track, tracks
from .shadow import FAILED, FREE, MALLOC, Program, Recount, over, program, write

#: The value of HS_LAB_TASKS_MAX: a trace with more tasks has no counter for each.
TASKS_MAX = 4096


class Sums(NamedTuple):
    """The bytes that all of a program asked for, held at its peak, and holds at the end."""

    total: int
    peak: int
    end: int


def exported(trace: Path, to: str, *options: object) -> bytes:
    """Read from a file: the terminal has no bytes of Parquet."""
    out = trace.with_suffix(f".{to}")
    arguments = ["export", str(trace), "--to", to, "-o", str(out), *map(str, options)]
    done = CliRunner().invoke(app, arguments)
    assert done.exit_code == 0, done.output
    return out.read_bytes()


def collapsed(trace: Path, *options: object) -> Sums:
    def weight(name: str) -> int:
        text = exported(trace, "collapsed", "--weight", name, *options).decode()
        return sum(int(line.rsplit(" ", 1)[1]) for line in text.splitlines())

    return Sums(weight("total"), weight("peak"), weight("leaked"))


def speedscope(trace: Path, *options: object) -> Sums:
    document = json.loads(exported(trace, "speedscope", *options))
    by_name = {profile["name"]: profile for profile in document["profiles"]}
    for profile in by_name.values():
        assert profile["endValue"] == sum(profile["weights"])
    names = ("allocated in all", "live at the peak", "live at the end")
    return Sums(*(sum(by_name[name]["weights"]) for name in names))


def dhat(trace: Path, *options: object) -> Sums:
    points = json.loads(exported(trace, "dhat", *options))["pps"]
    return Sums(*(sum(point[name] for point in points) for name in ("tb", "gb", "eb")))


def rows_of(trace: Path, to: str, *options: object) -> list[dict[str, Any]]:
    data = exported(trace, to, *options)
    if to == "csv":
        return list(csv.DictReader(io.StringIO(data.decode())))
    if to == "json":
        rows: list[dict[str, Any]] = json.loads(data)["events"]
        return rows
    read: list[dict[str, Any]] = (
        importlib.import_module("pyarrow.parquet").read_table(io.BytesIO(data)).to_pylist()
    )
    return read


def summed(rows: list[dict[str, Any]]) -> Sums:
    """The sums of the sizes less what each event freed, without the column `live`."""
    steps = [
        (int(row["size"] or 0) if row["outcome"] == "ok" and row["call"] != "free" else 0)
        - int(row["freed"] or 0)
        for row in rows
    ]
    lives = list(accumulate(steps))
    assert lives == [int(row["live"]) for row in rows]
    total = sum(
        int(row["size"]) for row in rows if row["outcome"] == "ok" and row["call"] != "free"
    )
    return Sums(total, max(lives), lives[-1])


def held(trace: Path, *options: object) -> dict[str, Track]:
    return tracks(exported(trace, "perfetto", *options))


def reported(built: Program, failed: set[int]) -> tuple[Sums, Recount]:
    recount = Recount().tell(built.events, failed)
    served = over(recount.allocations, "site")
    assert served == over(recount.allocations, "task")
    total, placed = 0, set()
    for number, event in enumerate(built.events):
        if event.kind in (FREE, FAILED) or number in failed:
            continue
        if event.kind == MALLOC:
            placed.add(event.key)
        if event.key in placed:
            total += event.size
    return Sums(total, recount.peak, recount.total), recount


TABLES = ("json", "csv", "parquet")
PROFILES: tuple[Callable[..., Sums], ...] = (collapsed, speedscope, dhat)


@pytest.mark.cells(1)
@pytest.mark.parametrize(
    ("tasks", "memory"),
    [
        (30, ()),
        (30, ("--pool", "16MB")),
        (30, ("--pool", "160KB")),
        (TASKS_MAX + 900, ("--pool", "160KB")),
    ],
)
def test_every_export_has_the_sums_of_the_recount(
    tmp_path: Path, tasks: int, memory: tuple[str, ...], seed: int
) -> None:
    built = program(seed, events=4 * tasks + 4000, tasks=tasks, sites=3000)
    trace = write(built, tmp_path / "T.hst")
    document = json.loads(exported(trace, "json", *memory))
    failed = {row["event"] for row in document["events"] if row["outcome"] == "failed"}
    assert bool(failed) == (memory == ("--pool", "160KB"))
    sums, recount = reported(built, failed)
    totals = document["totals"]
    assert (totals["live_peak"], totals["live_end"]) == (sums.peak, sums.end)
    recorded = [event for event in built.events if event.kind == FAILED]
    assert totals["failures"] == (len(failed) if memory else len(recorded))
    for to in TABLES:
        assert summed(rows_of(trace, to, *memory)) == sums, to
    for profile in PROFILES:
        assert profile(trace, *memory) == sums, profile.__name__
    check_counters(held(trace, *memory), built, recount, failures=totals["failures"])


def check_counters(
    result: dict[str, Track], built: Program, recount: Recount, *, failures: int
) -> None:
    live = [value for _, value in result["heap/live"].samples]
    assert (max(live), live[-1]) == (recount.peak, recount.total)
    assert result["heap/failures so far"].samples[-1][1] == failures
    by_task = {
        name.removeprefix("live by task/"): [value for _, value in track.samples]
        for name, track in result.items()
        if name.startswith("live by task/")
    }
    assert sum(values[-1] for values in by_task.values()) == recount.total
    wanted = {built.task(index): index for kind, index in recount.allocations if kind == "task"}
    others = set(by_task) - set(wanted)
    assert others == ({"other tasks"} if len(wanted) >= TASKS_MAX else set())
    for name, values in by_task.items():
        if name in wanted:
            assert values[-1] == recount.live["task", wanted[name]]
            assert max(values) == recount.peaks["task", wanted[name]]
