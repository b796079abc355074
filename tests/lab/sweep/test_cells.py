"""A cell's row says what the other verbs say of the same trace on the same memory."""

from __future__ import annotations

import random
from collections.abc import Callable
from pathlib import Path

import heapscope as hs
from heapscope.fleet.sweep.output import read_output
from heapscope.fleet.sweep.plan_file import read_plan
from heapscope.fleet.sweep.worker import replay_batch

from .conftest import rows_of, run_here

WritePlan = Callable[..., Path]

CAPTURED = Path(__file__).resolve().parents[3] / "studies" / "workloads" / "captured"


def test_rows_are_what_replay_says(
    write_plan: WritePlan, traces: dict[str, Path], tmp_path: Path, seed: int
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\ntask = "app"\nregion = "D/IRAM"\n', encoding="utf-8")
    path = write_plan(
        'traces = ["small.hst", "large.hst"]\nneed = ["4KB", "2KB:DMA"]\n'
        '[[grid]]\npool = ["32KB", "64KB", "96KB"]\n'
        'allocator = ["idf-5.5", "heap_4", "heapscope"]\n'
        '[[grid]]\nchip = ["esp32", "esp32c3"]\nidf = ["4.3", "5.5"]\npsram = ["", "4MB"]\n'
        '[[grid]]\nchip = "esp32"\nplace = ["none", "rules.toml"]\n'
    )
    source = read_plan(path)
    rows = rows_of(run_here(source, tmp_path / "out"))
    assert [row["cell"] for row in rows] == list(range(source.plan.cell_count))
    print(f"seed {seed}")
    for row in random.Random(seed).sample(rows, 16):
        cell = source.plan.recipe.cell(row["cell"])
        trace = tmp_path / source.plan.traces[cell.trace].name
        options = dict(cell.options)
        if options.get("place") == "rules.toml":
            options["place"] = str(rules)
        if row["failed"] is not None:
            assert "psram" in options, row
            continue
        result = hs.replay(trace, need=["4KB", "2KB:DMA"], **options)  # type: ignore[arg-type]
        summary = result.to_json()["summary"]
        malloc = result.to_json()["sets"][0]
        assert row["trace"] == source.plan.traces[cell.trace].name
        assert int(row["digest"], 16) == int(str(summary["digest"]), 16)
        assert row["failures"] == summary["failures"]
        assert row["events"] == result.to_json()["census"]["events"]
        assert row["min_free"] == malloc["minimum_free"]
        assert row["min_largest"] == malloc["minimum_largest_allocatable"]
        margins = [need["minimum_margin"] for need in result.to_json()["needs"]]
        assert row["need_margin"] == min(margins)
        assert row["safe"] is (result.verdict.kind in ("near", "fine"))


def test_rows_under_rules_with_fixed_pools_are_what_replay_says(
    write_plan: WritePlan, traces: dict[str, Path], tmp_path: Path
) -> None:
    """On pools of many sizes and on chips, for the recorded run and for perturbed ones. Where the
    fixed pool finds no room, there is no replay."""
    rules = tmp_path / "fixed.toml"
    rules.write_text(
        '[[pool]]\nname = "middle"\nblock = 1200\ncount = 6\n'
        '[[rule]]\nsize = [1000, 1200]\npool = "middle"\n',
        encoding="utf-8",
    )
    source = read_plan(
        write_plan(
            'traces = ["small.hst", "large.hst"]\nneed = ["2KB"]\n[jitter]\nruns = 2\n'
            '[[grid]]\npool = { from = "4KB", to = "100KB", step = "24KB" }\n'
            'allocator = ["idf-5.5", "umm"]\nplace = ["none", "fixed.toml"]\n'
            '[[grid]]\nchip = "esp32c3"\nplace = "fixed.toml"\n'
        )
    )
    rows = rows_of(run_here(source, tmp_path / "out"))
    assert len(rows) == 2 * (5 * 4 + 1) * 3
    for row in rows:
        cell = source.plan.recipe.cell(row["cell"])
        options = dict(cell.options)
        if options.get("place") == "fixed.toml":
            options["place"] = str(rules)
        if (row["pool"], row["place"]) == ("4096", "fixed.toml"):
            assert "pool middle of 7,262 B finds no room" in row["failed"]
            continue
        assert row["failed"] is None, row
        if row["run"]:
            continue
        trace = tmp_path / source.plan.traces[cell.trace].name
        result = hs.replay(trace, need=["2KB"], **options)  # type: ignore[arg-type]
        document = result.to_json()
        assert int(row["digest"], 16) == int(str(document["summary"]["digest"]), 16)
        assert row["failures"] == document["summary"]["failures"]
        assert row["min_free"] == document["sets"][0]["minimum_free"]
        assert row["need_margin"] == min(need["minimum_margin"] for need in document["needs"])
        assert row["safe"] is (result.verdict.kind in ("near", "fine")), row
    without, under = (
        next(
            row["min_free"]
            for row in rows
            if (row["pool"], row["place"], row["trace"]) == ("102400", place, "small.hst")
        )
        for place in ("none", "fixed.toml")
    )
    assert without != under


def test_the_least_pool_is_that_of_fit(write_plan: WritePlan, tmp_path: Path) -> None:
    path = write_plan(
        'traces = ["large.hst", "small.hst"]\n[[grid]]\npool = "least"\n'
        'allocator = ["tlsf", "idf-5.5"]\n'
    )
    rows = rows_of(run_here(read_plan(path), tmp_path / "out"))
    assert [(row["trace"], row["allocator"], row["found"]) for row in rows] == [
        (name, allocator, hs.fit(tmp_path / name, allocator=[allocator])[0].pool)
        for name in ("large.hst", "small.hst")
        for allocator in ("tlsf", "idf-5.5")
    ]
    assert all(row["safe"] and row["pool"] == "least" for row in rows)


def test_a_trace_that_fails_costs_its_own_cells_alone(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    path = write_plan(
        'traces = ["small.hst", "broken.hst", "large.hst"]\n[[grid]]\npool = ["64KB", "512KB"]\n'
        'allocator = ["umm", "tlsf"]\n'
    )
    rows = rows_of(run_here(read_plan(path), tmp_path / "out"))
    assert len(rows) == 12
    for row in rows:
        if row["trace"] == "broken.hst":
            assert row["failed"].startswith("broken.hst: ")
        elif row["allocator"] == "umm" and row["pool"] == str(512 << 10):
            assert "cannot hold a heap of umm" in row["failed"]
        else:
            assert row["failed"] is None
            assert row["safe"] is not None
        assert str(tmp_path) not in str(row["failed"])


def test_perturbed_runs_are_those_of_their_seed(write_plan: WritePlan, tmp_path: Path) -> None:
    trace = CAPTURED / "script_json.hst.zst"
    text = f'traces = "{trace.as_posix()}"\n[jitter]\nruns = 3\nseed = SEED\n'
    text += '[[grid]]\npool = "128KB"\n'
    built = []
    for number, seed in enumerate((5, 5, 6)):
        path = write_plan(text.replace("SEED", str(seed)), f"plan{number}.toml")
        rows = rows_of(run_here(read_plan(path), tmp_path / f"out{number}"))
        assert [row["run"] for row in rows] == [0, 1, 2, 3]
        built.append([row["digest"] for row in rows])
    assert built[0] == built[1]
    assert built[0][0] == built[2][0], "the recorded run has no seed"
    assert built[0][1:] != built[2][1:]
    assert len(set(built[0])) == 4
    recorded = hs.replay(trace, pool="128KB")
    assert int(built[0][0], 16) == int(str(recorded.to_json()["summary"]["digest"]), 16)


def test_a_worker_of_another_version_replays_nothing(write_plan: WritePlan, tmp_path: Path) -> None:
    from dataclasses import replace

    source = read_plan(write_plan('traces = "small.hst"\n[[grid]]\npool = "64KB"\n'))
    recipe = replace(source.plan.recipe, version="9.9")
    result = replay_batch(source.plan.hash, recipe, {}, [], next(source.plan.batches()))
    assert result.refused
    assert result.parquet == b""


def test_an_output_tells_its_plan(write_plan: WritePlan, tmp_path: Path) -> None:
    source = read_plan(write_plan('traces = "small.hst"\n[[grid]]\npool = "64KB"\n'))
    run_here(source, tmp_path / "out")
    assert read_output(tmp_path / "out").plan.hash == source.plan.hash
