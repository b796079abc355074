"""The work of a script's jobs is counted again as it was captured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import WORKLOADS, Script

NAME = "script_week_jobs.json"


def read(path: Path) -> dict[str, Any]:
    document: dict[str, Any] = json.loads(path.read_text("utf-8"))
    return document


def test_the_captured_counts_hold_together() -> None:
    jobs = read(WORKLOADS / "captured" / NAME)["jobs"]
    for job in jobs:
        assert job["heap_instructions"] < job["instructions"]
        assert job["lines_written"] <= job["lines_read"] <= job["accesses"]
        assert job["heap_lines_read"] <= job["heap_accesses"]
    of = {kind: [job for job in jobs if job["job"].startswith(kind)] for kind in ("json", "cbor")}
    for text, binary in zip(of["json"], of["cbor"], strict=True):
        assert text["heap_calls"] > 4 * 5 * 1440 - 100  # two allocations and frees a value
        assert binary["heap_calls"] < 200


@pytest.mark.slow
def test_counted_again_equals_captured(script: Script, tmp_path: Path) -> None:
    script("script/jobs.py", "--out", tmp_path / NAME)
    assert read(tmp_path / NAME) == read(WORKLOADS / "captured" / NAME)
