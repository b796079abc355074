"""The least pools of perturbed runs: those of `fit --jitter`, and what is stated over them."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import pytest

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.fleet.sweep.answer import SweepResult
from heapscope.fleet.sweep.columns import batch_name, parquet_bytes
from heapscope.fleet.sweep.kept_trace import _recorded
from heapscope.fleet.sweep.output import opened
from heapscope.fleet.sweep.plan_file import read_plan
from heapscope.fleet.sweep.show import show
from heapscope.render.text.sweep import sentences
from heapscope.simulation.jitter.quantile import enough_for, interval, settled_by

from .conftest import rows_of, run_here, sorted_bytes

WritePlan = Callable[..., Path]

CAPTURED = Path(__file__).resolve().parents[3] / "studies" / "workloads" / "captured"
MANY = CAPTURED / "ice_many.hst.zst"
RUNS = 12
SEARCHING = f"""
traces = ["{MANY.as_posix()}", "small.hst"]
[jitter]
runs = {RUNS}
seed = 3
[[grid]]
pool = ["160KB", "least"]
allocator = ["idf-5.5", "heapscope"]
"""


def test_least_pools_of_perturbed_runs_are_those_of_fit(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    output = run_here(read_plan(write_plan(SEARCHING)), tmp_path / "out")
    rows = [row for row in rows_of(output) if row["pool"] == "least"]
    reported = {row.configuration: row for row in show(tmp_path / "out").perturbed_least}
    assert len(reported) == 2
    for allocator in ("idf-5.5", "heapscope"):
        row = hs.fit(MANY, allocator=allocator, jitter=RUNS, jitter_seed=3)[0]
        assert row.pool is not None
        assert row.perturbed is not None
        own = [one for one in rows if one["allocator"] == allocator and "ice_" in one["trace"]]
        assert own[0]["found"] == row.pool
        runs = [one["found"] for one in own[1:]]
        assert len(runs) == RUNS
        assert sum(result <= row.pool for result in runs) == row.perturbed.at_pool.good < RUNS
        answer = reported[f"--pool least --allocator {allocator}"]
        assert answer.enough == row.perturbed.safe == max(runs)
        assert answer.trace == MANY.as_posix()
        assert (answer.traces, answer.failed, answer.runs, answer.unserved) == (2, 0, RUNS, 0)
        assert all(one["safe"] and one["memory"] == one["found"] for one in own)


def test_least_pools_have_room_for_the_needs_of_the_plan(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    trace = CAPTURED / "ice_one.hst.zst"
    text = f'traces = "{trace.as_posix()}"\nneed = [16717]\n[jitter]\nruns = 3\nseed = 3\n'
    text += '[[grid]]\npool = "least"\nallocator = ["idf-5.5", "umm"]\n'
    rows = rows_of(run_here(read_plan(write_plan(text)), tmp_path / "out"))
    for allocator in ("idf-5.5", "umm"):
        own = [one for one in rows if one["allocator"] == allocator]
        row = hs.fit(trace, allocator=allocator, need=16717, jitter=3, jitter_seed=3)[0]
        bare = hs.fit(trace, allocator=allocator)[0]
        assert row.pool is not None
        assert bare.pool is not None
        assert row.perturbed is not None
        assert own[0]["found"] == row.pool > bare.pool
        assert max(one["found"] for one in own[1:]) == row.perturbed.safe
        assert all(one["safe"] and one["need_margin"] >= 0 for one in own)
    result = show(tmp_path / "out")
    assert [need.text for need in result.needs] == ["16717"]
    assert "with room for the request 16717 at every moment" in next(sentences(result))


def test_rules_that_no_search_can_follow_are_an_error_of_the_plan(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    (tmp_path / "fixed.toml").write_text(
        '[[pool]]\nname = "small"\nblock = 64\ncount = 4\n[[rule]]\nmax = 64\npool = "small"\n',
        encoding="utf-8",
    )
    text = 'traces = "small.hst"\n[[grid]]\npool = "least"\nplace = "fixed.toml"\n'
    with pytest.raises(InputError) as refused:
        read_plan(write_plan(text))
    assert "plan.toml: grid 1" in refused.value.message
    assert "fixed.toml: pool small: pools of fixed blocks are in it" in refused.value.message
    assert refused.value.remedy


def test_a_search_that_was_stopped_goes_on_to_the_same_bytes(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also where the batches of one trace are replayed by processes that know nothing of it."""
    from importlib import import_module

    monkeypatch.setattr(import_module("heapscope.fleet.sweep.plan"), "BATCH_EVENTS", 60_000)
    source = read_plan(write_plan(SEARCHING))
    batches = len(list(source.plan.batches()))
    assert batches > 6
    whole = run_here(source, tmp_path / "whole")
    for left in (batches - 3, 2, 0):
        _recorded.cache_clear()
        run_here(source, tmp_path / "parts", leave_out=left)
    assert sorted_bytes(tmp_path / "parts") == sorted_bytes(whole.folder)
    assert len(rows_of(whole)) == source.plan.cell_count


def test_a_recorded_run_without_a_pool_has_no_perturbed_ones(
    write_plan: WritePlan, make_trace: Callable[..., Path], tmp_path: Path
) -> None:
    make_trace("t net", *(f"a {i} 30000" for i in range(10)), name="large.hst")
    text = 'traces = ["large.hst", "small.hst"]\n[jitter]\nruns = 2\n'
    text += '[[grid]]\npool = "least"\nallocator = ["umm", "tlsf"]\n'
    rows = rows_of(run_here(read_plan(write_plan(text)), tmp_path / "out"))
    failed = [row["failed"] for row in rows if row["trace"] == "large.hst"]
    assert failed[0] == "no pool serves it with umm"
    assert failed[1:3] == ["no pool serves the recorded run with umm"] * 2
    assert failed[3:] == [None] * 3
    result = show(tmp_path / "out")
    for answers in (result.least, result.perturbed_least):
        assert [(one.configuration.split()[-1], one.traces, one.failed) for one in answers] == [
            ("tlsf", 2, 0),  # first, since it serves every trace
            ("umm", 1, 1),
        ]


