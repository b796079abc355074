"""replay, compare and import exit with 1 where a budget of their command line is not kept."""

from __future__ import annotations

import pytest
from tests.lab.conftest import MakeTrace
from typer.testing import CliRunner

from heapscope.cli.app import app

POOL = ("--pool", "64KB", "--allocator", "tlsf")


@pytest.mark.parametrize(
    ("budget", "code", "text"),
    [
        ("failures=1", 0, ""),
        ("failures=0", 1, "broken: failures is 1 failed requests"),
        ("need=1000", 0, ""),
        ("need=64000", 1, "broken: need:64000"),
        ("task:net=1", 1, "cause: Task 'net' held"),
        ("match_rate=99%", 1, "unknown: match_rate cannot be told"),
        ("static:DRAM=1", 1, "none of --elf, --map and --bin was given"),
        ("failure=0", 2, "did you mean failures?"),
        ("leak=0 B/round", 2, "replay does not tell it"),
        ("site:x=1", 2, "replay does not tell it"),
        ("min_free", 2, "has no limit"),
    ],
)
def test_replay(make_trace: MakeTrace, budget: str, code: int, text: str) -> None:
    trace = make_trace("t net", "a 1 1000", "a 2 90000")
    done = CliRunner().invoke(app, ["replay", str(trace), *POOL, "--fail-on", budget])
    assert done.exit_code == code, done.output
    assert text in done.output


@pytest.mark.parametrize(
    ("budget", "code"),
    [("worse=0%", 1), ("worse=900%", 0), ("worse:needs*=1%", 1), ("failures=0", 0)],
)
def test_compare(make_trace: MakeTrace, budget: str, code: int) -> None:
    sides = [str(make_trace("a 1 1000", f"a 2 {size}", name=f"{size}.hst")) for size in (100, 700)]
    done = CliRunner().invoke(app, ["compare", *sides, *POOL, "--fail-on", budget])
    assert done.exit_code == code, done.output


@pytest.mark.parametrize(("budget", "code"), [("left_out=0", 1), ("left_out=1", 0)])
def test_import(make_trace: MakeTrace, budget: str, code: int) -> None:
    text = make_trace("a 1 1000").with_name("x.txt")
    text.write_text("a 1 1000\nnothing\n")
    out = str(text.with_suffix(".hst"))
    done = CliRunner().invoke(
        app, ["import", "--from", "text", str(text), "-o", out, "--fail-on", budget]
    )
    assert done.exit_code == code, done.output
