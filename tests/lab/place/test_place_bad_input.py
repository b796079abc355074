"""Bad input of `heapscope place` is refused by name; and its file where it has no rules to give."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from typer.testing import CliRunner

import heapscope as hs
from heapscope.base.errors import InputError
from heapscope.cli.app import app

MakeTrace = Callable[..., Path]
LINES = ("t net", "a 1 100", "a 2 1000", "f 1", "a 3 64")


def test_rules_with_a_pool_that_finds_no_room_are_named(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text(
        '[[pool]]\nname = "a"\nblock = 64\ncount = 100000\n[[rule]]\npool = "a"\n', encoding="utf-8"
    )
    with pytest.raises(InputError, match=r"pool a of [0-9,]+ B finds no room") as refused:
        hs.place(make_trace(*LINES), pool="64KB", place=rules)
    assert refused.value.remedy


def test_an_empty_name_of_a_region_is_named_once(make_trace: MakeTrace, tmp_path: Path) -> None:
    rules = tmp_path / "rules.toml"
    rules.write_text('[[rule]]\nregion = ""\n', encoding="utf-8")
    with pytest.raises(InputError) as refused:
        hs.place(make_trace(*LINES), pool="64KB", place=rules)
    assert refused.value.message.count("line 2") == 1


def test_a_second_recording_that_is_the_first_proves_nothing(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    trace = make_trace(*LINES)
    copy = tmp_path / "copy.hst"
    copy.write_bytes(trace.read_bytes())
    for second in (trace, copy):
        with pytest.raises(InputError, match="--second is the same recording"):
            hs.place(trace, pool="64KB", second=second)


@pytest.mark.parametrize("name", ["jitter_seed", "jitter_strength"])
def test_a_seed_without_perturbed_runs_is_not_passed_over(make_trace: MakeTrace, name: str) -> None:
    trace = make_trace(*LINES)
    requested = [
        lambda: hs.place(trace, pool="64KB", **{name: 1}),
        lambda: hs.fit(trace, allocator="umm", **{name: 1}),
        lambda: hs.why(trace, pool="64KB", **{name: 1}),
    ]
    for ask in requested:
        with pytest.raises(InputError, match="no perturbed runs are asked for"):
            ask()


def test_a_file_without_rules_says_that_none_are_better(
    make_trace: MakeTrace, tmp_path: Path
) -> None:
    out = tmp_path / "rules.toml"
    trace = make_trace("t net", "a 1 100", "f 1")
    done = CliRunner().invoke(
        app, ["place", str(trace), "--pool", "64KB", "--time-limit", "2", "-o", str(out)]
    )
    assert done.exit_code == 0
    assert out.read_text(encoding="utf-8").startswith("# No rules are better than none here.")