@pytest.mark.slow
def test_a_search_follows_the_rules_of_its_configuration(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    rules = tmp_path / "ends.toml"
    rules.write_text('[[rule]]\nmin = 600\nend = "high"\n', encoding="utf-8")
    private = tmp_path / "private.toml"
    private.write_text(
        '[[private]]\nname = "net"\nsize = 4096\n[[rule]]\ntask = "app"\nprivate = "net"\n',
        encoding="utf-8",
    )
    trace = CAPTURED / "script_json.hst.zst"
    text = f'traces = "{trace.as_posix()}"\n[jitter]\nruns = 3\n[[grid]]\npool = ["least", "1MB"]\n'
    text += 'allocator = "heapscope"\nplace = ["none", "ends.toml", "private.toml"]\n'
    rows = rows_of(run_here(read_plan(write_plan(text)), tmp_path / "out"))
    rows = [one for one in rows if one["pool"] == "least"]
    without, under, refused = (rows[at : at + 4] for at in (0, 4, 8))
    for own, place in ((without, None), (under, rules)):
        row = hs.fit(trace, allocator="heapscope", place=place, jitter=3)[0]
        assert row.perturbed is not None
        assert own[0]["found"] == row.pool
        assert max(one["found"] for one in own[1:]) == row.perturbed.safe
        assert all(one["safe"] for one in own)
    assert [one["found"] for one in without] != [one["found"] for one in under]
    assert all("private heaps" in one["failed"] and one["found"] is None for one in refused)


def invented(
    write_plan: WritePlan, folder: Path, sizes: Sequence[Sequence[int | None]]
) -> SweepResult:
    """The answers where the runs of each trace have these least pools."""
    names = ("small.hst", "large.hst")[: len(sizes)]
    text = f"traces = {list(names)}\n[jitter]\nruns = {len(sizes[0])}\n[[grid]]\npool = 'least'\n"
    source = read_plan(write_plan(text))
    rows: list[dict[str, Any]] = []
    for trace, own in zip(names, sizes, strict=True):
        for run, result in enumerate([4096, *own]):
            about = {"cell": len(rows), "trace": trace, "content": "", "run": run}
            rows.append({**about, "pool": "least", "found": result, "safe": result is not None})
    with opened(folder, source.plan) as output:
        output.put(0, parquet_bytes(rows, batch_name(source.plan.hash, 0)))
    return show(folder)


def test_the_trace_that_needs_most_decides(
    write_plan: WritePlan, tmp_path: Path, seed: int
) -> None:
    chance = random.Random(seed)
    print(f"seed {seed}")
    few = [chance.randint(1000, 2000) * 8 for _ in range(settled_by())]
    many: list[int | None] = [chance.randint(1500, 2500) * 8 for _ in range(settled_by())]
    many[chance.randrange(len(many))] = None  # one in 368 is less than 1 %
    result = invented(write_plan, tmp_path / "out", [few, many])
    (row,) = result.perturbed_least
    assert row.trace == "large.hst"
    assert row.enough == enough_for(many) == sorted(size for size in many if size)[364]
    assert (row.low, row.high) == interval(many)
    assert (row.runs, row.unserved) == (settled_by(), 1)
    text = " ".join(sentences(result))
    assert f"99 % of 368 perturbed runs of large.hst need {row.enough:,} B at most" in text
    assert "at the other end are runs without any pool" in text
    assert "Survival is not monotone" in text


def test_more_than_1_percent_without_a_pool_need_more_than_all_others(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    result = invented(write_plan, tmp_path / "out", [[8000] * 400, [None] * 5 + [80] * 395])
    (row,) = result.perturbed_least
    assert (row.enough, row.trace, row.unserved) == (None, "large.hst", 5)
    assert "More than 1 % of 400 perturbed runs of large.hst have no pool" in " ".join(
        sentences(result)
    )


def test_too_few_runs_are_reported_with_the_number_that_settles_it(
    write_plan: WritePlan, tmp_path: Path
) -> None:
    result = invented(write_plan, tmp_path / "out", [[8 * at for at in range(1000, 1100)]])
    (row,) = result.perturbed_least
    assert (row.enough, row.high) == (8 * 1098, None)
    assert result.runs_that_settle == 368
    assert "100 runs cannot tell the other end, 368 can" in " ".join(sentences(result))


def test_cells_that_search_are_in_no_effect(write_plan: WritePlan, tmp_path: Path) -> None:
    text = 'traces = "small.hst"\n[[grid]]\npool = ["least", "16KB", "64KB"]\n'
    text += 'allocator = ["idf-5.5", "umm"]\n[[grid]]\npool = "least"\n'
    text += 'allocator = ["heap_4", "tlsf"]\n'
    run_here(read_plan(write_plan(text)), tmp_path / "out")
    result = show(tmp_path / "out")
    assert (result.configurations_count, result.searches_count) == (4, 4)
    effects = {(one.option, one.value): one for one in result.effects}
    assert set(effects) == {
        ("--pool", "16384"),
        ("--pool", "65536"),
        ("--allocator", "idf-5.5"),
        ("--allocator", "umm"),
    }
    assert effects["--pool", "65536"].against == "16384"
    assert effects["--pool", "65536"].pairs == 2
    assert effects["--pool", "65536"].min_free in range(47 << 10, 49 << 10)  # beside the tables
    assert effects["--allocator", "umm"].cells == 2
