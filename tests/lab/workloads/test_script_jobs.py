"""The work of a script's jobs is counted again as it was captured."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from .conftest import WORKLOADS, Script

NAME = "script_week_jobs.json"
ENCODERS = "script_encoders.json"


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


def test_the_studys_engine_was_built_with_the_option_of_its_device() -> None:
    """Without it each value of a JSON text takes two requests, and one with it."""
    jobs = read(WORKLOADS / "captured" / ENCODERS)["jobs"]
    requests = {(row["engine"], row["job"]): row["requests"] for row in jobs}
    nodes = (Path(__file__).parents[2] / "oracle" / "script_nodes.csv").read_text("utf-8")
    (recorded,) = {int(row.split(",")[2]) for row in nodes.splitlines() if ",json," in row}
    assert abs(requests["with the option", "JSON"] - recorded) < 50
    assert requests["as it comes", "JSON"] > 1.9 * recorded
    assert requests["as it comes", "CBOR"] == requests["with the option", "CBOR"] < 50


@pytest.mark.slow
def test_encoders_counted_again_equal_captured(script: Script, tmp_path: Path) -> None:
    script("script/encoders.py", "--out", tmp_path / ENCODERS)
    again, captured = (read(p / ENCODERS) for p in (tmp_path, WORKLOADS / "captured"))
    for one, other in zip(again["jobs"], captured["jobs"], strict=True):
        assert one["requests"] == other["requests"]
        assert one["instructions"] == pytest.approx(other["instructions"], rel=0.01)
