"""Inputs that pass each reader's first checks and contradict themselves behind them: none hangs,
none takes more than 256 MB, and what is not taken is refused by an error with a sentence."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from readers import READERS

WORKER = Path(__file__).with_name("worker.py")
QUICK, ALL = 6, 2000


def fed(seed: int, count: int, *names: str) -> dict[str, dict[str, Any]]:
    """The last word of the worker on each reader."""
    done = subprocess.run(
        [sys.executable, "-P", WORKER, str(seed), "0", str(count), *names],
        capture_output=True,
        text=True,
        check=False,
    )
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    ended = f"it ended with {done.returncode} at {lines[-1:]}: {done.stderr[-2000:]}"
    assert done.returncode == 0, ended
    return {line["reader"]: line for line in lines if "fault" in line}


def test_no_reader_falls_over_an_input(seed: int) -> None:
    result = fed(seed, QUICK, *READERS)
    assert {name: one["fault"] for name, one in result.items() if one["fault"]} == {}
    assert result.keys() == READERS.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", READERS)
def test_no_reader_falls_over_any_of_two_thousand_inputs(name: str, seed: int) -> None:
    stated = fed(seed, ALL, name)[name]
    assert stated["fault"] == ""
    assert stated["taken"] + stated["refused"] == ALL
    assert stated["taken"] > 0, "no input came past the reader's first checks"
