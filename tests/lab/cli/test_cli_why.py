"""`heapscope why` as it is typed."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

Run = Callable[..., Any]
Valid = Callable[[str, str], dict[str, Any]]

SPLIT = """t net
a 1 3000
t x
a 2 72
t net
a 3 3000
f 1
f 3
t tls
a 4 5000
"""
POOL = ("--pool", 6500, "--allocator", "idf-4.2")


@pytest.fixture
def split(here: Path, run: Run) -> Path:
    (here / "split.txt").write_text(SPLIT, encoding="utf-8")
    assert run("import", "--from", "text", "split.txt", "-o", "S.hst").code == 0
    return Path("S.hst")


def test_the_answer_comes_first_then_who_holds_the_hole_then_what_helps(
    split: Path, run: Run
) -> None:
    done = run("why", split, *POOL)
    assert (done.code, done.err) == (0, "")
    text = " ".join(done.out.split())
    assert "1 of 4 requests failed through fragmentation." in text
    order = [
        "The cheapest change",
        "Failure group 1",
        "The best hole",
        "Changes that would have let",
    ]
    assert [text.index(part) for part in order] == sorted(text.index(part) for part in order)
    assert "72 B of 'x' (held since event 1)" in text
    assert "[--pool 8116]" in text
    assert "Tried and no help: " in text


def test_the_named_option_is_one_that_replay_takes(split: Path, run: Run) -> None:
    done = run("replay", split, "--pool", 8116, "--allocator", "idf-4.2", "--digest")
    assert done.lines[0].endswith("failures 0")


def test_json_is_valid(split: Path, run: Run, valid: Valid) -> None:
    document = valid("why", run("why", split, *POOL, "--need", 3000, "--json", "-").out)
    assert document["failures"] == 1
    (group,) = document["groups"]
    assert group["first"]["case"]["hole"]["holders"][0]["task"] == "x"
    assert {change["kind"] for change in group["first"]["changes"]} >= {"memory", "early"}
    assert document["needs"][0]["worst"]["case"]["request"]["call"] == "need"


def test_json_of_a_chip_is_valid(hst: Path, run: Run, valid: Valid) -> None:
    args = ("why", hst, "--chip", "esp32", "--idf", "4.2", "--need", "60KB:DMA", "--json", "-")
    document = valid("why", run(*args).out)
    regions = document["groups"][0]["first"]["case"]["regions"]
    assert {region["reason"] for region in regions} == {"size", "capability"}


def test_one_request_is_chosen_by_its_event(split: Path, run: Run) -> None:
    assert "at event 5" in " ".join(run("why", split, *POOL, "--event", 5).out.split())


def test_rules_of_ones_own_hold_in_every_replay(split: Path, here: Path, run: Run) -> None:
    rules = '[[private]]\nname = "x"\nsize = 256\n[[rule]]\ntask = "x"\nprivate = "x"\n'
    (here / "rules.toml").write_text(rules, encoding="utf-8")
    done = run("why", split, *POOL, "--place", "rules.toml", "--need", 5000)
    assert done.code == 0
    assert "failed through" not in done.out
    assert "5,000 B" in done.out


@pytest.mark.parametrize(
    ("options", "message", "remedy"),
    [
        (("--failure", 1, "--event", 5), "--failure and --event", "give one of them"),
        (("--failure", 7), "no failed request 7: 1 to 1 can be asked for", "heapscope replay"),
        (("--event", 0), "event 0 did not fail", "--explain 0"),
    ],
)
def test_a_wrong_choice_is_two_lines(
    split: Path, run: Run, options: tuple[Any, ...], message: str, remedy: str
) -> None:
    done = run("why", split, *POOL, *options)
    assert done.code == 2
    error, way_out = done.err.splitlines()
    assert error.startswith("error: ")
    assert message in error
    assert remedy in way_out


def test_what_is_no_trace_is_named(here: Path, run: Run) -> None:
    done = run("why", "boot.txt", *POOL)
    assert done.code == 2
    assert "boot.txt" in done.err


def test_one_failure_of_several_is_not_called_the_first(here: Path, run: Run) -> None:
    """Nor are all of them taken to have its reason."""
    Path("two.txt").write_text("a 1 70000\na 2 3000\na 3 3000\n", encoding="utf-8")
    assert run("import", "--from", "text", "two.txt", "-o", "T.hst").code == 0
    done = run("why", "T.hst", "--pool", 4096, "--failure", 2)
    text = " ".join(done.out.split())
    assert "2 of 3 requests failed; this one, at event 2, because memory was full." in text
    assert "The cheapest change that lets this one succeed: " in text
