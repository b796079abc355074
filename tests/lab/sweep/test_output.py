"""The folder of results: one plan, one client, each batch once and whole."""

from __future__ import annotations

import errno
import os
import subprocess
import sys
from collections.abc import Callable
from importlib import import_module
from pathlib import Path

import pytest

from heapscope.base.errors import InputError
from heapscope.fleet.sweep.output import opened, read_output
from heapscope.fleet.sweep.plan import SweepPlan
from heapscope.fleet.sweep.plan_file import read_plan

from .conftest import run_here, sorted_bytes

WritePlan = Callable[..., Path]

TEXT = 'traces = ["small.hst", "large.hst"]\n[[grid]]\npool = ["32KB", "64KB"]\n'


@pytest.fixture
def plan(write_plan: WritePlan) -> SweepPlan:
    return read_plan(write_plan(TEXT)).plan


def test_a_batch_that_comes_again_counts_once(plan: SweepPlan, tmp_path: Path) -> None:
    with opened(tmp_path / "out", plan) as output:
        output.put(7, b"first")
        output.put(7, b"again")
        output.put(1007, b"other")
        assert output.done() == {7, 1007}
        assert [Path(file).read_bytes() for file in output.files()] == [b"again", b"other"]


@pytest.mark.parametrize(
    ("change", "text"),
    [
        ((TEXT, TEXT + 'allocator = "tlsf"\n'), "grids differ"),
        ((TEXT, 'need = ["1KB"]\n' + TEXT), "needs differ"),
        ((TEXT, TEXT + "[jitter]\nruns = 2\n"), "perturbed runs differ"),
        ((TEXT, TEXT.replace('"small.hst", ', "")), "traces differ"),
    ],
)
def test_another_plan_on_the_same_output_is_refused(
    write_plan: WritePlan, tmp_path: Path, change: tuple[str, str], text: str
) -> None:
    first, second = change
    with opened(tmp_path / "out", read_plan(write_plan(first)).plan) as output:
        output.put(0, b"kept")
    other = read_plan(write_plan(second, "other.toml")).plan
    with pytest.raises(InputError, match=text), opened(tmp_path / "out", other):
        pass
    assert read_output(tmp_path / "out").done() == {0}


def test_a_trace_that_was_recorded_anew_is_another_plan(
    write_plan: WritePlan, tmp_path: Path, traces: dict[str, Path]
) -> None:
    path = write_plan(TEXT)
    with opened(tmp_path / "out", read_plan(path).plan):
        pass
    traces["small"].write_bytes(traces["large"].read_bytes())
    with pytest.raises(InputError, match="traces differ"):
        opened(tmp_path / "out", read_plan(path).plan).__enter__()


def test_two_clients_on_one_output_are_refused_by_name(plan: SweepPlan, tmp_path: Path) -> None:
    with opened(tmp_path / "out", plan):
        with pytest.raises(InputError) as refused, opened(tmp_path / "out", plan):
            pass
        assert f"process {os.getpid()} on" in refused.value.message
        assert "\\x0a" not in refused.value.message
    with opened(tmp_path / "out", plan):
        pass


def test_a_client_that_was_killed_leaves_the_output_free(plan: SweepPlan, tmp_path: Path) -> None:
    folder = tmp_path / "out"
    with opened(folder, plan):
        pass
    code = (
        "import sys, time; from pathlib import Path\n"
        "from heapscope.fleet.sweep.output import opened, read_output\n"
        "plan = read_output(Path(sys.argv[1])).plan\n"
        "with opened(Path(sys.argv[1]), plan) as output:\n"
        "    output.put(3, b'whole')\n"
        "    half = Path(sys.argv[1]) / 'cells/part=0000000/.batch-0000000004.parquet.part'\n"
        "    half.write_bytes(b'half')\n"
        "    print('there', flush=True); time.sleep(600)\n"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code, str(folder)], stdout=subprocess.PIPE, text=True
    ) as other:
        assert other.stdout is not None
        assert other.stdout.readline() == "there\n"
        with pytest.raises(InputError, match=f"process {other.pid} on"):
            opened(folder, plan).__enter__()
        other.kill()
    with opened(folder, plan) as output:
        assert output.done() == {3}
        assert not list(folder.rglob("*.part"))


def test_a_full_disk_is_named_and_loses_nothing(
    plan: SweepPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(tmp_path / "out", plan) as output:
        output.put(0, b"kept")

        def full(number: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr(os, "fsync", full)
        with pytest.raises(InputError, match="No space left") as refused:
            output.put(1, b"lost")
        assert "run the same command again" in refused.value.remedy
        assert output.done() == {0}
        assert not list((tmp_path / "out").rglob("*.part"))


def test_a_folder_of_other_files_is_not_written_into(plan: SweepPlan, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="files of something else"):
        opened(tmp_path, plan).__enter__()
    with pytest.raises(InputError, match="not the output of a sweep"):
        read_output(tmp_path)


def test_results_of_another_version_are_not_mixed(
    plan: SweepPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from dataclasses import replace

    with opened(tmp_path / "out", replace(plan, recipe=replace(plan.recipe, version="0.1"))):
        pass
    with pytest.raises(InputError, match=r"was begun by Heapscope 0\.1"):
        opened(tmp_path / "out", plan).__enter__()


def test_a_part_of_the_batches_and_then_the_rest_are_the_whole(
    write_plan: WritePlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_module("heapscope.fleet.sweep.plan"), "BATCH_EVENTS", 700)
    source = read_plan(write_plan(TEXT))
    assert len(list(source.plan.batches())) > 1
    run_here(source, tmp_path / "whole")
    run_here(source, tmp_path / "parts", leave_out=1)
    run_here(source, tmp_path / "parts")
    assert sorted_bytes(tmp_path / "parts") == sorted_bytes(tmp_path / "whole")
