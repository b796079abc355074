"""Bad words on the command line of `heapscope sweep`, and places that cannot be written or read."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from heapscope.base.errors import InputError
from heapscope.cli.app import app
from heapscope.fleet.sweep import claim
from heapscope.fleet.sweep.cluster import Tls, remote_cluster
from heapscope.fleet.sweep.output import opened, read_output
from heapscope.fleet.sweep.plan_file import ReadPlan, read_plan

from .conftest import run_here

WritePlan = Callable[..., Path]
PLAN = 'traces = "small.hst"\n[[grid]]\npool = "64KB"\n'


@pytest.fixture
def plan(write_plan: WritePlan) -> ReadPlan:
    return read_plan(write_plan(PLAN))


def test_show_refuses_what_is_for_a_sweep(
    plan: ReadPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    run_here(plan, tmp_path / "out")
    for option, value in (
        ("-o", "other"),
        ("--workers", "1"),
        ("--scheduler", "tcp://127.0.0.1:8786"),
        ("--tls-ca", "ca.pem"),
        ("--tls-cert", "cert.pem"),
        ("--tls-key", "key.pem"),
    ):
        done = CliRunner().invoke(app, ["sweep", "show", "out", option, value])
        assert done.exit_code == 2
        assert f"sweep show and {option}: nothing is replayed" in done.stderr
        assert f"remedy: leave {option} out" in done.stderr
    assert CliRunner().invoke(app, ["sweep", "show", "out"]).exit_code == 0


@pytest.mark.parametrize(
    "document",
    [
        "{",
        "[]",
        "3",
        '{"heapscope_sweep_output": 1, "plan": {}}',
        '{"heapscope_sweep_output": 1, "plan": 3}',
        '{"heapscope_sweep_output": 1, "plan": null}',
    ],
)
def test_a_damaged_plan_of_an_output_is_named(
    plan: ReadPlan, tmp_path: Path, document: str
) -> None:
    folder = run_here(plan, tmp_path / "out").folder
    (folder / "sweep.json").write_text(document, encoding="utf-8")
    for use in (lambda: read_output(folder), lambda: run_here(plan, folder)):
        with pytest.raises(InputError, match=r"out.*: is damaged"):
            use()


def test_each_part_of_an_outputs_plan_may_be_damaged(plan: ReadPlan, tmp_path: Path) -> None:
    folder = run_here(plan, tmp_path / "out").folder
    whole: dict[str, Any] = json.loads((folder / "sweep.json").read_text(encoding="utf-8"))
    for key in whole["plan"]:
        for wrong in (3, "x", [[1]], {"pool": [1, 2]}):
            if type(wrong) is type(whole["plan"][key]) or key in ("batch_events", "heapscope"):
                continue
            damaged = {**whole, "plan": {**whole["plan"], key: wrong}}
            (folder / "sweep.json").write_text(json.dumps(damaged), encoding="utf-8")
            with pytest.raises(InputError, match=r"sweep\.json: is damaged"):
                read_output(folder)


def test_a_full_disk_is_named_with_its_file_when_the_claim_is_written(
    plan: ReadPlan, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(claim.os, "write", full)
    with pytest.raises(InputError) as refused, opened(tmp_path / "out", plan.plan):
        pass
    assert "out" in refused.value.message
    assert ".claim: cannot be written: No space left on device" in refused.value.message
    assert "make room" in refused.value.remedy


def test_an_output_that_is_a_file_is_no_full_disk(plan: ReadPlan, tmp_path: Path) -> None:
    (tmp_path / "taken").write_text("mine", encoding="utf-8")
    with pytest.raises(InputError) as refused, opened(tmp_path / "taken", plan.plan):
        pass
    assert "taken: cannot be written" in refused.value.message
    assert "give -o a folder" in refused.value.remedy
    assert (tmp_path / "taken").read_text(encoding="utf-8") == "mine"


def test_files_that_are_not_of_tls_are_named_before_the_scheduler(tmp_path: Path) -> None:
    wrong = tmp_path / "ca.pem"
    wrong.write_text("not PEM\n", encoding="utf-8")
    tls = Tls(ca=wrong, cert=wrong, key=wrong)
    with pytest.raises(InputError) as refused, remote_cluster("tls://localhost:9", tls):
        pass
    assert "--tls-ca, --tls-cert and --tls-key: cannot be used" in refused.value.message
    assert "PEM" in refused.value.remedy
