"""Real programs on each heap: nothing is wrong, and the shadow would notice it."""

from __future__ import annotations

import json
import subprocess
import sys
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from needs import MissingError

ROOT = Path(__file__).resolve().parents[2]
BENCH = ROOT / "benches" / "programs"
BUILT = ROOT / "build" / "workloads" / "programs"
MISSING = 3  # exit code
HEAPS = ("small", "wide", "lean", "guard-0", "guard-1", "guard-2", "guard-3", "tlsf", "libc")
REAL = ("lua", "duktape", "quickjs", "mbedtls", "lwip", "lvgl")
CALLS = 50_000
#: Each way in which a heap can be wrong, and what the shadow then says.
WRONG = {
    "": "",
    "misaligned": "misaligned",
    "outside": "outside",
    "overlap": "overlap",
    "not cleared": "not cleared",
    "contents lost": "contents lost",
    "contents lost by a failure": "contents lost",
    "free refused": "free refused",
    "metadata": "metadata",
}


def run(*options: str) -> list[dict[str, Any]]:
    """The rows of benches/programs, those of wrong runs included."""
    command = [sys.executable, str(BENCH), "--dry", *options]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode == MISSING:
        raise MissingError(done.stderr.strip())
    assert done.returncode in (0, 1), done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


@cache
def wrong_heap() -> Path:
    """The program of random requests on a heap that HEAP_WRONG makes wrong."""
    (row,) = run("--program", "random", "--heap", "wrong", "--calls", "2000")
    assert row["fault"] == ""
    return BUILT / "random-wrong-x86-32"


@pytest.mark.slow
@pytest.mark.parametrize("kind", WRONG)
def test_the_shadow_names_what_a_heap_does_wrong(kind: str) -> None:
    command = [str(wrong_heap()), "20000", "160000", "4096", "0", "1", "-"]
    done = subprocess.run(
        command, env={"HEAP_WRONG": kind}, capture_output=True, text=True, check=False
    )
    assert json.loads(done.stdout)["fault"] == WRONG[kind]
    assert done.returncode == (1 if kind else 0)


@pytest.mark.slow
def test_random_requests_are_served_alike_by_each_heap(seed: int) -> None:
    rows = run("--program", "random", "--heap", *HEAPS, "--calls", str(CALLS), "--seed", str(seed))
    assert [row["heap"] for row in rows] == list(HEAPS)
    for row in rows:
        assert (row["fault"], row["failure"], row["left"]) == ("", "", 0), row
        assert row.get("free_start") == row.get("free_end"), row


@pytest.mark.slow
@pytest.mark.parametrize("program", REAL)
def test_a_program_computes_the_same_on_each_heap_without_a_fault(program: str) -> None:
    rows = run("--program", program, "--heap", *HEAPS, "--calls", str(CALLS))
    assert [row["heap"] for row in rows] == list(HEAPS)
    for row in rows:
        assert (row["fault"], row["failure"], row["failed"]) == ("", "", 0), row
        assert row["calls"] >= CALLS, row
    assert len({row["digest"] for row in rows}) == 1
    assert len({(row["peak"], row["left"], row["blocks"]) for row in rows}) == 1


@pytest.mark.slow
@pytest.mark.parametrize("program", ["lua", "duktape", "mbedtls"])
def test_a_request_that_fails_harms_nothing(program: str, seed: int) -> None:
    """A failed request makes an error of the program, at most; its memory comes back."""
    print("seed", seed)
    heaps = [heap for heap in HEAPS if heap != "libc"]
    options = ("--refuse", "500", "--seed", str(seed), "--calls", str(CALLS))
    for row in run("--program", program, "--heap", *heaps, *options):
        assert row["refused"] > 0, row
        assert (row["fault"], row["failure"], row["left"]) == ("", "", 0), row
        assert row["free_start"] == row["free_end"], row
