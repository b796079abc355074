"""The steps of the action for GitHub and of the job for GitLab run as they stand."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml
from tests.lab.budgets.conftest import POOL
from tests.lab.conftest import MakeTrace

ROOT = Path(__file__).resolve().parents[3]


def run(script: str, folder: Path, **variables: str) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    return subprocess.run(
        ["bash", "-eo", "pipefail", "-c", script],
        cwd=folder,
        env=os.environ | {"PATH": path} | variables,
        capture_output=True,
        text=True,
        check=False,
    )


def budgets(make_trace: MakeTrace, limit: str) -> Path:
    folder = make_trace("t net", "a 1 1000").parent
    text = f'{POOL}[budget]\nmin_free = "{limit}"\n[[run]]\ntrace = "T.hst"\n'
    (folder / "heapscope.toml").write_text(text)
    return folder


@pytest.mark.parametrize(("limit", "code"), [("1KB", 0), ("64KB", 1)])
def test_the_action_writes_a_summary_and_fails_as_the_check_does(
    make_trace: MakeTrace, limit: str, code: int
) -> None:
    action: dict[str, Any] = yaml.safe_load((ROOT / "action.yml").read_text())
    step = action["runs"]["steps"][1]
    names = {key: one["default"] for key, one in action["inputs"].items()}
    variables = {key: names[value.split(".")[1].strip(" }")] for key, value in step["env"].items()}
    folder = budgets(make_trace, limit)
    summary = folder / "summary.md"
    done = run(step["run"], folder, **variables, GITHUB_STEP_SUMMARY=str(summary))
    assert done.returncode == code, done.stderr
    assert "min_free" in summary.read_text()
    out = sorted(path.name for path in (folder / names["output"]).iterdir())
    assert out == ["heap.json", "heap.md", "heap.sarif", "heap.svg", "heap.xml"]


@pytest.mark.slow
def test_the_job_for_gitlab_keeps_what_it_names(make_trace: MakeTrace) -> None:
    job = yaml.safe_load((ROOT / "lab" / "ci" / "gitlab.yml").read_text())["heapscope-check"]
    folder = budgets(make_trace, "64KB")
    done = run(job["script"][1], folder, **job["variables"])
    assert done.returncode == 1, done.stderr
    kept = [*job["artifacts"]["paths"], job["artifacts"]["reports"]["junit"]]
    assert all((folder / name).is_file() for name in kept)
