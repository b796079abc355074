"""The captured traces are what their scripts make today, event by event. Those of programs that are
compiled for it are slow."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from .conftest import WORKLOADS, Script, read_recording

TRACES = {"tls": 20, "script": 3, "mix": 1, "ice": 12, "wifi": 38, "tenants": 4}
COMPILED = ("tls", "script", "mix", "ice", "wifi")
FAMILIES = [
    pytest.param(family, marks=pytest.mark.slow if family in COMPILED else ()) for family in TRACES
]


@pytest.mark.parametrize("family", FAMILIES)
def test_repeated_equals_captured(family: str, script: Script, tmp_path: Path) -> None:
    script("make.py", family, "--out", tmp_path)
    results = sorted(tmp_path.iterdir())
    assert len(results) == TRACES[family]
    for trace in results:
        again, captured = read_recording(trace), read_recording(WORKLOADS / "captured" / trace.name)
        assert again.tasks == captured.tasks
        assert again.marks == captured.marks
        assert again.metadata == captured.metadata
        assert len(again.events) == len(captured.events), trace.name
        same = again.events == captured.events
        assert same.all(), f"{trace.name}: event {int(np.argmin(same))}"
